/* Hill climbing to the configuration of an expression with the best estimate, in a joint
 * space. An estimate costs far less than a trial. */
#ifndef EXPLORE_CANDIDATE_MODEL_CLIMB_H
#define EXPLORE_CANDIDATE_MODEL_CLIMB_H

#include "base/rng.h"
#include "tuner/joint.h"

/* Numbers of estimated configurations: the start and MODEL_CLIMB_SAMPLES random ones,
 * then MODEL_CLIMB_MOVES neighbours of the best in each round. Climbing ends after a
 * round without improvement. An expression without an estimate after MODEL_CLIMB_DOUBTS
 * random configurations has none. Climbing may improve an estimate by a factor of
 * MODEL_CLIMB_HOPE. */
enum {
    MODEL_CLIMB_SAMPLES = 12,
    MODEL_CLIMB_ROUNDS = 4,
    MODEL_CLIMB_MOVES = 24,
    MODEL_CLIMB_DOUBTS = 2,
    MODEL_CLIMB_HOPE = 6
};

struct climbed_configuration {
    struct lift_choice choice;
    double guessed; /* result of lift_joint_guessed */
};

/* Finds the configuration with the best estimate; equal generators give equal results.
 * The search ends at time 'until' (lift_seconds), which may be infinite. 'worth' is the
 * best estimate of other expressions, or infinite: an expression that climbing hardly
 * brings there has only random configurations. Returns false if the expression has no
 * configuration with an estimate. */
bool model_climb_find(const struct lift_joint *joint, int expr, double until,
                      double worth, struct lift_rng *rng,
                      struct climbed_configuration *best);

/* Starts from a known good configuration of a neighbouring expression: one round over the
 * values of that configuration and their neighbours. */
bool model_climb_carry(const struct lift_joint *joint, const struct lift_choice *from,
                       int expr, double until, struct lift_rng *rng,
                       struct climbed_configuration *best);

/* Other shapes of the best configuration's blocks: neighbours that differ in several
 * tunables, whose estimates are similar. Registers and latency decide between them.
 * Writes those with the best estimates, the best first, and returns their number, at most
 * 'most'. */
int model_climb_shapes(const struct lift_joint *joint,
                       const struct climbed_configuration *best,
                       struct climbed_configuration *out, int most);

#endif
