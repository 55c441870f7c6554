/* The rotation of the buffers of repeated kernels. A step writes its results to buffers
 * that the step does not read. Grids that the step only passes on stay in their buffers.
 * So the assignment of buffers is periodic after a few steps. */
#ifndef CODEGEN_ROTATE_H
#define CODEGEN_ROTATE_H

#include "codegen/gen.h"

enum { ROTATE_PARTS = 2 * LIFT_MAX_ARGS, ROTATE_STATES = 32 };

struct rotation {
    int count; /* number of grids in the state */
    lift_type type[ROTATE_PARTS];
    /* The grid of the previous state that becomes this grid; -1: the step computes this
     * grid. */
    int from[ROTATE_PARTS];
    int buffers;
    int states[ROTATE_STATES][ROTATE_PARTS]; /* [t - 1]: buffers after step t */
    int first, cycle; /* the buffers after step t >= first and step t + cycle are equal */
};

/* Finds the rotation for 'step', a lambda from state to state. False if the state has too
 * many grids. */
bool cg_rotation_find(struct rotation *r, lift_expr step);
/* The buffer of a grid after step t >= 1. */
int cg_rotation_buffer(const struct rotation *r, int64_t t, int grid);
/* The number of the 'n' steps that run before the loop, whose iterations are 'cycle'
 * steps. */
int64_t cg_rotation_before(const struct rotation *r, int64_t n);
/* The term without loops of zero iterations, and without names that only these loops use.
 */
lift_expr cg_without_idle(struct lift_ir *ir, lift_expr e);

#endif
