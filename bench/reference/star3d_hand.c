// clang-format off
/* Weighted sums over a star of radius 1, one sweep tuned by hand: rows of whole aligned
 * vectors, two planes per iteration, neighbours along x by shuffles of aligned vectors,
 * the next row prefetched, non-temporal stores. Boundary values are kept.
 *
 * reference
 *   program star3d1r   R=1
 *   program jacobi3d7  R=1 X={.162,-1.67,.161} Y={.164,0,.163} Z={.166,0,.165}
 *   program heat       R=1 X={.125,.25,.125} Y={.125,0,.125} Z={.125,0,.125}
 *   with    star3d.h simd.h
 *   types   f32 f64
 *   multiple NX, 16
 *   halo    1
 *   rows    16
 *   kernel  star3d_hand
 *   args    grid out
 */
// clang-format on
#include <stdbool.h>

enum { AT_ONCE = 2, BLOCK_Y = 32 };

static inline long least(long a, long b)
{
    return a < b ? a : b;
}

INLINE vec sum_of(const REAL *in, vec left, vec here, vec right, vec below, vec above)
{
    return ALONG_X(-1) * BETWEEN(left, here, W - 1) + ALONG_X(0) * here +
           ALONG_X(1) * BETWEEN(here, right, 1) + ALONG_Y(-1) * LOAD(in - PITCH) +
           ALONG_Y(1) * LOAD(in + PITCH) + ALONG_Z(-1) * below + ALONG_Z(1) * above;
}

/* The first and the last point of a row are kept. */
INLINE vec keep_ends(vec sum, vec here, long x)
{
    if (x == 0)
        sum[0] = here[0];
    if (x == NX - W)
        sum[W - 1] = here[W - 1];
    return sum;
}

/* One row of 'planes' planes, the border of the row kept. */
INLINE void sweep_row(const REAL *restrict in, REAL *restrict out, int planes)
{
    vec left[AT_ONCE], here[AT_ONCE];

    for (int p = 0; p < planes; p++) {
        here[p] = LOAD(in + p * (long)PLANE);
        left[p] = here[p];
    }
    for (long x = 0; x < NX; x += W) {
        vec column[AT_ONCE + 2];

        column[0] = LOAD(in + x - PLANE);
        for (int p = 0; p < planes; p++)
            column[p + 1] = here[p];
        column[planes + 1] = LOAD(in + x + planes * (long)PLANE);
        PREFETCH(in + x - PLANE + PITCH);
        PREFETCH(in + x + planes * (long)PLANE + PITCH);
#pragma GCC unroll 2
        for (int p = 0; p < planes; p++) {
            const REAL *at = in + p * (long)PLANE + x;
            const vec right = x < NX - W ? LOAD(at + W) : here[p];
            vec sum = sum_of(at, left[p], here[p], right, column[p], column[p + 2]);

            PREFETCH(at + 2 * (long)PITCH);
            stream(out + p * (long)PLANE + x, keep_ends(sum, here[p], x));
            left[p] = here[p];
            here[p] = right;
        }
    }
}

INLINE void copy_row(const REAL *restrict in, REAL *restrict out)
{
    for (long x = 0; x < NX; x += W)
        stream(out + x, LOAD(in + x));
}

/* A row of planes z and z + 1, as far as these are there. */
static void do_row(const REAL *restrict in, REAL *restrict out, long z, long y)
{
    const bool two = z + 1 < NZ, edge = y == 0 || y == NY - 1;
    const bool inner = z > 0 && z < NZ - 1, next = two && z + 1 < NZ - 1;

    if (!edge && inner && next) {
        sweep_row(in, out, 2);
        return;
    }
    if (!edge && inner)
        sweep_row(in, out, 1);
    else
        copy_row(in, out);
    if (two && !edge && next)
        sweep_row(in + PLANE, out + PLANE, 1);
    else if (two)
        copy_row(in + PLANE, out + PLANE);
}

void star3d_hand(const REAL *restrict in, REAL *restrict out)
{
#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(static) nowait
        for (long slab = 0; slab < NY; slab += BLOCK_Y)
            for (long z = 0; z < NZ; z += AT_ONCE)
                for (long y = slab; y < least(slab + BLOCK_Y, NY); y++) {
                    const long at = ORIGIN + z * PLANE + y * PITCH;

                    do_row(in + at, out + at, z, y);
                }
        fence();
    }
}

void star3d_hand_call(void *const *args)
{
    star3d_hand(args[0], args[1]);
}
