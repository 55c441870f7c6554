/* Acoustic waves, tilted axis of anisotropy, 73 points, with an absorbing layer: a plain
 * loop nest on grids with a halo. Results overwrite the older fields. Each row is split
 * into layer and interior.
 *
 * reference
 *   program acoustic_tti
 *   plain
 *   with    acoustic_iso.h seconds.h
 *   types   f32 f64
 *   halo    4 fill 0
 *   stored  pn pb
 *   stored  qn qb
 *   stored  phin phi
 *   stored  chin chi
 *   kernel  acoustic_tti_plain
 *   args    p q pb qb vp epsilon delta tilt eta phi chi east north
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

/* The arrays at the beginning of a row, in the order of the arguments. */
enum { P, Q, PB, QB, VP, EPSILON, DELTA, TILT, ETA, PHI, CHI, ARRAYS };

struct row {
    REAL *g[ARRAYS];
    const REAL *s, *c; /* sine and cosine of the tilt */
    REAL east, north;
    long back, front, down, up; /* to the neighbours of eta, or to itself */
};

/* The right-hand sides of p and q at a point. */
__attribute__((always_inline)) static inline void changes(const struct row *r, long x,
                                                          REAL *dp, REAL *dq)
{
    const REAL a = r->s[x] * r->east, b = r->s[x] * r->north;
    REAL lp, lq;
    const REAL hp = derive(r->g[P] + x, a, b, r->c[x], &lp);
    const REAL hq = derive(r->g[Q] + x, a, b, r->c[x], &lq);
    const REAL across = lp - hp + lq - hq;

    *dp = (1 + 2 * r->g[DELTA][x]) * across + hp;
    *dq = 2 * (r->g[EPSILON][x] - r->g[DELTA][x]) * across;
}

static void inside(const struct row *r, long from, long to)
{
    const REAL *restrict p = r->g[P], *restrict q = r->g[Q], *restrict vp = r->g[VP];
    REAL *restrict pb = r->g[PB], *restrict qb = r->g[QB];
    REAL *restrict phi = r->g[PHI], *restrict chi = r->g[CHI];

#pragma omp simd
    for (long x = from; x < to; x++) {
        REAL dp, dq;

        changes(r, x, &dp, &dq);
        pb[x] = 2 * p[x] - pb[x] + vp[x] * dp;
        qb[x] = 2 * q[x] - qb[x] + vp[x] * dq;
        phi[x] = chi[x] = 0;
    }
}

static inline void damp(const struct row *r, const REAL *u, REAL *before, REAL *own,
                        long x, REAL change, long west, long east)
{
    const REAL *e = r->g[ETA] + x;
    const REAL eta = e[0];
    const REAL slopes =
        (REAL)(KX / 4) * (e[east] - e[west]) * (u[1] - u[-1]) +
        (REAL)(KY / 4) * (e[r->front] - e[r->back]) * (u[PITCH] - u[-PITCH]) +
        (REAL)(KZ / 4) * (e[r->up] - e[r->down]) * (u[PLANE] - u[-PLANE]);

    before[x] =
        ((2 - eta * eta + 2 * eta) * u[0] - before[x] + r->g[VP][x] * (change + own[x])) /
        (1 + 2 * eta);
    own[x] = (own[x] - slopes) / (1 + eta);
}

static inline void layer_point(const struct row *r, long x, long west, long east)
{
    REAL dp, dq;

    changes(r, x, &dp, &dq);
    damp(r, r->g[P] + x, r->g[PB], r->g[PHI], x, dp, west, east);
    damp(r, r->g[Q] + x, r->g[QB], r->g[CHI], x, dq, west, east);
}

static void layer(const struct row *r, long from, long to)
{
    if (from == 0)
        layer_point(r, 0, 0, NX > 1);
#pragma omp simd
    for (long x = from > 1 ? from : 1; x < (to < NX - 1 ? to : NX - 1); x++)
        layer_point(r, x, -1, 1);
    if (to == NX && NX > 1)
        layer_point(r, NX - 1, -1, 0);
}

static inline int is_layer(long i, long n)
{
    return i < W || i >= n - W;
}

static void row(void *const *args, long y, long z)
{
    const long left = W < NX ? W : NX, right = NX - W > left ? NX - W : left;
    REAL s[NX], c[NX];
    struct row r = {.s = s,
                    .c = c,
                    .east = *(const REAL *)args[ARRAYS],
                    .north = *(const REAL *)args[ARRAYS + 1],
                    .back = y > 0 ? -PITCH : 0,
                    .front = y < NY - 1 ? PITCH : 0,
                    .down = z > 0 ? -PLANE : 0,
                    .up = z < NZ - 1 ? PLANE : 0};

    for (int i = 0; i < ARRAYS; i++)
        r.g[i] = (REAL *)args[i] + ORIGIN + z * PLANE + y * PITCH;
    turn(r.g[TILT], s, c);
    if (is_layer(y, NY) || is_layer(z, NZ)) {
        layer(&r, 0, NX);
        return;
    }
    layer(&r, 0, left);
    inside(&r, left, right);
    layer(&r, right, NX);
}

void acoustic_tti_plain_call(void *const *args)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++)
            row(args, y, z);
}
