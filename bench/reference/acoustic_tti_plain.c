/* Acoustic waves, tilted axis of anisotropy, 73 points: a plain loop nest on grids with a
 * halo, whose results are stored in the place of the older fields.
 *
 * reference
 *   program acoustic_tti
 *   plain
 *   with    acoustic_iso.h seconds.h
 *   types   f32 f64
 *   halo    4 fill 0
 *   stored  pn pb
 *   stored  qn qb
 *   kernel  acoustic_tti_plain
 *   args    p q pb qb vp epsilon delta tilt east north
 */
#include <math.h>

/* A first difference of fourth order along one axis, and such differences of these. */
#define SLOPE(at, step)                                                                  \
    ((REAL)(2. / 3) * ((at)[step] - (at)[-(step)]) -                                     \
     (REAL)(1. / 12) * ((at)[2 * (step)] - (at)[-2 * (step)]))
#define MIXED(at, s, t)                                                                  \
    ((REAL)(2. / 3) * (SLOPE((at) + (s), t) - SLOPE((at) - (s), t)) -                    \
     (REAL)(1. / 12) * (SLOPE((at) + 2 * (s), t) - SLOPE((at)-2 * (s), t)))

static const long Y = PITCH, Z = PLANE;

/* Second derivatives along the axis (a, b, c), and the Laplacian. */
__attribute__((always_inline)) static inline REAL derive(const REAL *f, REAL a, REAL b,
                                                         REAL c, REAL *laplacian)
{
    const REAL xx = (REAL)KX * SECOND_OF(f, 1), yy = (REAL)KY * SECOND_OF(f, PITCH);
    const REAL zz = (REAL)KZ * SECOND_OF(f, PLANE);

    *laplacian = xx + yy + zz;
    return a * a * xx + b * b * yy + c * c * zz +
           2 * ((REAL)(1 / 125.) * a * b * MIXED(f, Y, 1) +
                (REAL)(1 / 80.) * a * c * MIXED(f, Z, 1) +
                (REAL)(1 / 100.) * b * c * MIXED(f, Z, Y));
}

/* Sines and cosines of a row first: not all compilers have them for vectors. */
static void turn(const REAL *restrict tilt, REAL *restrict s, REAL *restrict c)
{
    for (long x = 0; x < NX; x++)
        s[x] = sizeof(REAL) == 4 ? sinf(tilt[x]) : sin(tilt[x]);
    for (long x = 0; x < NX; x++)
        c[x] = sizeof(REAL) == 4 ? cosf(tilt[x]) : cos(tilt[x]);
}

static inline void row(REAL *const *g, REAL east, REAL north, long i)
{
    const REAL *restrict p = g[0] + i, *restrict q = g[1] + i, *restrict vp = g[4] + i;
    const REAL *restrict epsilon = g[5] + i, *restrict delta = g[6] + i;
    REAL *restrict pb = g[2] + i, *restrict qb = g[3] + i;
    REAL s[NX], c[NX];

    turn(g[7] + i, s, c);
#pragma omp simd
    for (long x = 0; x < NX; x++) {
        const REAL a = s[x] * east, b = s[x] * north;
        REAL lp, lq;
        const REAL hp = derive(p + x, a, b, c[x], &lp);
        const REAL hq = derive(q + x, a, b, c[x], &lq);
        const REAL across = lp - hp + lq - hq;

        pb[x] = 2 * p[x] - pb[x] + vp[x] * ((1 + 2 * delta[x]) * across + hp);
        qb[x] = 2 * q[x] - qb[x] + vp[x] * (2 * (epsilon[x] - delta[x]) * across);
    }
}

void acoustic_tti_plain_call(void *const *args)
{
    const REAL east = *(const REAL *)args[8], north = *(const REAL *)args[9];

#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++)
            row((REAL *const *)args, east, north, ORIGIN + z * PLANE + y * PITCH);
}
