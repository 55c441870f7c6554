#include "ref/ref.h"
#include <string.h>

const struct ref_program ref_programs[] = {
    {"acoustic", {"prev", "cur"}, 2, 1, 3, 1, REF_ZERO, ref_acoustic},
    {"stencil2d", {"grid"}, 1, 1, 2, 1, REF_KEEP, ref_stencil2d},
    {"srad", {"image"}, 1, 1, 2, 2, REF_EDGE, ref_srad},
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
    {"star2d1r", {"grid"}, 1, 1, 2, 1, REF_KEEP, ref_star2d1r},
    {"star2d2r", {"grid"}, 1, 1, 2, 2, REF_KEEP, ref_star2d2r},
    {"star2d3r", {"grid"}, 1, 1, 2, 3, REF_KEEP, ref_star2d3r},
    {"star2d4r", {"grid"}, 1, 1, 2, 4, REF_KEEP, ref_star2d4r},
    {"star3d1r", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_star3d1r},
    {"star3d2r", {"grid"}, 1, 1, 3, 2, REF_KEEP, ref_star3d2r},
    {"star3d3r", {"grid"}, 1, 1, 3, 3, REF_KEEP, ref_star3d3r},
    {"star3d4r", {"grid"}, 1, 1, 3, 4, REF_KEEP, ref_star3d4r},
    {"box2d1r", {"grid"}, 1, 1, 2, 1, REF_KEEP, ref_box2d1r},
    {"box2d2r", {"grid"}, 1, 1, 2, 2, REF_KEEP, ref_box2d2r},
    {"box2d3r", {"grid"}, 1, 1, 2, 3, REF_KEEP, ref_box2d3r},
    {"box2d4r", {"grid"}, 1, 1, 2, 4, REF_KEEP, ref_box2d4r},
    {"box3d1r", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_box3d1r},
    {"box3d2r", {"grid"}, 1, 1, 3, 2, REF_KEEP, ref_box3d2r},
    {"box3d3r", {"grid"}, 1, 1, 3, 3, REF_KEEP, ref_box3d3r},
    {"box3d4r", {"grid"}, 1, 1, 3, 4, REF_KEEP, ref_box3d4r},
    {"j2d5pt", {"grid"}, 1, 1, 2, 1, REF_KEEP, ref_j2d5pt},
    {"j2d9pt", {"grid"}, 1, 1, 2, 2, REF_KEEP, ref_j2d9pt},
    {"j2d9pt-gol", {"grid"}, 1, 1, 2, 1, REF_KEEP, ref_j2d9pt_gol},
    {"j3d27pt", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_j3d27pt},
    {"leggy13", {"grid"}, 1, 1, 3, 2, REF_KEEP, ref_leggy13},
    {"leggy19", {"grid"}, 1, 1, 3, 3, REF_KEEP, ref_leggy19},
    {"dense19", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_dense19},
    {"dense27", {"grid"}, 1, 1, 3, 1, REF_KEEP, ref_dense27},
    {"fd_x", {"field"}, 1, 1, 3, 4, REF_ZERO, ref_fd_x},
    {"fd_y", {"field"}, 1, 1, 3, 4, REF_ZERO, ref_fd_y},
    {"fd_z", {"field"}, 1, 1, 3, 4, REF_ZERO, ref_fd_z},
    {"fd_xy", {"field"}, 1, 1, 3, 4, REF_ZERO, ref_fd_xy},
    {"fd_xyz", {"field"}, 1, 1, 3, 4, REF_ZERO, ref_fd_xyz},
    {"acoustic_iso", {"u", "v", "vp"}, 3, 1, 3, 4, REF_ZERO, ref_acoustic_iso},
    {"elastic2d",
     {"vx", "vy", "sxx", "syy", "sxy", "b", "lambda", "mu"},
     8,
     5,
     2,
     3,
     REF_ZERO,
     ref_elastic2d},
    {"elastic3d",
     {"vx", "vy", "vz", "sxx", "syy", "szz", "sxy", "sxz", "syz", "b", "lambda", "mu"},
     12,
     9,
     3,
     3,
     REF_ZERO,
     ref_elastic3d},
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
