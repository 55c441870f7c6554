/* Derivations in short: the macros and rules of the way on which an expression was found
 * first, in order; a macro stands for its steps, 'rule*3' for three in a row. Two files
 * that know an expression under different hashes may still tell the same story. */
#ifndef EXPLORE_STORY_H
#define EXPLORE_STORY_H

#include "explore/derive.h"
#include "lift/str.h"

void explore_story(const struct derivation *d, int leaf, struct lift_str *out);

/* Adds one word; begin with '{.out = &text}', end with a word NULL. */
struct story {
    struct lift_str *out;
    const char *word; /* the last, not written yet */
    int count;
};
void explore_story_add(struct story *s, const char *word);

#endif
