/* Acoustic waves in media that are more than a velocity. Outside the grid the fields are
 * zero. */
#include "ref/differences.h"
#include <math.h>

enum { AXES = REF_AXES };

/* All that a step has at a point. */
struct here {
    const struct ref_problem *p;
    const float *const *in;
    int at[AXES];
    size_t i; /* the index of the point */
};

typedef void here_fn(const struct here *h, float *const out[]);

static void everywhere(const struct ref_problem *p, const float *const in[],
                       float *const out[], here_fn *f)
{
    struct here h = {.p = p, .in = in};

    for (h.at[2] = 0; h.at[2] < p->nz; h.at[2]++)
        for (h.at[1] = 0; h.at[1] < p->ny; h.at[1]++)
            for (h.at[0] = 0; h.at[0] < p->nx; h.at[0]++, h.i++)
                f(&h, out);
}

static double second(const struct here *h, int input, int axis)
{
    return ref_second(h->p, h->in[input], h->at, axis);
}

/* An input some points further along an axis. */
static double beside(const struct here *h, int input, int axis, int offset)
{
    int there[AXES] = {h->at[0], h->at[1], h->at[2]};

    there[axis] += offset;
    return ref_field(h->p, h->in[input], there);
}

/* One step of second order in time, from a field now and before. */
static float stepped(const struct here *h, int now, int before, double change)
{
    return (float)(2.0 * h->in[now][h->i] - h->in[before][h->i] + change);
}

/* ---- variable density: u, v, b, kappa */

/* The derivative of b times the derivative of u along an axis: central differences over
 * 2, 4, 6 and 8 half points, combined so that all errors up to the seventh order vanish.
 */
static double flows(const struct here *h, int axis)
{
    static const double weight[] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    double sum = 0;

    for (int m = 1; m <= 4; m++)
        for (int side = -m; side <= m; side += 2 * m) {
            double b = (h->in[2][h->i] + beside(h, 2, axis, side)) / 2;

            sum += weight[m - 1] * b * (beside(h, 0, axis, side) - h->in[0][h->i]);
        }
    return sum / (ref_spacing[axis] * ref_spacing[axis]);
}

static void vd(const struct here *h, float *const out[])
{
    double divergence = flows(h, 0) + flows(h, 1) + flows(h, 2);

    out[0][h->i] = stepped(h, 0, 1, h->in[3][h->i] * divergence);
}

void ref_acoustic_vd(const struct ref_problem *p, const float *const in[],
                     float *const out[])
{
    everywhere(p, in, out, vd);
}

/* ---- an absorbing layer: u, v, vp, eta, phi */

static int in_layer(const struct here *h)
{
    const int n[AXES] = {h->p->nx, h->p->ny, h->p->nz};

    for (int axis = 0; axis < AXES; axis++)
        if (h->at[axis] < h->p->layer || h->at[axis] >= n[axis] - h->p->layer)
            return 1;
    return 0;
}

/* The slope of eta, an input, which continues with its boundary value. */
static double eta_slope(const struct here *h, int eta, int axis)
{
    const int n[AXES] = {h->p->nx, h->p->ny, h->p->nz};
    int before = h->at[axis] > 0 ? -1 : 0;
    int after = h->at[axis] < n[axis] - 1 ? 1 : 0;

    return (beside(h, eta, axis, after) - beside(h, eta, axis, before)) /
           (2 * ref_spacing[axis]);
}

/* Where a field and the layer's own field are among inputs and outputs. */
struct damped {
    int now, before, own;    /* inputs */
    int next, next_own, eta; /* outputs, and the damping */
};

/* One step in the layer: 'change' is the change of the field without a layer. */
static void damp(const struct here *h, float *const out[], const struct damped *f,
                 double vp, double change)
{
    double eta = h->in[f->eta][h->i], own = h->in[f->own][h->i];

    out[f->next][h->i] = (float)(((2 - eta * eta + 2 * eta) * h->in[f->now][h->i] -
                                  h->in[f->before][h->i] + vp * (change + own)) /
                                 (1 + 2 * eta));
    for (int axis = 0; axis < AXES; axis++)
        own -= eta_slope(h, f->eta, axis) *
               (beside(h, f->now, axis, 1) - beside(h, f->now, axis, -1)) /
               (2 * ref_spacing[axis]);
    out[f->next_own][h->i] = (float)(own / (1 + eta));
}

static void pml(const struct here *h, float *const out[])
{
    static const struct damped u = {0, 1, 4, 0, 1, 3};
    double laplacian = second(h, 0, 0) + second(h, 0, 1) + second(h, 0, 2);

    out[0][h->i] = stepped(h, 0, 1, h->in[2][h->i] * laplacian);
    out[1][h->i] = 0;
    if (in_layer(h))
        damp(h, out, &u, h->in[2][h->i], laplacian);
}

void ref_acoustic_pml(const struct ref_problem *p, const float *const in[],
                      float *const out[])
{
    everywhere(p, in, out, pml);
}

/* ---- anisotropy: p, q, both before, vp, epsilon, delta, and the tilt of the axis */

/* Second derivatives along two axes, as one first derivative of the other. */
static double mixed(const struct here *h, int input, int a, int b)
{
    static const double weight[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
    double sum = 0;

    if (a == b)
        return second(h, input, a);
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++) {
            int there[AXES] = {h->at[0], h->at[1], h->at[2]};

            there[a] += i;
            there[b] += j;
            sum += weight[i + 2] * weight[j + 2] * ref_field(h->p, h->in[input], there);
        }
    return sum / (ref_spacing[a] * ref_spacing[b]);
}

/* The second derivative along a direction of length 1. */
static double directed(const struct here *h, int input, const double axis[AXES])
{
    double sum = 0;

    for (int a = 0; a < AXES; a++)
        for (int b = 0; b < AXES; b++)
            if (axis[a] != 0 && axis[b] != 0)
                sum += axis[a] * axis[b] * mixed(h, input, a, b);
    return sum;
}

/* The right-hand sides of p and q. */
static void changes(const struct here *h, const double axis[AXES], double change[2])
{
    double epsilon = h->in[5][h->i], delta = h->in[6][h->i];
    double along = directed(h, 0, axis);
    double across = -along - directed(h, 1, axis);

    for (int a = 0; a < AXES; a++)
        across += second(h, 0, a) + second(h, 1, a);
    change[0] = (1 + 2 * delta) * across + along;
    change[1] = 2 * (epsilon - delta) * across;
}

static void vti(const struct here *h, float *const out[])
{
    double change[2];

    changes(h, (const double[AXES]){0, 0, 1}, change);
    for (int k = 0; k < 2; k++)
        out[k][h->i] = stepped(h, k, k + 2, h->in[4][h->i] * change[k]);
}

void ref_acoustic_vti(const struct ref_problem *p, const float *const in[],
                      float *const out[])
{
    everywhere(p, in, out, vti);
}

/* The azimuth has the cosine 4/5. The layer has eta and a separate field for each wave
 * field. */
static void tti(const struct here *h, float *const out[])
{
    double tilt = h->in[7][h->i], change[2];

    changes(h, (const double[AXES]){sin(tilt) * 4 / 5, sin(tilt) * 3 / 5, cos(tilt)},
            change);
    for (int k = 0; k < 2; k++) {
        const struct damped f = {k, k + 2, 9 + k, k, 2 + k, 8};

        out[k][h->i] = stepped(h, k, k + 2, h->in[4][h->i] * change[k]);
        out[2 + k][h->i] = 0;
        if (in_layer(h))
            damp(h, out, &f, h->in[4][h->i], change[k]);
    }
}

void ref_acoustic_tti(const struct ref_problem *p, const float *const in[],
                      float *const out[])
{
    everywhere(p, in, out, tti);
}
