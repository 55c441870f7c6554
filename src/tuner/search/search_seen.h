/* What search techniques share: the set of points already proposed or told of, and
 * drawing points that are not in it. */
#ifndef TUNER_SEARCH_SEARCH_SEEN_H
#define TUNER_SEARCH_SEARCH_SEEN_H

#include "tuner/search.h"

extern const struct lift_technique search_random;
extern const struct lift_technique search_climb;
extern const struct lift_technique search_forest;
extern const struct lift_technique search_exhaustive;

/* Points are kept in one array, by number; the table maps them to numbers. */
struct search_seen {
    const struct lift_joint *joint;
    struct lift_choice *points;
    size_t count, cap;
    size_t *slots; /* number + 1; 0: free */
    size_t slot_cap;
};

void search_seen_init(struct search_seen *seen, const struct lift_joint *joint);
void search_seen_fini(struct search_seen *seen);
/* Points that are of another share of the space count as seen. */
bool search_seen_has(const struct search_seen *seen, const struct lift_choice *choice);
/* Does nothing if the point is there. */
void search_seen_add(struct search_seen *seen, const struct lift_choice *choice);
/* The beginning of the state of a technique that needs no more than this to begin and to
 * end: 'init', 'fini' and, where nothing is learned, 'observe' are then these. */
struct search_base {
    struct search_seen seen; /* with the joint space */
    struct lift_rng *rng;
};
void search_base_init(void *state, const struct lift_joint *joint, struct lift_rng *rng);
void search_base_fini(void *state);
/* What is not in the set, and in it from now on: a walk's point, or a random one where
 * there is none ('found'). */
bool search_base_propose(struct search_base *base, bool found,
                         struct lift_choice *choice);

/* A random valid point that is not in the set, uniform as long as few points are; false
 * if all are in it. Does not add it. 'expr': of this expression; -1: of all. */
bool search_seen_sample(const struct search_seen *seen, int expr, struct lift_rng *rng,
                        struct lift_choice *choice);

#endif
