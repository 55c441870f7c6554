/* Differences on the grids of the seismic references; outside a grid there is zero. */
#ifndef LIFT_TESTS_REF_DIFFERENCES_H
#define LIFT_TESTS_REF_DIFFERENCES_H

#include "ref/ref.h"

enum { REF_AXES = 3 };

/* Distances between grid points along x, y and z. */
extern const double ref_spacing[REF_AXES];

/* The element at a point, which may lie outside. */
double ref_field(const struct ref_problem *p, const float *u, const int at[REF_AXES]);

/* The second derivative along one axis: the weights that are exact for polynomials of
 * degree 9. */
double ref_second(const struct ref_problem *p, const float *u, const int at[REF_AXES],
                  int axis);

#endif
