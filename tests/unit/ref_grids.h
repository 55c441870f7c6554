/* Grids of one size, on which laws of the references are tested. */
#ifndef REF_GRIDS_H
#define REF_GRIDS_H

#include "base/rng.h"
#include "ref/ref.h"

static const struct ref_problem SIZE = {.nx = 11, .ny = 10, .nz = 9};

enum { CELLS = 11 * 10 * 9 };

/* A cell that is four away from every border. */
enum { MIDDLE = 4 };

typedef float grid_t[CELLS];

static inline size_t cell(int x, int y, int z)
{
    return (size_t)((z * SIZE.ny + y) * SIZE.nx + x);
}

static inline void fill(grid_t g, float value)
{
    for (int i = 0; i < CELLS; i++)
        g[i] = value;
}

/* Values in [lo, hi). */
static inline void randomise(grid_t g, uint64_t seed, double lo, double hi)
{
    struct lift_rng rng;

    lift_rng_seed(&rng, seed);
    for (int i = 0; i < CELLS; i++)
        g[i] = (float)(lo + (hi - lo) * lift_rng_unit(&rng));
}

#endif
