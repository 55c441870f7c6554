/* Jacobi iterations that are named after their shapes, leggy and dense stencils. They
 * update the interior and keep the border. */
#include "ref/grid.h"

struct term {
    int dx, dy, dz;
    double weight;
};

static double total(const struct term *terms, size_t count, const float *c, ptrdiff_t sy,
                    ptrdiff_t sz)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += terms[i].weight * c[terms[i].dx + terms[i].dy * sy + terms[i].dz * sz];
    return sum;
}

#define TOTAL(terms) total(terms, sizeof(terms) / sizeof *(terms), c, sy, sz)

static double j2d5pt(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const struct term terms[] = {
        {0, -1, 0, 5.1}, {-1, 0, 0, 12.1}, {0, 0, 0, 15}, {1, 0, 0, 12.2}, {0, 1, 0, 5.2},
    };

    return TOTAL(terms) / 118;
}

static double j2d9pt(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const struct term terms[] = {
        {0, -2, 0, 7.1},  {0, -1, 0, 5.1}, {-2, 0, 0, 9.2},
        {-1, 0, 0, 12.1}, {0, 0, 0, 15},   {1, 0, 0, 12.2},
        {2, 0, 0, 9.1},   {0, 1, 0, 5.2},  {0, 2, 0, 7.2},
    };

    return TOTAL(terms) / 118;
}

static double j2d9pt_gol(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const struct term terms[] = {
        {-1, -1, 0, 7.1}, {0, -1, 0, 5.1}, {1, -1, 0, 9.2},
        {-1, 0, 0, 12.1}, {0, 0, 0, 15},   {1, 0, 0, 12.2},
        {-1, 1, 0, 9.1},  {0, 1, 0, 5.2},  {1, 1, 0, 7.2},
    };

    return TOTAL(terms) / 118;
}

/* Three planes of weights, as they lie: north-west first, the front plane first. */
static double cube(const double weight[27], const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    double sum = 0;

    for (int i = 0; i < 27; i++)
        sum += weight[i] * c[i % 3 - 1 + (i / 3 % 3 - 1) * sy + (i / 9 - 1) * sz];
    return sum;
}

static double j3d27pt(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const double weight[27] = {
        0.500, 0.700, 0.900, 1.200, 1.500, 1.201, 0.901, 0.701, 0.501,
        0.510, 0.710, 0.910, 1.210, 1.510, 1.211, 0.911, 0.711, 0.511,
        0.520, 0.720, 0.920, 1.220, 1.520, 1.221, 0.921, 0.721, 0.521,
    };

    return cube(weight, c, sy, sz) / 159;
}

static double dense19(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const double weight[27] = {
        0,     0.031, 0,     0.032, 0.081, 0.033, 0,     0.034, 0,
        0.035, 0.082, 0.036, 0.083, 0.055, 0.084, 0.037, 0.085, 0.038,
        0,     0.039, 0,     0.041, 0.086, 0.042, 0,     0.043, 0,
    };

    return cube(weight, c, sy, sz);
}

static double dense27(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    static const double weight[27] = {
        0.0034, 0.0242, 0.0054, 0.0252, 0.0563, 0.0272, 0.0074, 0.0282, 0.0094,
        0.0271, 0.0485, 0.0291, 0.0495, 0.1,    0.0515, 0.0311, 0.0525, 0.0331,
        0.0117, 0.0328, 0.0137, 0.0338, 0.0649, 0.0358, 0.0157, 0.0368, 0.0177,
    };

    return cube(weight, c, sy, sz);
}

/* Weights of the six legs: west, east, north, south, front, back. */
static double leggy(const float *c, ptrdiff_t sy, ptrdiff_t sz, int length)
{
    double sum = 0.21 * c[0];

    for (int d = 1; d <= length; d++) {
        double leg = 0.081 * c[-d] + 0.082 * c[d] + 0.083 * c[-d * sy] +
                     0.084 * c[d * sy] + 0.085 * c[-d * sz] + 0.086 * c[d * sz];

        sum += leg / (d * d);
    }
    return sum;
}

static double leggy13(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    return leggy(c, sy, sz, 2);
}

static double leggy19(const float *c, ptrdiff_t sy, ptrdiff_t sz)
{
    return leggy(c, sy, sz, 3);
}

void ref_j2d5pt(const struct ref_problem *p, const float *const in[], float *const out[])
{
    ref_interior2(p, 1, j2d5pt, in[0], out[0]);
}

void ref_j2d9pt(const struct ref_problem *p, const float *const in[], float *const out[])
{
    ref_interior2(p, 2, j2d9pt, in[0], out[0]);
}

void ref_j2d9pt_gol(const struct ref_problem *p, const float *const in[],
                    float *const out[])
{
    ref_interior2(p, 1, j2d9pt_gol, in[0], out[0]);
}

void ref_j3d27pt(const struct ref_problem *p, const float *const in[], float *const out[])
{
    ref_interior3(p, 1, j3d27pt, in[0], out[0]);
}

void ref_dense19(const struct ref_problem *p, const float *const in[], float *const out[])
{
    ref_interior3(p, 1, dense19, in[0], out[0]);
}

void ref_dense27(const struct ref_problem *p, const float *const in[], float *const out[])
{
    ref_interior3(p, 1, dense27, in[0], out[0]);
}

void ref_leggy13(const struct ref_problem *p, const float *const in[], float *const out[])
{
    ref_interior3(p, 2, leggy13, in[0], out[0]);
}

void ref_leggy19(const struct ref_problem *p, const float *const in[], float *const out[])
{
    ref_interior3(p, 3, leggy19, in[0], out[0]);
}
