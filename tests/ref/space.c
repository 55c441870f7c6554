/* Three-dimensional programs that update the interior and keep the border. */
#include "ref/grid.h"

static double jacobi3d7(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    return 0.161 * c[1] + 0.162 * c[-1] + 0.163 * c[sy] + 0.164 * c[-sy] + 0.165 * c[sz] +
           0.166 * c[-sz] - 1.67 * c[0];
}

/* The two neighbours at 'distance' on each axis. */
static double on_axes(const float *c, ptrdiff_t sy, ptrdiff_t sz, int distance)
{
    return (double)c[-distance] + c[distance] + c[-distance * sy] + c[distance * sy] +
           c[-distance * sz] + c[distance * sz];
}

static double jacobi3d13(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    return 0.083 * (on_axes(c, sy, sz, 1) + on_axes(c, sy, sz, 2)) - 0.996 * c[0];
}

/* The nine points around 'c' in its plane, weighted row by row from the north-west. */
static double plane9(const float *c, ptrdiff_t sy, const double weight[9])
{
    double sum = 0;

    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum += weight[3 * j + i] * c[(j - 1) * sy + (i - 1)];
    return sum;
}

/* The published formula reads 17 points: the middle plane, and only the four corners of
 * the planes before and behind it. */
static double jacobi3d19(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const double front[9] = {0.5, 0, 0.5, 0, 0, 0, 0.5, 0, 0.5};
    static const double middle[9] = {0.51, 0.71, 0.91, 1.21, 1.51,
                                     1.21, 0.91, 0.71, 0.51};
    static const double back[9] = {0.52, 0, 0.52, 0, 0, 0, 0.52, 0, 0.52};

    return (plane9(c - sz, sy, front) + plane9(c, sy, middle) +
            plane9(c + sz, sy, back)) /
           159;
}

static double jacobi3d27(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const double front[9] = {0.5, 0.7, 0.9, 1.2, 1.5, 1.2, 0.9, 0.7, 0.5};
    static const double middle[9] = {0.51, 0.71, 0.91, 1.21, 1.51,
                                     1.21, 0.91, 0.71, 0.51};
    static const double back[9] = {0.52, 0.72, 0.92, 1.22, 1.52, 1.22, 0.92, 0.72, 0.52};

    return (plane9(c - sz, sy, front) + plane9(c, sy, middle) +
            plane9(c + sz, sy, back)) /
           159;
}

/* The four diagonal neighbours in the plane of two axes. */
static double diagonals(const float *c, ptrdiff_t a, ptrdiff_t b)
{
    return (double)c[-a - b] + c[-a + b] + c[a - b] + c[a + b];
}

static double poisson(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    double edges = diagonals(c, 1, sy) + diagonals(c, 1, sz) + diagonals(c, sy, sz);

    return 2.666 * c[0] - 0.166 * on_axes(c, sy, sz, 1) - 0.0833 * edges;
}

/* Second difference along one axis. */
static double bend(const float *c, ptrdiff_t stride)
{
    return (double)c[-stride] - 2.0 * c[0] + c[stride];
}

static double heat(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    return 0.125 * bend(c, sz) + 0.125 * bend(c, sy) + 0.125 * bend(c, 1) + c[0];
}

void ref_jacobi3d7(const struct ref_problem *p, const float *const in[],
                   float *const out[])
{
    ref_interior3(p, 1, jacobi3d7, in[0], out[0]);
}

void ref_jacobi3d13(const struct ref_problem *p, const float *const in[],
                    float *const out[])
{
    ref_interior3(p, 2, jacobi3d13, in[0], out[0]);
}

void ref_jacobi3d19(const struct ref_problem *p, const float *const in[],
                    float *const out[])
{
    ref_interior3(p, 1, jacobi3d19, in[0], out[0]);
}

void ref_jacobi3d27(const struct ref_problem *p, const float *const in[],
                    float *const out[])
{
    ref_interior3(p, 1, jacobi3d27, in[0], out[0]);
}

void ref_poisson(const struct ref_problem *p, const float *const in[], float *const out[])
{
    ref_interior3(p, 1, poisson, in[0], out[0]);
}

void ref_heat(const struct ref_problem *p, const float *const in[], float *const out[])
{
    ref_interior3(p, 1, heat, in[0], out[0]);
}
