/* Lattice Boltzmann, D2Q9: a plain loop nest. Distributions come from upstream, and
 * relax.
 *
 * reference
 *   program lbm_d2q9
 *   plain
 *   with    wrapped.h
 *   types   f32 f64
 *   kernel  lbm_d2q9_plain
 *   args    f0 f1 f2 f3 f4 f5 f6 f7 f8 omega g0 g1 g2 g3 g4 g5 g6 g7 g8
 */
static inline REAL relax(REAL f, REAL omega, REAL w, REAL cu, REAL rest)
{
    return f + omega * (w * (rest + 3 * cu + (REAL)4.5 * cu * cu) - f);
}

/* The source row of row 'y' for the distributions that move by cy. */
static inline const REAL *upstream(const void *f, long y, long cy)
{
    return (const REAL *)f + (y - cy + NY) % NY * NX;
}

static void row(void *const *args, REAL omega, long y)
{
    const REAL *f0 = upstream(args[0], y, 0), *f1 = upstream(args[1], y, 0);
    const REAL *f2 = upstream(args[2], y, 1), *f3 = upstream(args[3], y, 0);
    const REAL *f4 = upstream(args[4], y, -1), *f5 = upstream(args[5], y, 1);
    const REAL *f6 = upstream(args[6], y, 1), *f7 = upstream(args[7], y, -1);
    const REAL *f8 = upstream(args[8], y, -1);
    REAL *g[9];

    for (int k = 0; k < 9; k++)
        g[k] = (REAL *)args[10 + k] + y * NX;

#define POINT(x, west, east)                                                             \
    do {                                                                                 \
        const REAL a0 = f0[x], a1 = f1[west], a2 = f2[x], a3 = f3[east], a4 = f4[x];     \
        const REAL a5 = f5[west], a6 = f6[east], a7 = f7[east], a8 = f8[west];           \
        const REAL rho = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8;                     \
        const REAL ux = (a1 - a3 + a5 - a6 - a7 + a8) / rho;                             \
        const REAL uy = (a2 - a4 + a5 + a6 - a7 - a8) / rho;                             \
        const REAL rest = 1 - (REAL)1.5 * (ux * ux + uy * uy);                           \
        const REAL w0 = (REAL)(4. / 9) * rho, w1 = (REAL)(1. / 9) * rho;                 \
        const REAL w2 = (REAL)(1. / 36) * rho;                                           \
                                                                                         \
        g[0][x] = relax(a0, omega, w0, 0, rest);                                         \
        g[1][x] = relax(a1, omega, w1, ux, rest);                                        \
        g[2][x] = relax(a2, omega, w1, uy, rest);                                        \
        g[3][x] = relax(a3, omega, w1, -ux, rest);                                       \
        g[4][x] = relax(a4, omega, w1, -uy, rest);                                       \
        g[5][x] = relax(a5, omega, w2, ux + uy, rest);                                   \
        g[6][x] = relax(a6, omega, w2, uy - ux, rest);                                   \
        g[7][x] = relax(a7, omega, w2, -ux - uy, rest);                                  \
        g[8][x] = relax(a8, omega, w2, ux - uy, rest);                                   \
    } while (0)
    WRAPPED_ROW(POINT);
}

void lbm_d2q9_plain_call(void *const *args)
{
    const REAL omega = *(const REAL *)args[9];

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++)
        row(args, omega, y);
}
