/* The phases of a derivation between the program and its lowering, as data: which rules
 * belong to each, and where they are tried. A rule says itself to which it belongs
 * ('explore' in its file). */
#ifndef EXPLORE_PHASE_H
#define EXPLORE_PHASE_H

#include "explore/derive.h"

/* A term on its way down, with the conditions of the rules applied so far. */
struct shape {
    int node;
    int phase, uses; /* the last phase that added to it, and how often in a row */
    int rule;        /* by which rule of the set */
    struct explore_conditions conditions;
};

struct shapes {
    struct shape *items;
    int count, cap, most;
};

struct deriver {
    struct derivation *d;
    const struct explore_problem *p;
    const struct lift_rules *rules;
    const struct lift_device_info *device;
    struct lift_arena *arena;
    struct shapes shapes;
};

/* To add to a derivation later on. */
struct deriver derive_again(struct derivation *d, const struct explore_problem *p,
                            const struct lift_rules *rules,
                            const struct lift_device_info *device);
/* A low-level term; 'point' is NULL if it is none of the decisions. False if it is a leaf
 * already. */
bool derive_add_leaf(struct deriver *v, const struct shape *s,
                     const struct lift_point *point);
/* A shape that a strategy leads to; false if it fails. */
bool derive_run(struct deriver *v, const struct shape *from, lift_strategy s,
                struct shape *out);
/* False if a result is stored in an input whose value is needed again. */
bool derive_is_legal(const struct explore_problem *p, lift_expr term);
/* Rules that change values, be it by rounding only, need the program's leave. */
bool derive_allows(const struct explore_problem *p, const struct lift_rule *rule);

/* Adds to the list what is not in it yet, or counts it if the list is full. */
void derive_add_shape(struct deriver *v, const struct shape *s);
/* All shapes that follow from the first of the list, those of fewer applications first,
 * until there are 'most'. */
void derive_shapes(struct deriver *v);

#endif
