#include "ref/ref.h"
#include <string.h>

const struct ref_program ref_programs[] = {
    {"acoustic", {"prev", "cur"}, 2, 1, 3, 1, REF_ZERO, ref_acoustic},
    {"stencil2d", {"grid"}, 1, 1, 2, 1, REF_KEEP, ref_stencil2d},
    {"srad1", {"image"}, 1, 1, 2, 1, REF_EDGE, ref_srad1},
    {"srad2",
     {"image", "coeff", "dn", "ds", "de", "dw"},
     6,
     1,
     2,
     1,
     REF_EDGE,
     ref_srad2},
    {"hotspot2d", {"temp", "power"}, 2, 1, 2, 1, REF_EDGE, ref_hotspot2d},
    {"hotspot3d", {"temp", "power"}, 2, 1, 3, 1, REF_EDGE, ref_hotspot3d},
    {"gaussian", {"grid"}, 1, 1, 2, 2, REF_KEEP, ref_gaussian},
    {"gradient", {"grid"}, 1, 1, 2, 1, REF_KEEP, ref_gradient},
    {"jacobi2d5", {"grid"}, 1, 1, 2, 1, REF_KEEP, ref_jacobi2d5},
    {"jacobi2d9", {"grid"}, 1, 1, 2, 1, REF_KEEP, ref_jacobi2d9},
    {"jacobi3d7", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_jacobi3d7},
    {"jacobi3d13", {"grid"}, 1, 1, 3, 2, REF_KEEP, ref_jacobi3d13},
    {"jacobi3d19", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_jacobi3d19},
    {"jacobi3d27", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_jacobi3d27},
    {"poisson", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_poisson},
    {"heat", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_heat},
    {0},
};

const struct ref_program *ref_find(const char *name)
{
    for (const struct ref_program *r = ref_programs; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

size_t ref_cells(const struct ref_program *program, const struct ref_problem *p)
{
    size_t plane = (size_t)p->nx * (size_t)p->ny;

    return program->dims == 3 ? plane * (size_t)p->nz : plane;
}
