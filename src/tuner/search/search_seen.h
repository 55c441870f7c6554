/* What search techniques share: the list of all points that were proposed, claimed or
 * told, the fastest of them, and drawing points that are not in the list. */
#ifndef TUNER_SEARCH_SEARCH_SEEN_H
#define TUNER_SEARCH_SEARCH_SEEN_H

#include "tuner/search.h"

extern const struct lift_technique search_random;
extern const struct lift_technique search_climb;
extern const struct lift_technique search_forest;
extern const struct lift_technique search_exhaustive;

enum { SEARCH_BEST = 8 };

struct search_point {
    struct lift_choice choice;
    bool told;
    double seconds; /* infinite: it failed, or is not told */
};

/* Points are kept in one array, by number; the table maps them to numbers. */
struct search_seen {
    const struct lift_joint *joint;
    struct search_point *points;
    size_t count, cap;
    size_t told;              /* of them */
    size_t best[SEARCH_BEST]; /* numbers of the fastest, the fastest first */
    int best_count;
    size_t *slots; /* number + 1; 0: free */
    size_t slot_cap;
};

void search_seen_init(struct search_seen *seen, const struct lift_joint *joint);
void search_seen_fini(struct search_seen *seen);
/* Points that are of another share of the space count as seen. */
bool search_seen_has(const struct search_seen *seen, const struct lift_choice *choice);
/* Whether it is in the list. */
bool search_seen_knows(const struct search_seen *seen, const struct lift_choice *choice);
/* Does nothing if the point is there; its number. */
size_t search_seen_add(struct search_seen *seen, const struct lift_choice *choice);
void search_seen_tell(struct search_seen *seen, const struct lift_choice *choice,
                      struct lift_outcome outcome);
/* The fastest point; NULL: none was good. */
const struct lift_choice *search_seen_best(const struct search_seen *seen);

/* The beginning of the state of a technique that needs no more than this to begin: 'init'
 * is then this one. */
struct search_base {
    const struct search_seen *seen; /* with the joint space */
    struct lift_rng *rng;
};
void search_base_init(void *state, const struct search_seen *seen, struct lift_rng *rng);

/* A random valid point that is not in the list, uniform as long as few points are; false
 * if all are in it. Does not add it. 'expr': of this expression; -1: of all. */
bool search_seen_sample(const struct search_seen *seen, int expr, struct lift_rng *rng,
                        struct lift_choice *choice);

#endif
