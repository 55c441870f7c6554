/* Sound in a room: vectors straight from memory, for DEPTH planes; the column stays in
 * registers. The walls are where there are fewer than six neighbours, and what is outside
 * is zero. The older field is overwritten.
 *
 * reference
 *   program acoustic
 *   variant 32x4-1   BX=32 BY=4 DEPTH=1
 *   variant 32x8-4   BX=32 BY=8 DEPTH=4
 *   variant 32x4-8   BX=32 BY=4 DEPTH=8
 *   variant 64x4-16  BX=64 BY=4 DEPTH=16
 *   variant 32x8-64  BX=32 BY=8 DEPTH=64
 *   with     vector.cuh
 *   types    f32
 *   multiple NX, 4
 *   halo     4 fill 0
 *   rows     32
 *   stored   next prev
 *   kernel   acoustic_vector
 *   group    BX, BY, 1
 *   groups   ceil(NX * REAL_BYTES / (16 * BX)), ceil(NY / BY), ceil(NZ / DEPTH)
 *   args     prev cur
 */
#define LAMBDA 0.57735026918962573
#define ALPHA 0.005
#define L2 (REAL)(1. / 3)

/* With 'k' neighbours in the room. */
__device__ __forceinline__ REAL point(int k, REAL c, REAL sum, REAL p)
{
    const REAL loss = k < 6 ? (REAL)(1 / (1 + LAMBDA * ALPHA)) : (REAL)1;
    const REAL kept = k < 6 ? (REAL)(1 - LAMBDA * ALPHA) : (REAL)1;

    return loss * ((2 - L2 * k) * c + L2 * sum - kept * p);
}

extern "C" __global__ void __launch_bounds__(BX *BY)
    acoustic_vector(REAL *__restrict__ prev, const REAL *__restrict__ cur)
{
    const int x = LANES * (BX * blockIdx.x + threadIdx.x), y = BY * blockIdx.y + threadIdx.y;
    const int from = DEPTH * blockIdx.z, to = min(from + DEPTH, NZ);
    long at = ORIGIN + x + (long)PITCH * y + (long)PLANE * from;

    if (x >= NX || y >= NY)
        return;

    vec below, c = load(cur + at - PLANE), above = load(cur + at);

#pragma unroll 1
    for (int z = from; z < to; z++, at += PLANE) {
        const int k = (y > 0) + (y < NY - 1) + (z > 0) + (z < NZ - 1);
        const vec north = load(cur + at - PITCH), south = load(cur + at + PITCH),
                  old = load(prev + at);
        vec next;

        below = c;
        c = above;
        above = load(cur + at + PLANE);
#pragma unroll
        for (int i = 0; i < LANES; i++) {
            const REAL west = i > 0 ? c.at[i - 1] : cur[at - 1],
                       east = i < LANES - 1 ? c.at[i + 1] : cur[at + LANES];

            next.at[i] = point(k + (x + i > 0) + (x + i < NX - 1), c.at[i],
                               west + east + north.at[i] + south.at[i] + below.at[i] +
                                   above.at[i],
                               old.at[i]);
        }
        store(prev + at, next);
    }
}
