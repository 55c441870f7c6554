/* Elastic waves on a staggered grid: velocity a lies half a point further along axis a,
 * the shear stress of axes a and b half a point along both. Outside the grid the fields
 * are zero, and the medium is that of the nearest point. */
#include "ref/ref.h"

enum { AXES = 3 };

struct step {
    const struct ref_problem *p;
    int axes;
    const float *b, *lambda, *mu;
};

static size_t index_of(const struct ref_problem *p, const int at[AXES])
{
    return ((size_t)at[2] * (size_t)p->ny + (size_t)at[1]) * (size_t)p->nx +
           (size_t)at[0];
}

static double field(const struct ref_problem *p, const float *u, const int at[AXES],
                    int axis, int offset)
{
    const int n[AXES] = {p->nx, p->ny, p->nz};
    int there[AXES] = {at[0], at[1], at[2]};

    there[axis] += offset;
    return there[axis] < 0 || there[axis] >= n[axis] ? 0 : u[index_of(p, there)];
}

/* The derivative half a point after 'at' along an axis, or before it: exact for
 * polynomials of degree 4. */
static double slope(const struct step *s, const float *u, const int at[AXES], int axis,
                    int after)
{
    const struct ref_problem *p = s->p;
    double near = field(p, u, at, axis, after) - field(p, u, at, axis, after - 1);
    double far = field(p, u, at, axis, after + 1) - field(p, u, at, axis, after - 2);

    return 9.0 / 8 * near - far / 24;
}

/* At the point, or one further along up to two axes (-1: none), or at the border. */
static double medium(const struct step *s, const float *m, const int at[AXES], int a,
                     int b)
{
    const int n[AXES] = {s->p->nx, s->p->ny, s->p->nz};
    int there[AXES] = {at[0], at[1], at[2]};

    if (a >= 0 && there[a] < n[a] - 1)
        there[a]++;
    if (b >= 0 && there[b] < n[b] - 1)
        there[b]++;
    return m[index_of(s->p, there)];
}

/* The stress of axes a and b among the grids: normal stresses come first. */
static int stress(const struct step *s, int a, int b)
{
    return a == b ? a : s->axes + a + b - 1;
}

static double accelerated(const struct step *s, const float *const in[],
                          const int at[AXES], int a)
{
    double force = 0;

    for (int b = 0; b < s->axes; b++)
        force += slope(s, in[s->axes + stress(s, a, b)], at, b, a == b);
    return in[a][index_of(s->p, at)] +
           (medium(s, s->b, at, -1, -1) + medium(s, s->b, at, a, -1)) / 2 * force;
}

static double stretched(const struct step *s, float *const v[], const int at[AXES], int a)
{
    size_t i = index_of(s->p, at);
    double volume = 0;

    for (int b = 0; b < s->axes; b++)
        volume += slope(s, v[b], at, b, 0);
    return s->lambda[i] * volume + 2.0 * s->mu[i] * slope(s, v[a], at, a, 0);
}

static double sheared(const struct step *s, float *const v[], const int at[AXES], int a,
                      int b)
{
    double compliance =
        (1 / medium(s, s->mu, at, -1, -1) + 1 / medium(s, s->mu, at, a, -1) +
         1 / medium(s, s->mu, at, b, -1) + 1 / medium(s, s->mu, at, a, b)) /
        4;

    return (slope(s, v[a], at, b, 1) + slope(s, v[b], at, a, 1)) / compliance;
}

typedef void at_fn(const struct step *s, const float *const in[], float *const out[],
                   const int at[AXES]);

static void new_velocities(const struct step *s, const float *const in[],
                           float *const out[], const int at[AXES])
{
    for (int a = 0; a < s->axes; a++)
        out[a][index_of(s->p, at)] = (float)accelerated(s, in, at, a);
}

static void new_stresses(const struct step *s, const float *const in[],
                         float *const out[], const int at[AXES])
{
    size_t i = index_of(s->p, at);

    for (int a = 0; a < s->axes; a++)
        for (int b = a; b < s->axes; b++) {
            int k = s->axes + stress(s, a, b);

            out[k][i] = (float)(in[k][i] + (a == b ? stretched(s, out, at, a)
                                                   : sheared(s, out, at, a, b)));
        }
}

static void everywhere(const struct step *s, const float *const in[], float *const out[],
                       at_fn *f)
{
    int at[AXES];

    for (at[2] = 0; at[2] < (s->axes == AXES ? s->p->nz : 1); at[2]++)
        for (at[1] = 0; at[1] < s->p->ny; at[1]++)
            for (at[0] = 0; at[0] < s->p->nx; at[0]++)
                f(s, in, out, at);
}

/* The grids of the state come first: 'grids' of them. */
static void elastic(const struct ref_problem *p, const float *const in[],
                    float *const out[], int axes)
{
    int grids = axes + axes * (axes + 1) / 2;
    struct step s = {p, axes, in[grids], in[grids + 1], in[grids + 2]};

    everywhere(&s, in, out, new_velocities);
    everywhere(&s, in, out, new_stresses);
}

void ref_elastic2d(const struct ref_problem *p, const float *const in[],
                   float *const out[])
{
    elastic(p, in, out, 2);
}

void ref_elastic3d(const struct ref_problem *p, const float *const in[],
                   float *const out[])
{
    elastic(p, in, out, 3);
}
