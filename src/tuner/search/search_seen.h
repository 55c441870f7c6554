/* The common part of search techniques: the list of all points that were proposed,
 * claimed or told, the fastest points, and random points outside the list. */
#ifndef TUNER_SEARCH_SEARCH_SEEN_H
#define TUNER_SEARCH_SEARCH_SEEN_H

#include "tuner/search.h"

extern const struct lift_technique search_random;
extern const struct lift_technique search_climb;
extern const struct lift_technique search_forest;
extern const struct lift_technique search_exhaustive;

enum {
    SEARCH_BEST = 8,
    SEARCH_AROUND = SEARCH_BEST + LIFT_JOINT_GROUPS /* most points to look around */
};

struct search_point {
    struct lift_choice choice;
    bool told;
    double seconds; /* infinite: the point failed, or has no result yet */
};

/* Points are kept in one array, by number; the table maps them to numbers. */
struct search_seen {
    const struct lift_joint *joint;
    struct search_point *points;
    size_t count, cap;
    size_t told;              /* points with a result */
    size_t best[SEARCH_BEST]; /* numbers of the fastest, the fastest first */
    int best_count;
    size_t *slots; /* number + 1; 0: free */
    size_t slot_cap;
};

void search_seen_init(struct search_seen *seen, const struct lift_joint *joint);
void search_seen_fini(struct search_seen *seen);
/* True if the point is in the list, or in another share of the space. */
bool search_seen_has(const struct search_seen *seen, const struct lift_choice *choice);
/* True if the point is in the list. */
bool search_seen_knows(const struct search_seen *seen, const struct lift_choice *choice);
/* Adds the point unless the list has it. Returns its number. */
size_t search_seen_add(struct search_seen *seen, const struct lift_choice *choice);
void search_seen_tell(struct search_seen *seen, const struct lift_choice *choice,
                      struct lift_outcome outcome);
/* The fastest point; NULL: no point was successful. */
const struct lift_choice *search_seen_best(const struct search_seen *seen);
/* Writes the numbers of the fastest points, then of the fastest point of each other group
 * of expressions that is nearly as fast. Returns how many. */
int search_seen_around(const struct search_seen *seen, size_t out[SEARCH_AROUND]);

/* The first member of a technique's state, if the technique needs no other
 * initialisation: 'init' is then the function below. */
struct search_base {
    const struct search_seen *seen; /* with the joint space */
    struct lift_rng *rng;
};
void search_base_init(void *state, const struct search_seen *seen, struct lift_rng *rng);

/* Draws a random valid point outside the list, and does not add the point. The point
 * is uniform as long as few points are in the list. Returns false if all points are
 * in the list. 'expr': of this expression; -1: of all. */
bool search_seen_sample(const struct search_seen *seen, int expr, struct lift_rng *rng,
                        struct lift_choice *choice);

#endif
