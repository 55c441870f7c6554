/* The programs of Rodinia: every cell is updated, neighbours outside are clamped. */
#include "ref/grid.h"

static const double AMBIENT = 80; /* degrees, hotspot's surroundings */

static double hotspot2d(const float *t, double power, const struct ref_cell *at)
{
    double c = t[at->c];
    double vertical = 0.1 * ((double)t[at->s] + t[at->n] - 2 * c);
    double horizontal = 0.1 * ((double)t[at->e] + t[at->w] - 2 * c);
    double sink = (AMBIENT - c) * 0.00019531250291;

    return c + 0.341333299875259 * (power + vertical + horizontal + sink);
}

/* Inputs: temperature, power. */
void ref_hotspot2d(const struct ref_problem *p, const float *const in[],
                   float *const out[])
{
    for (int y = 0; y < p->ny; y++)
        for (int x = 0; x < p->nx; x++) {
            struct ref_cell at = ref_cell_at(p, x, y, 0);

            out[0][at.c] = (float)hotspot2d(in[0], in[1][at.c], &at);
        }
}

/* W and E lie on x, N and S on y, the layers above and below on z, as in Rodinia; the
 * published functional program has x and z exchanged. */
static double hotspot3d(const float *t, double power, const struct ref_cell *at)
{
    const double side = 0.03413332998752593994;
    const double layer = 0.00053333328105509281;
    const double centre = 0.86186665296554565430;
    const double step = 0.34133329987525939941;
    double sides = (double)t[at->w] + t[at->e] + t[at->n] + t[at->s];
    double layers = (double)t[at->f] + t[at->b];

    return centre * t[at->c] + side * sides + layer * layers + step * power +
           layer * AMBIENT;
}

/* Inputs: temperature, power. */
void ref_hotspot3d(const struct ref_problem *p, const float *const in[],
                   float *const out[])
{
    for (int z = 0; z < p->nz; z++)
        for (int y = 0; y < p->ny; y++)
            for (int x = 0; x < p->nx; x++) {
                struct ref_cell at = ref_cell_at(p, x, y, z);

                out[0][at.c] = (float)hotspot3d(in[0], in[1][at.c], &at);
            }
}

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* q0 squared depends on the image in the application; the benchmark fixes it. */
static double diffusion(const float *image, const struct ref_cell *at)
{
    const double q0 = 0.053787220269;
    double c = image[at->c];
    double n = image[at->n] - c, s = image[at->s] - c;
    double w = image[at->w] - c, e = image[at->e] - c;
    double g2 = (n * n + s * s + w * w + e * e) / (c * c);
    double l = (n + s + w + e) / c;
    double num = 0.5 * g2 - l * l / 16;
    double den = 1 + 0.25 * l;
    double q = num / (den * den);

    return clamp01(1 / (1 + (q - q0) / (q0 * (1 + q0))));
}

/* Input: an image of positive values. Output: the diffusion coefficient. */
void ref_srad1(const struct ref_problem *p, const float *const in[], float *const out[])
{
    for (int y = 0; y < p->ny; y++)
        for (int x = 0; x < p->nx; x++) {
            struct ref_cell at = ref_cell_at(p, x, y, 0);

            out[0][at.c] = (float)diffusion(in[0], &at);
        }
}

/* Inputs: image, coefficient, and the differences to the N, S, E and W neighbours. */
void ref_srad2(const struct ref_problem *p, const float *const in[], float *const out[])
{
    const float *image = in[0], *coeff = in[1];
    const float *dn = in[2], *ds = in[3], *de = in[4], *dw = in[5];

    for (int y = 0; y < p->ny; y++)
        for (int x = 0; x < p->nx; x++) {
            struct ref_cell at = ref_cell_at(p, x, y, 0);
            double c = coeff[at.c], s = coeff[at.s], e = coeff[at.e];
            double sum = c * dn[at.c] + s * ds[at.c] + c * dw[at.c] + e * de[at.c];

            out[0][at.c] = (float)(image[at.c] + 0.125 * sum);
        }
}

/* Both halves. Input: an image of positive values. Output: the image after one step. */
void ref_srad(const struct ref_problem *p, const float *const in[], float *const out[])
{
    const float *image = in[0];

    for (int y = 0; y < p->ny; y++)
        for (int x = 0; x < p->nx; x++) {
            struct ref_cell at = ref_cell_at(p, x, y, 0);
            struct ref_cell south = ref_cell_at(p, x, y + 1 < p->ny ? y + 1 : y, 0);
            struct ref_cell east = ref_cell_at(p, x + 1 < p->nx ? x + 1 : x, y, 0);
            double i = image[at.c], c = diffusion(image, &at);
            double sum =
                c * (image[at.n] - i) + diffusion(image, &south) * (image[at.s] - i) +
                c * (image[at.w] - i) + diffusion(image, &east) * (image[at.e] - i);

            out[0][at.c] = (float)(i + 0.125 * sum);
        }
}
