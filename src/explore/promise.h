/* The point of an expression that promises most by the guesses of a joint space, which
 * cost nothing beside a try. */
#ifndef EXPLORE_PROMISE_H
#define EXPLORE_PROMISE_H

#include "lift/joint.h"
#include "lift/rng.h"

/* Points that are looked at: the start, so many random ones, and so many neighbours of
 * the best in each round, until one round finds none that is better. */
enum { PROMISE_SAMPLES = 12, PROMISE_ROUNDS = 4, PROMISE_MOVES = 24 };

struct promise {
    struct lift_choice choice;
    double guessed; /* what lift_joint_guessed says of it */
};

/* The best of those in 'best'; the same generator finds the same. False if the expression
 * has no point that has a guess. */
bool promise_find(const struct lift_joint *joint, int expr, struct lift_rng *rng,
                  struct promise *best);

/* The same for an expression beside one of which a good point is known: of its values,
 * carried over, and their neighbours in one round. */
bool promise_carry(const struct lift_joint *joint, const struct lift_choice *from,
                   int expr, struct lift_rng *rng, struct promise *best);

#endif
