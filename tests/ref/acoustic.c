/* Room acoustics: the wave equation on a box whose walls absorb. */
#include "ref/grid.h"
#include <math.h>

struct constants {
    double l2, loss1, loss2;
};

static struct constants room(void)
{
    const double rate = 441, alpha = 0.005, speed = 344;
    double k = 1 / rate;
    double h =
        sqrt(3) * speed * k; /* the largest stable step in space: lambda = 1/sqrt(3) */
    double lambda = speed * k / h;

    return (struct constants){
        .l2 = lambda * lambda,
        .loss1 = 1 / (1 + lambda * alpha),
        .loss2 = 1 - lambda * alpha,
    };
}

/* The sum of the neighbours inside the grid and their number. */
static double neighbours(const float *u, const struct ref_cell *at, int *count)
{
    const size_t index[6] = {at->n, at->s, at->w, at->e, at->f, at->b};
    double sum = 0;

    *count = 0;
    for (int i = 0; i < 6; i++)
        if (index[i] != at->c) {
            sum += u[index[i]];
            ++*count;
        }
    return sum;
}

static double wave(const struct constants *k, double prev, const float *cur,
                   const struct ref_cell *at)
{
    int n;
    double sum = neighbours(cur, at, &n);
    double cf = n < 6 ? k->loss1 : 1;
    double cf2 = n < 6 ? k->loss2 : 1;

    return cf * ((2 - k->l2 * n) * cur[at->c] + k->l2 * sum - cf2 * prev);
}

/* Inputs: the pressure one step ago, the pressure now. */
void ref_acoustic(const struct ref_problem *p, const float *const in[],
                  float *const out[])
{
    struct constants k = room();

    for (int z = 0; z < p->nz; z++)
        for (int y = 0; y < p->ny; y++)
            for (int x = 0; x < p->nx; x++) {
                struct ref_cell at = ref_cell_at(p, x, y, z);

                out[0][at.c] = (float)wave(&k, in[0][at.c], in[1], &at);
            }
}
