/* The joint space of the expressions of a derivation. Two expressions are neighbours if
 * they differ in the options of one or two decisions. If an expression has few
 * neighbours, expressions with more differences are added. The options are the columns of
 * the models. */
#ifndef EXPLORE_CANDIDATE_JOINT_SPACE_H
#define EXPLORE_CANDIDATE_JOINT_SPACE_H

#include "explore/derive.h"
#include "explore/estimate.h"
#include "tuner/joint.h"

struct explore_joint_parts {
    const struct derivation *derivation;
    const struct lift_rules *rules;
    const struct candidate_space *spaces;
    const int *leaves; /* leaf of each candidate space */
    int count;
    struct explore_estimator *estimator; /* outlives the space; NULL: no estimates */
    int share, shares;                   /* as in struct lift_joint_parts */
};

/* Lives in 'arena'; the candidate spaces must outlive the joint space. With an estimator,
 * configurations have estimates. */
struct lift_joint *explore_joint_make(struct lift_arena *arena,
                                      const struct explore_joint_parts *parts);

#endif
