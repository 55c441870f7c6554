/* Two-dimensional programs that update the interior and keep the border. */
#include "ref/grid.h"
#include <math.h>

/* SHOC's nine-point stencil with its default weights, which sum to 1.05. */
static double stencil2d(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    double cardinal = (double)c[-sy] + c[sy] + c[-1] + c[1];
    double diagonal = (double)c[-sy - 1] + c[-sy + 1] + c[sy - 1] + c[sy + 1];

    (void)sz;
    return 0.25 * c[0] + 0.15 * cardinal + 0.05 * diagonal;
}

static double gaussian(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const int weight[5][5] = {
        {2, 4, 5, 4, 2},  {4, 9, 12, 9, 4}, {5, 12, 15, 12, 5},
        {4, 9, 12, 9, 4}, {2, 4, 5, 4, 2},
    };
    double sum = 0;

    (void)sz;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            sum += weight[j][i] * (double)c[(j - 2) * sy + (i - 2)];
    return sum / 159;
}

static double square(double x)
{
    return x * x;
}

static double gradient(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    double n = (double)c[0] - c[-sy];
    double s = (double)c[0] - c[sy];
    double w = (double)c[0] - c[-1];
    double e = (double)c[0] - c[1];

    (void)sz;
    return c[0] + 1 / sqrt(0.0001 + square(n) + square(s) + square(w) + square(e));
}

static double jacobi2d5(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    (void)sz;
    return (5.0 * c[-sy] + 12.0 * c[-1] + 15.0 * c[0] + 5.0 * c[sy] + 12.0 * c[1]) / 118;
}

static double jacobi2d9(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    double north = 7.0 * c[-sy - 1] + 5.0 * c[-sy] + 9.0 * c[-sy + 1];
    double middle = 12.0 * c[-1] + 15.0 * c[0] + 12.0 * c[1];
    double south = 9.0 * c[sy - 1] + 5.0 * c[sy] + 7.0 * c[sy + 1];

    (void)sz;
    return (north + middle + south) / 118;
}

void ref_stencil2d(const struct ref_problem *p, const float *const in[],
                   float *const out[])
{
    ref_interior2(p, 1, stencil2d, in[0], out[0]);
}

void ref_gaussian(const struct ref_problem *p, const float *const in[],
                  float *const out[])
{
    ref_interior2(p, 2, gaussian, in[0], out[0]);
}

void ref_gradient(const struct ref_problem *p, const float *const in[],
                  float *const out[])
{
    ref_interior2(p, 1, gradient, in[0], out[0]);
}

void ref_jacobi2d5(const struct ref_problem *p, const float *const in[],
                   float *const out[])
{
    ref_interior2(p, 1, jacobi2d5, in[0], out[0]);
}

void ref_jacobi2d9(const struct ref_problem *p, const float *const in[],
                   float *const out[])
{
    ref_interior2(p, 1, jacobi2d9, in[0], out[0]);
}
