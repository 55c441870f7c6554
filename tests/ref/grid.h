/* Walks over grids that the references share. */
#ifndef LIFT_TESTS_REF_GRID_H
#define LIFT_TESTS_REF_GRID_H

#include "ref/ref.h"

/* The new value of the cell at 'c', all of whose neighbours are in the grid: the one at
 * (dx, dy, dz) is c[dx + dy * sy + dz * sz]. */
typedef double ref_point(const float *c, ptrdiff_t sy, ptrdiff_t sz);

/* Copies 'in' to 'out', then updates the cells at least 'radius' away from every border.
 */
void ref_interior2(const struct ref_problem *p, int radius, ref_point *f, const float *in,
                   float *out);
void ref_interior3(const struct ref_problem *p, int radius, ref_point *f, const float *in,
                   float *out);

/* Index of a cell and of its six neighbours; those outside are the cell itself. */
struct ref_cell {
    size_t c, n, s, w, e, f, b;
};

struct ref_cell ref_cell_at(const struct ref_problem *p, int x, int y, int z);

#endif
