/* Weighted sums over stars and boxes of any radius, and the Jacobi iterations named after
 * their shapes. They update the interior and keep the border. */
#include "ref/grid.h"

/* Where a sum is taken: 'at' is a point of the grid. */
struct place {
    const float *at;
    ptrdiff_t sy, sz;
    int radius;
};

static double value(const struct place *p, int dx, int dy, int dz)
{
    return p->at[dx + dy * p->sy + dz * p->sz];
}

/* The k-th of 'points' points, counted from 1, has weight points + k over the sum of all
 * weights. */
static double share(int k, int points)
{
    return (points + k) / (points * (points + (points + 1) / 2.0));
}

/* Points are counted along x first, then y, then z. */
static double box(const struct place *p, int dims)
{
    int r = p->radius, rz = dims == 3 ? r : 0, side = 2 * r + 1;
    int points = side * side * (2 * rz + 1), k = 0;
    double sum = 0;

    for (int dz = -rz; dz <= rz; dz++)
        for (int dy = -r; dy <= r; dy++)
            for (int dx = -r; dx <= r; dx++)
                sum += share(++k, points) * value(p, dx, dy, dz);
    return sum;
}

/* The points on the x axis are counted first, then those on the other axes, where the
 * centre is left out. */
static double star(const struct place *p, int dims)
{
    int r = p->radius, points = 2 * r * dims + 1, k = 0;
    double sum = 0;

    for (int d = -r; d <= r; d++)
        sum += share(++k, points) * value(p, d, 0, 0);
    for (int d = -r; d <= r; d++)
        sum += d ? share(++k, points) * value(p, 0, d, 0) : 0;
    for (int d = -r; d <= r && dims == 3; d++)
        sum += d ? share(++k, points) * value(p, 0, 0, d) : 0;
    return sum;
}

/* clang-format off */
#define FAMILY(shape, dims, radius)                                                      \
    static double shape##dims##d##radius(const float *c, ptrdiff_t sy, ptrdiff_t sz)     \
    {                                                                                    \
        return shape(&(struct place){c, sy, sz, radius}, dims);                          \
    }                                                                                    \
                                                                                         \
    void ref_##shape##dims##d##radius##r(const struct ref_problem *p,                    \
                                         const float *const in[], float *const out[])    \
    {                                                                                    \
        ref_interior##dims(p, radius, shape##dims##d##radius, in[0], out[0]);            \
    }
/* clang-format on */

FAMILY(star, 2, 1)
FAMILY(star, 2, 2)
FAMILY(star, 2, 3)
FAMILY(star, 3, 1)
FAMILY(star, 3, 2)
FAMILY(star, 3, 3)
FAMILY(star, 3, 4)
FAMILY(box, 2, 1)
FAMILY(box, 2, 2)
FAMILY(box, 2, 3)
FAMILY(box, 2, 4)
FAMILY(box, 3, 1)
FAMILY(box, 3, 2)
FAMILY(box, 3, 3)
FAMILY(box, 3, 4)

/* The published star of radius 4: weights by distance along y and along x. */
static double star2d4(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const double along_y[] = {0, 0.06245, 0.06255, 0.06251, 0.11111};
    static const double along_x[] = {0, 0.06248, 0.06243, 0.06253, -0.22220};
    double sum = 0.25005 * c[0];

    (void)sz;
    for (int d = 1; d <= 4; d++)
        sum += along_y[d] * ((double)c[-d * sy] + c[d * sy]) +
               along_x[d] * ((double)c[-d] + c[d]);
    return sum;
}

void ref_star2d4r(const struct ref_problem *p, const float *const in[],
                  float *const out[])
{
    ref_interior2(p, 4, star2d4, in[0], out[0]);
}
