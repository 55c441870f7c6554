/* Points off a grid, for 'inject' and 'sample'. In each dimension, a point has a corner,
 * which is the first of q elements around the point, and a weight for each element. */
#ifndef LIFT_POINTS_H
#define LIFT_POINTS_H

#include "lift/api.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The maximal number of weights of a point along a dimension. */
enum { LIFT_POINT_WEIGHTS = 16 };

/* Computes corner and weights for position 'x', in elements from the first element, in a
 * dimension of 'length' elements. 'width' is q:
 *
 *     2          linear: c = floor(x); w[0] = 1 - (x - c), w[1] = x - c
 *     4 .. 16    even, with r = q / 2: c = floor(x) - r + 1;
 *                w[k] = sinc(t) I0(b sqrt(1 - (t / r)^2)) / I0(b), t = x - c - k,
 *                sinc(t) = sin(pi t) / (pi t)
 *
 * I0 is the modified Bessel function of order zero. b minimises the largest error for
 * waves of four elements or more (Hicks, Geophysics 67, 2002): 2.94, 4.52, 6.31, 7.91,
 * 9.42, 10.97, 12.6 for r = 2 .. 8.
 *
 * Elements may lie outside the grid, where 'sample' reads zero and 'inject' adds
 * nothing. Returns false and writes nothing if 'x' is not within 0 .. length - 1, or the
 * width is invalid. */
LIFT_API bool lift_point_weights(double x, int64_t length, int width, int32_t *corner,
                                 double *weights);

#ifdef __cplusplus
}
#endif

#endif
