/* Differences of eighth order, and the acoustic wave equation that is solved with them.
 * Outside the grid the field is zero. */
#include "ref/differences.h"

enum { RADIUS = 4, AXES = REF_AXES };

const double ref_spacing[AXES] = {10, 12.5, 8};

double ref_field(const struct ref_problem *p, const float *u, const int at[AXES])
{
    if (at[0] < 0 || at[0] >= p->nx || at[1] < 0 || at[1] >= p->ny || at[2] < 0 ||
        at[2] >= p->nz)
        return 0;
    return u[((size_t)at[2] * (size_t)p->ny + (size_t)at[1]) * (size_t)p->nx +
             (size_t)at[0]];
}

double ref_second(const struct ref_problem *p, const float *u, const int at[AXES],
                  int axis)
{
    static const double weight[2 * RADIUS + 1] = {
        -1.0 / 560, 8.0 / 315, -1.0 / 5,  8.0 / 5,    -205.0 / 72,
        8.0 / 5,    -1.0 / 5,  8.0 / 315, -1.0 / 560,
    };
    double sum = 0;

    for (int i = 0; i < 2 * RADIUS + 1; i++) {
        int there[AXES] = {at[0], at[1], at[2]};

        there[axis] += i - RADIUS;
        sum += weight[i] * ref_field(p, u, there);
    }
    return sum / (ref_spacing[axis] * ref_spacing[axis]);
}

/* The sum of the second derivatives along axes 'first' to 'last'. */
static void derive(const struct ref_problem *p, const float *u, float *out, int first,
                   int last)
{
    int at[AXES];

    for (at[2] = 0; at[2] < p->nz; at[2]++)
        for (at[1] = 0; at[1] < p->ny; at[1]++)
            for (at[0] = 0; at[0] < p->nx; at[0]++) {
                double sum = 0;

                for (int axis = first; axis <= last; axis++)
                    sum += ref_second(p, u, at, axis);
                *out++ = (float)sum;
            }
}

void ref_fd_x(const struct ref_problem *p, const float *const in[], float *const out[])
{
    derive(p, in[0], out[0], 0, 0);
}

void ref_fd_y(const struct ref_problem *p, const float *const in[], float *const out[])
{
    derive(p, in[0], out[0], 1, 1);
}

void ref_fd_z(const struct ref_problem *p, const float *const in[], float *const out[])
{
    derive(p, in[0], out[0], 2, 2);
}

void ref_fd_xy(const struct ref_problem *p, const float *const in[], float *const out[])
{
    derive(p, in[0], out[0], 0, 1);
}

void ref_fd_xyz(const struct ref_problem *p, const float *const in[], float *const out[])
{
    derive(p, in[0], out[0], 0, 2);
}

/* Inputs: the field now, the field one step ago, (velocity * time step)^2. */
void ref_acoustic_iso(const struct ref_problem *p, const float *const in[],
                      float *const out[])
{
    size_t i = 0;
    int at[AXES];

    for (at[2] = 0; at[2] < p->nz; at[2]++)
        for (at[1] = 0; at[1] < p->ny; at[1]++)
            for (at[0] = 0; at[0] < p->nx; at[0]++, i++) {
                double laplacian = 0;

                for (int axis = 0; axis < AXES; axis++)
                    laplacian += ref_second(p, in[0], at, axis);
                out[0][i] = (float)(2.0 * in[0][i] - in[1][i] + in[2][i] * laplacian);
            }
}
