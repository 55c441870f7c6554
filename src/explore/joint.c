#include "explore/joint.h"
#include "lift/bug.h"
#include <stdlib.h>

struct lift_joint *explore_joint_make(struct lift_arena *arena,
                                      const struct derivation *d,
                                      const struct explore_arm *arms, const int *leaves,
                                      int count)
{
    struct lift_joint_expr *exprs = calloc((size_t)count + 1, sizeof *exprs);
    struct lift_joint *joint;

    (void)d;
    (void)leaves;
    LIFT_ASSERT(exprs);
    for (int i = 0; i < count; i++)
        exprs[i].space = arms[i].space;
    joint = lift_joint_create(arena,
                              &(struct lift_joint_parts){.exprs = exprs, .count = count});
    free(exprs);
    return joint;
}
