/* Flows: lattice Boltzmann methods on periodic grids, and shallow water in a basin. */
#include "ref/ref.h"

enum { MOST_VELOCITIES = 19 };

static size_t index_of(const struct ref_problem *p, int x, int y, int z)
{
    return ((size_t)z * (size_t)p->ny + (size_t)y) * (size_t)p->nx + (size_t)x;
}

/* ---- lattice Boltzmann */

/* Velocities of a lattice, in points a step, and their weights at rest. */
struct lattice {
    int count;
    int c[MOST_VELOCITIES][3];
    double weight[MOST_VELOCITIES];
};

static const double omega = 1.2;

/* Streams the distributions to a point, with periodic boundaries. */
static void arrive(const struct lattice *l, const struct ref_problem *p,
                   const float *const in[], const int at[3], double f[])
{
    const int n[3] = {p->nx, p->ny, l->count > 9 ? p->nz : 1};

    for (int k = 0; k < l->count; k++) {
        int from[3];

        for (int a = 0; a < 3; a++)
            from[a] = (at[a] - l->c[k][a] + n[a]) % n[a];
        f[k] = in[k][index_of(p, from[0], from[1], from[2])];
    }
}

static double product(const double a[3], const int b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void collide(const struct lattice *l, double f[])
{
    double rho = 0, u[3] = {0}, square = 0;

    for (int k = 0; k < l->count; k++) {
        rho += f[k];
        for (int a = 0; a < 3; a++)
            u[a] += f[k] * l->c[k][a];
    }
    for (int a = 0; a < 3; a++) {
        u[a] /= rho;
        square += u[a] * u[a];
    }
    for (int k = 0; k < l->count; k++) {
        double cu = product(u, l->c[k]);
        double rest =
            l->weight[k] * rho * (1 + 3 * cu + 9.0 / 2 * cu * cu - 3.0 / 2 * square);

        f[k] += omega * (rest - f[k]);
    }
}

static void boltzmann(const struct lattice *l, const struct ref_problem *p,
                      const float *const in[], float *const out[])
{
    int depth = l->count > 9 ? p->nz : 1;

    for (int z = 0; z < depth; z++)
        for (int y = 0; y < p->ny; y++)
            for (int x = 0; x < p->nx; x++) {
                double f[MOST_VELOCITIES];

                arrive(l, p, in, (const int[]){x, y, z}, f);
                collide(l, f);
                for (int k = 0; k < l->count; k++)
                    out[k][index_of(p, x, y, z)] = (float)f[k];
            }
}

void ref_lbm_d2q9(const struct ref_problem *p, const float *const in[],
                  float *const out[])
{
    static const struct lattice l = {
        9,
        {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}},
        {4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 36, 1.0 / 36, 1.0 / 36,
         1.0 / 36},
    };

    boltzmann(&l, p, in, out);
}

void ref_lbm_d3q19(const struct ref_problem *p, const float *const in[],
                   float *const out[])
{
    struct lattice l = {
        19,
        {{0, 0, 0},
         {1, 0, 0},
         {-1, 0, 0},
         {0, 1, 0},
         {0, -1, 0},
         {0, 0, 1},
         {0, 0, -1},
         {1, 1, 0},
         {-1, -1, 0},
         {1, -1, 0},
         {-1, 1, 0},
         {1, 0, 1},
         {-1, 0, -1},
         {1, 0, -1},
         {-1, 0, 1},
         {0, 1, 1},
         {0, -1, -1},
         {0, 1, -1},
         {0, -1, 1}},
        {0},
    };

    for (int k = 0; k < l.count; k++)
        l.weight[k] = k == 0 ? 1.0 / 3 : k <= 6 ? 1.0 / 18 : 1.0 / 36;
    boltzmann(&l, p, in, out);
}

/* ---- shallow water: eta, u, v, depth */

static const double gravity = 0.0981, step = 0.01;

static int at_most(int i, int last)
{
    return i < last ? i : last;
}

/* The height of the water halfway to a neighbour, which may lie outside. */
static double height(const struct ref_problem *p, const float *const in[], int x, int y,
                     int dx, int dy)
{
    int there_x = at_most(x + dx < 0 ? 0 : x + dx, p->nx - 1);
    int there_y = at_most(y + dy < 0 ? 0 : y + dy, p->ny - 1);
    size_t here = index_of(p, x, y, 0), there = index_of(p, there_x, there_y, 0);

    return ((double)in[0][here] + in[3][here] + in[0][there] + in[3][there]) / 2;
}

static void push(const struct ref_problem *p, const float *const in[], float *const out[],
                 int x, int y)
{
    size_t i = index_of(p, x, y, 0);
    size_t east = index_of(p, at_most(x + 1, p->nx - 1), y, 0);
    size_t south = index_of(p, x, at_most(y + 1, p->ny - 1), 0);

    out[1][i] = (float)(in[1][i] - gravity * ((double)in[0][east] - in[0][i]));
    out[2][i] = (float)(in[2][i] - gravity * ((double)in[0][south] - in[0][i]));
}

static void rise(const struct ref_problem *p, const float *const in[], float *const out[],
                 int x, int y)
{
    size_t i = index_of(p, x, y, 0);
    double flow =
        out[1][i] * height(p, in, x, y, 1, 0) + out[2][i] * height(p, in, x, y, 0, 1);

    if (x > 0)
        flow -= out[1][i - 1] * height(p, in, x, y, -1, 0);
    if (y > 0)
        flow -= out[2][i - (size_t)p->nx] * height(p, in, x, y, 0, -1);
    out[0][i] = (float)(in[0][i] - step * flow);
}

void ref_shallow_water(const struct ref_problem *p, const float *const in[],
                       float *const out[])
{
    for (int y = 0; y < p->ny; y++)
        for (int x = 0; x < p->nx; x++)
            push(p, in, out, x, y);
    for (int y = 0; y < p->ny; y++)
        for (int x = 0; x < p->nx; x++)
            rise(p, in, out, x, y);
}
