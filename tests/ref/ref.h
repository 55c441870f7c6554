/* Plain C references of the benchmark programs, written from the mathematics. They are
 * what a generated kernel is compared with, so nothing here is ever printed by lift.
 *
 * A grid is an array of floats, row-major, x fastest: element (x, y, z) is at
 * (z * ny + y) * nx + x. Neighbours: N is y-1, S y+1, W x-1, E x+1, F (front) z-1, B
 * (back) z+1. Sums are carried in double and rounded to float once, when stored. */
#ifndef LIFT_TESTS_REF_H
#define LIFT_TESTS_REF_H

#include <stddef.h>

enum { REF_MAX_INPUTS = 19, REF_MAX_OUTPUTS = 19 };

/* All sizes are at least 1; a program of two dimensions reads nz as 1. */
struct ref_problem {
    int nx, ny, nz;
    int layer; /* width of an absorbing layer, in programs that have one */
};

/* The boundary value of a program. */
enum ref_border {
    REF_KEEP, /* cells nearer to the border than the radius keep the first input's value
               */
    REF_EDGE, /* the nearest cell of the grid is read */
    REF_ZERO, /* zero is read */
    REF_WRAP, /* the cell at the other end is read */
};

/* One step: every element of every output is written; inputs and outputs do not overlap.
 */
typedef void ref_fn(const struct ref_problem *p, const float *const in[],
                    float *const out[]);

struct ref_program {
    const char *name;
    const char *inputs[REF_MAX_INPUTS]; /* in the order of 'in' */
    int input_count, output_count;
    int dims;   /* 2 or 3 */
    int radius; /* of the neighbourhood */
    enum ref_border border;
    ref_fn *fn;
};

/* Ended by an entry without a name. */
extern const struct ref_program ref_programs[];

/* NULL without a reference of that name. */
const struct ref_program *ref_find(const char *name);
size_t ref_cells(const struct ref_program *program, const struct ref_problem *p);

ref_fn ref_stencil2d, ref_gaussian, ref_gradient, ref_jacobi2d5, ref_jacobi2d9;
ref_fn ref_jacobi3d7, ref_jacobi3d13, ref_jacobi3d19, ref_jacobi3d27, ref_poisson,
    ref_heat;
ref_fn ref_hotspot2d, ref_hotspot3d, ref_srad, ref_srad1, ref_srad2;
ref_fn ref_acoustic;

ref_fn ref_star2d1r, ref_star2d2r, ref_star2d3r, ref_star2d4r;
ref_fn ref_star3d1r, ref_star3d2r, ref_star3d3r, ref_star3d4r;
ref_fn ref_box2d1r, ref_box2d2r, ref_box2d3r, ref_box2d4r;
ref_fn ref_box3d1r, ref_box3d2r, ref_box3d3r, ref_box3d4r;
ref_fn ref_j2d5pt, ref_j2d9pt, ref_j2d9pt_gol, ref_j3d27pt;
ref_fn ref_leggy13, ref_leggy19, ref_dense19, ref_dense27;
ref_fn ref_fd_x, ref_fd_y, ref_fd_z, ref_fd_xy, ref_fd_xyz;
ref_fn ref_acoustic_iso, ref_elastic2d, ref_elastic3d;
ref_fn ref_acoustic_vd, ref_acoustic_pml, ref_acoustic_vti, ref_acoustic_tti;
ref_fn ref_lbm_d2q9, ref_lbm_d3q19, ref_shallow_water;

#endif
