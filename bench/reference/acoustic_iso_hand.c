/* The acoustic wave equation, 25 points, one sweep tuned by hand: rows of whole aligned
 * vectors; two planes per iteration, which share the column along z in registers;
 * neighbours along x by shuffles of aligned vectors. Blocks of 256 points keep
 * neighbouring rows in L1, blocks of 32 rows and four planes fit L2, slabs of 128 rows
 * fit L3. The next row is prefetched; stores are non-temporal.
 *
 * reference
 *   program acoustic_iso
 *   with    acoustic_iso.h simd.h
 *   types   f32 f64
 *   multiple NX, 16
 *   halo    4 fill 0
 *   rows    32
 *   stored  next v
 *   kernel  acoustic_iso_hand
 *   args    u v vp
 */
enum { AT_ONCE = 2, BLOCK_X = 256, BLOCK_Y = 32, SLAB = 128, CHUNK = 4 };

static inline long least(long a, long b)
{
    return a < b ? a : b;
}

#define SIDES_X(left, here, right)                                                       \
    (ALONG_X(1) * (BETWEEN(left, here, W - 1) + BETWEEN(here, right, 1)) +               \
     ALONG_X(2) * (BETWEEN(left, here, W - 2) + BETWEEN(here, right, 2)) +               \
     ALONG_X(3) * (BETWEEN(left, here, W - 3) + BETWEEN(here, right, 3)) +               \
     ALONG_X(4) * (BETWEEN(left, here, W - 4) + BETWEEN(here, right, 4)))

/* Computes the points from 'at' on, of 'planes' planes. 'here' has the values of 'u'
 * there. */
INLINE void sweep_vectors(const REAL *restrict u, REAL *restrict v,
                          const REAL *restrict vp, vec *left, vec *here, int planes)
{
    vec column[2 * R + AT_ONCE];

#pragma GCC unroll 10
    for (int k = 0; k < 2 * R + planes; k++)
        if (k < R || k >= R + planes) {
            column[k] = LOAD(u + (k - R) * (long)PLANE);
            PREFETCH(u + (k - R) * (long)PLANE + PITCH);
        } else {
            column[k] = here[k - R];
        }
#pragma GCC unroll 2
    for (int p = 0; p < planes; p++) {
        const long at = p * (long)PLANE;
        const vec right = LOAD(u + at + W);
        vec sum = (REAL)CENTRE * here[p] + SIDES_X(left[p], here[p], right);

        PREFETCH(u + at + (R + 1) * (long)PITCH);
        PREFETCH(v + at + PITCH);
        PREFETCH(vp + at + PITCH);
#pragma GCC unroll 4
        for (int m = 1; m <= R; m++)
            sum += ALONG_Y(m) *
                       (LOAD(u + at - m * (long)PITCH) + LOAD(u + at + m * (long)PITCH)) +
                   ALONG_Z(m) * (column[R + p - m] + column[R + p + m]);
        stream(v + at, 2 * here[p] - LOAD(v + at) + LOAD(vp + at) * sum);
        left[p] = here[p];
        here[p] = right;
    }
}

INLINE void sweep_row(const REAL *restrict u, REAL *restrict v, const REAL *restrict vp,
                      long points, int planes)
{
    vec left[AT_ONCE], here[AT_ONCE];

    for (int p = 0; p < planes; p++) {
        left[p] = LOAD(u + p * (long)PLANE - W);
        here[p] = LOAD(u + p * (long)PLANE);
    }
    for (long x = 0; x < points; x += W)
        sweep_vectors(u + x, v + x, vp + x, left, here, planes);
}

/* Some rows of a chunk of planes. */
static void sweep_block(const REAL *restrict u, REAL *restrict v, const REAL *restrict vp,
                        long rows, long planes)
{
    for (long x = 0; x < NX; x += BLOCK_X)
        for (long z = 0; z < planes; z += AT_ONCE)
            for (long y = 0; y < rows; y++) {
                const long at = ORIGIN + z * PLANE + y * PITCH + x;
                const long points = least(BLOCK_X, NX - x);

                if (z + 1 < planes)
                    sweep_row(u + at, v + at, vp + at, points, 2);
                else
                    sweep_row(u + at, v + at, vp + at, points, 1);
            }
}

void acoustic_iso_hand(const REAL *restrict u, REAL *restrict v, const REAL *restrict vp)
{
#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(static) nowait
        for (long slab = 0; slab < NY; slab += SLAB)
            for (long z = 0; z < NZ; z += CHUNK)
                for (long y = slab; y < least(slab + SLAB, NY); y += BLOCK_Y) {
                    const long at = z * PLANE + y * PITCH;

                    sweep_block(u + at, v + at, vp + at,
                                least(BLOCK_Y, least(slab + SLAB, NY) - y),
                                least(CHUNK, NZ - z));
                }
        fence();
    }
}

void acoustic_iso_hand_call(void *const *args)
{
    acoustic_iso_hand(args[0], args[1], args[2]);
}
