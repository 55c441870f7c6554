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
/* The array that input 'i' is in the next step of the time loop: an input, itself if it
 * does not change, or 'in_count' more than an output. */
int explore_next_array(const struct explore_problem *p, const struct explore_shape *in,
                       int in_count, const struct explore_shape *out, int out_count,
                       int i);

#endif
