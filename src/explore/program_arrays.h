/* The arrays of a program as its user sees them. */
#ifndef EXPLORE_PROGRAM_ARRAYS_H
#define EXPLORE_PROGRAM_ARRAYS_H

#include "codegen/kernel.h"
#include "explore/problem.h"

/* A flat buffer: arrays of tuples are one a member. Row-major, outermost length first;
 * lanes of vectors are the last dimension. */
struct explore_shape {
    const char *name; /* of the input or output */
    enum lift_scalar scalar;
    int owner; /* index of the input or output */
    int dims;
    int64_t length[LIFT_LAYOUT_DIMS + 1];
    int64_t count;
};

/* Whether every array of the problem has a shape: at most LIFT_LAYOUT_DIMS + 1 lengths.
 * If not, why. The functions below are for such problems. */
bool explore_has_shapes(const struct explore_problem *p, struct lift_str *why);
/* In the order of explore_input_leaves and explore_output_leaves; their number. */
int explore_input_shapes(const struct explore_problem *p,
                         struct explore_shape out[EXPLORE_MAX_LEAVES]);
int explore_output_shapes(const struct explore_problem *p,
                          struct explore_shape out[EXPLORE_MAX_LEAVES]);

#endif
