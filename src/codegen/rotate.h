/* Which buffers the state of repeated kernels is in, step by step: what a step computes
 * goes to buffers that it does not read, what it passes on stays where it is, and so the
 * same buffers come back after a few steps. */
#ifndef CODEGEN_ROTATE_H
#define CODEGEN_ROTATE_H

#include "codegen/gen.h"

enum { ROTATE_PARTS = 2 * LIFT_MAX_ARGS, ROTATE_STATES = 32 };

struct rotation {
    int count; /* grids of the state */
    lift_type type[ROTATE_PARTS];
    int from[ROTATE_PARTS]; /* the grid that it was a step before; -1: it is computed */
    int buffers;
    int states[ROTATE_STATES][ROTATE_PARTS]; /* [t - 1]: the buffers after step t */
    int first, cycle; /* after step t >= first they are those after step t + cycle */
};

/* Takes the state apart, and what 'step', a lambda, makes of it. False: it has too many
 * grids. */
bool cg_rotation_find(struct rotation *r, lift_expr step);
/* The buffer that a grid is in after step t >= 1. */
int cg_rotation_buffer(const struct rotation *r, int64_t t, int grid);
/* Steps, of 'n', before the repeated ones, which are 'cycle' steps each time. */
int64_t cg_rotation_before(const struct rotation *r, int64_t n);
/* The term without kernels that are run no times, and without names of what these begin
 * with. */
lift_expr cg_without_idle(struct lift_ir *ir, lift_expr e);

#endif
