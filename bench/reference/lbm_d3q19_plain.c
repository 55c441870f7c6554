/* Lattice Boltzmann, D3Q19: a plain loop nest. Distributions come from upstream, and
 * relax.
 *
 * reference
 *   program lbm_d3q19
 *   plain
 *   with    wrapped.h
 *   types   f32 f64
 *   kernel  lbm_d3q19_plain
 *   args    omega f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 f13 f14 f15 f16 f17 f18
 *   args    g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 g10 g11 g12 g13 g14 g15 g16 g17 g18
 */
enum { Q = 19 };

/* The distributions and their velocities. */
#define EACH(DO)                                                                         \
    DO(0, 0, 0, 0)                                                                       \
    DO(1, 1, 0, 0)                                                                       \
    DO(2, -1, 0, 0)                                                                      \
    DO(3, 0, 1, 0)                                                                       \
    DO(4, 0, -1, 0)                                                                      \
    DO(5, 0, 0, 1)                                                                       \
    DO(6, 0, 0, -1)                                                                      \
    DO(7, 1, 1, 0)                                                                       \
    DO(8, -1, -1, 0)                                                                     \
    DO(9, 1, -1, 0)                                                                      \
    DO(10, -1, 1, 0)                                                                     \
    DO(11, 1, 0, 1)                                                                      \
    DO(12, -1, 0, -1)                                                                    \
    DO(13, 1, 0, -1)                                                                     \
    DO(14, -1, 0, 1)                                                                     \
    DO(15, 0, 1, 1)                                                                      \
    DO(16, 0, -1, -1)                                                                    \
    DO(17, 0, 1, -1)                                                                     \
    DO(18, 0, -1, 1)

#define LOAD(k, cx, cy, cz) const REAL a##k = f[k][(cx) > 0 ? west : (cx) < 0 ? east : x];
#define MASS(k, cx, cy, cz) +a##k
#define FLOW_X(k, cx, cy, cz) +(cx)*a##k
#define FLOW_Y(k, cx, cy, cz) +(cy)*a##k
#define FLOW_Z(k, cx, cy, cz) +(cz)*a##k
#define SPEED(cx, cy, cz) ((cx) * (cx) + (cy) * (cy) + (cz) * (cz))
#define STORE(k, cx, cy, cz)                                                             \
    g[k][x] = relax(a##k, omega, weight[SPEED(cx, cy, cz)] * rho,                        \
                    (cx)*ux + (cy)*uy + (cz)*uz, rest);

static const REAL weight[] = {1. / 3, 1. / 18, 1. / 36};

static inline REAL relax(REAL f, REAL omega, REAL w, REAL cu, REAL rest)
{
    return f + omega * (w * (rest + 3 * cu + (REAL)4.5 * cu * cu) - f);
}

__attribute__((always_inline)) static inline void
point(const REAL *const f[Q], REAL *const g[Q], REAL omega, long x, long west, long east)
{
    EACH(LOAD)
    const REAL rho = EACH(MASS);
    const REAL ux = (EACH(FLOW_X)) / rho, uy = (EACH(FLOW_Y)) / rho;
    const REAL uz = (EACH(FLOW_Z)) / rho;
    const REAL rest = 1 - (REAL)1.5 * (ux * ux + uy * uy + uz * uz);

    EACH(STORE)
}

static void row(void *const *args, long y, long z)
{
    const REAL omega = *(const REAL *)args[0];
    const REAL *f[Q];
    REAL *g[Q];

#define UPSTREAM(k, cx, cy, cz)                                                          \
    f[k] = (const REAL *)args[1 + (k)] +                                                 \
           ((z - (cz) + NZ) % NZ * NY + (y - (cy) + NY) % NY) * NX;                      \
    g[k] = (REAL *)args[1 + Q + (k)] + (z * NY + y) * NX;
    EACH(UPSTREAM)
#define POINT(x, west, east) point(f, g, omega, x, west, east)
    WRAPPED_ROW(POINT);
}

void lbm_d3q19_plain_call(void *const *args)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++)
            row(args, y, z);
}
