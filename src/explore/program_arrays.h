/* The arrays of a program in the user's view. */
#ifndef EXPLORE_PROGRAM_ARRAYS_H
#define EXPLORE_PROGRAM_ARRAYS_H

#include "codegen/kernel.h"
#include "explore/problem.h"

/* A flat buffer; an array of tuples has one for each member. Row-major, outermost length
 * first; lanes of vectors are the last dimension. */
struct explore_shape {
    const char *name; /* name of the input or output */
    enum lift_scalar scalar;
    int owner; /* index of the input or output */
    int dims;
    int64_t length[LIFT_LAYOUT_DIMS + 1];
    int64_t count;
};

/* Returns true if every array of the problem has at most LIFT_LAYOUT_DIMS + 1 lengths;
 * otherwise false and the reason. The functions below require it. */
bool explore_has_shapes(const struct explore_problem *p, struct lift_str *why);
/* Shapes in the order of explore_input_leaves and explore_output_leaves; return their
 * number. */
int explore_input_shapes(const struct explore_problem *p,
                         struct explore_shape out[EXPLORE_MAX_LEAVES]);
int explore_output_shapes(const struct explore_problem *p,
                          struct explore_shape out[EXPLORE_MAX_LEAVES]);
/* The array that becomes input 'i' in the next time step. An input's index (its own if it
 * does not change), or an output's index plus 'in_count'. */
int explore_next_array(const struct explore_problem *p, const struct explore_shape *in,
                       int in_count, const struct explore_shape *out, int out_count,
                       int i);

#endif
