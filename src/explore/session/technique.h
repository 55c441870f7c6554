/* Between the loop and the search technique: asks the technique for points and keeps
 * account of those that are known, so that the loop gets each once. It sees outcomes
 * only, neither clock nor device: the same seed and the same answers give the same
 * sequence. Where a space is shared out it gives points of its own share only, and is
 * told of any. */
#ifndef EXPLORE_SESSION_TECHNIQUE_H
#define EXPLORE_SESSION_TECHNIQUE_H

#include "tuner/search.h"

struct explore_ask;

/* The joint space outlives it. 'tries': as many are expected, 0: unknown. Ended by
 * destroy (NULL is legal). */
struct explore_ask *explore_ask_create(const struct lift_joint *joint,
                                       const struct lift_technique *technique,
                                       uint64_t seed, int64_t tries);
void explore_ask_destroy(struct explore_ask *ask);

/* For a point that the caller tries of itself: true if nothing was told of it and it was
 * not given, and then it will not be, and is to be told of. */
bool explore_ask_claim(struct explore_ask *ask, const struct lift_choice *choice);
/* Where a point comes from. Seeds are given first; then wanted and promising points in
 * turns, so that neither waits for the other; the technique is asked when none waits. */
enum explore_source {
    EXPLORE_SEED,      /* it was good elsewhere */
    EXPLORE_WANTED,    /* of an expression that somebody wants to see tried */
    EXPLORE_PROMISING, /* it has a good estimate */
    EXPLORE_PROPOSED,  /* by the technique */
};

/* A point that waits to be given, copied; at most EXPLORE_OPENINGS of a source wait.
 * False if it is known already, or others try it. */
enum { EXPLORE_SEEDS = 10, EXPLORE_OPENINGS = 64 };
bool explore_ask_open(struct explore_ask *ask, enum explore_source source,
                      const struct lift_choice *choice);

/* The next point to try, of which nothing was told and which was not given before. False
 * if there is none left. Several may be asked for before they are told of. */
bool explore_ask_next(struct explore_ask *ask, struct lift_choice *choice,
                      enum explore_source *source);
/* The technique goes on in a space that has more expressions: those of the space before
 * have the same numbers. */
void explore_ask_widen(struct explore_ask *ask, const struct lift_joint *joint);
/* How many points were told of. */
int explore_ask_told(const struct explore_ask *ask);
/* The fastest points that were told of, of an expression each, the fastest first; their
 * number. */
int explore_ask_fastest(const struct explore_ask *ask, struct lift_choice *out, int most);
/* The least seconds that were told of each expression; infinite: none were. */
void explore_ask_least(const struct explore_ask *ask, double *least, int exprs);
/* Whether it was given or told of. */
bool explore_ask_knows(const struct explore_ask *ask, const struct lift_choice *choice);
/* Tells of a point, of one given or of one known from an earlier session. */
void explore_ask_tell(struct explore_ask *ask, const struct lift_choice *choice,
                      struct lift_outcome outcome);

#endif
