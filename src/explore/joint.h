/* The joint space of the expressions of a derivation. */
#ifndef EXPLORE_JOINT_H
#define EXPLORE_JOINT_H

#include "explore/derive.h"
#include "lift/joint.h"

/* Of arm i, which is leaf leaves[i]. Lives in 'arena'. */
struct lift_joint *explore_joint_make(struct lift_arena *arena,
                                      const struct derivation *d,
                                      const struct explore_arm *arms, const int *leaves,
                                      int count);

#endif
