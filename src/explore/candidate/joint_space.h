/* The joint space of the expressions of a program, for all numbers of time steps a
 * launch. Two expressions are neighbours if they differ in the options of one or two
 * decisions; a different number of time steps counts like a decision. If an expression
 * has few neighbours, expressions with more differences are added. The options and the
 * number of time steps are the columns of the models. */
#ifndef EXPLORE_CANDIDATE_JOINT_SPACE_H
#define EXPLORE_CANDIDATE_JOINT_SPACE_H

#include "explore/derive.h"
#include "explore/estimate.h"
#include "tuner/joint.h"

struct explore_joint_expr {
    const struct candidate_space *candidates;
    const struct lift_configuration *configuration;
    struct explore_estimator *estimator; /* outlives the space; NULL: no estimates */
    int steps;                           /* time steps a launch */
};

struct explore_joint_parts {
    const struct lift_rules *rules;
    const struct explore_joint_expr *exprs;
    int count;
    int share, shares; /* as in struct lift_joint_parts */
};

/* Lives in 'arena'; the candidate spaces must outlive the joint space. If expressions
 * have estimators, configurations have estimates, in seconds a time step. */
struct lift_joint *explore_joint_make(struct lift_arena *arena,
                                      const struct explore_joint_parts *parts);

#endif
