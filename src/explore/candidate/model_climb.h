/* Hill climbing to the best estimated point of an expression in a joint space. An
 * estimate costs far less than a trial. */
#ifndef EXPLORE_CANDIDATE_MODEL_CLIMB_H
#define EXPLORE_CANDIDATE_MODEL_CLIMB_H

#include "base/rng.h"
#include "tuner/joint.h"

/* Points that are looked at: the start, so many random ones, and so many neighbours of
 * the best in each round, until one round finds none that is better. */
enum { MODEL_CLIMB_SAMPLES = 12, MODEL_CLIMB_ROUNDS = 4, MODEL_CLIMB_MOVES = 24 };

struct climbed_configuration {
    struct lift_choice choice;
    double guessed; /* what lift_joint_guessed says of it */
};

/* The best of those in 'best'; the same generator finds the same. No further is looked
 * after 'until', by lift_seconds, which may be infinite. False if the expression has no
 * point that has a guess. */
bool model_climb_find(const struct lift_joint *joint, int expr, double until,
                      struct lift_rng *rng, struct climbed_configuration *best);

/* The same for an expression whose neighbour has a known good point: one round over that
 * point's values and their neighbours. */
bool model_climb_carry(const struct lift_joint *joint, const struct lift_choice *from,
                       int expr, double until, struct lift_rng *rng,
                       struct climbed_configuration *best);

#endif
