/* What is known of the low-level expressions of a derivation before any is run: the
 * decisions that led to each, and numbers for a model. */
#ifndef EXPLORE_TRAITS_H
#define EXPLORE_TRAITS_H

#include "explore/derive.h"

struct explore_traits {
    int count; /* expressions */
    /* Sets of rules by their place in the rule set, 'words' numbers each: what made the
     * term that was lowered, and what lowered it. A macro stands for the rules that it
     * consists of. */
    uint64_t *shaping, *lowering;
    int words;
    /* Columns in which expressions differ: whether a rule or macro is part of the
     * derivation, how often a low-level primitive stands in the term, its size. */
    const char **names;
    double *values; /* [count][columns] */
    int columns;
};

/* Of the leaves with these numbers. Lives in 'arena'. */
struct explore_traits explore_traits_of(struct lift_arena *arena,
                                        const struct derivation *d,
                                        const struct lift_rules *rules, const int *leaves,
                                        int count);

#endif
