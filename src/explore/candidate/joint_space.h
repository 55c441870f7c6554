/* The joint space of the expressions of a derivation. Two of them are near to each other
 * if they differ in the option of one decision, or of two; where there are few such, some
 * that differ in more. The options are the columns of the models. */
#ifndef EXPLORE_CANDIDATE_JOINT_SPACE_H
#define EXPLORE_CANDIDATE_JOINT_SPACE_H

#include "explore/derive.h"
#include "explore/estimate.h"
#include "tuner/joint.h"

struct explore_joint_parts {
    const struct derivation *derivation;
    const struct lift_rules *rules;
    const struct candidate_space *spaces;
    const int *leaves; /* of the candidate spaces */
    int count;
    struct explore_estimator *estimator; /* outlives the space; NULL: without guesses */
    int share, shares;                   /* as in struct lift_joint_parts */
};

/* Lives in 'arena'; the candidate spaces outlive it. With an estimator its points have
 * guesses. */
struct lift_joint *explore_joint_make(struct lift_arena *arena,
                                      const struct explore_joint_parts *parts);

#endif
