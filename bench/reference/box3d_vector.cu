/* Weighted sums over a cube of radius R, by vectors: DEPTH planes a thread. What a plane
 * has around a vector is loaded once, and its terms are added to all sums that are pending;
 * the weights are those of the programs, in the order of reading. The border is kept.
 *
 * reference
 *   program box3d1r    R=1
 *   program box3d2r    R=2
 *   program jacobi3d27 R=1 TABLE={.5/159,.7/159,.9/159,1.2/159,1.5/159,1.2/159,.9/159,.7/159,.5/159,.51/159,.71/159,.91/159,1.21/159,1.51/159,1.21/159,.91/159,.71/159,.51/159,.52/159,.72/159,.92/159,1.22/159,1.52/159,1.22/159,.92/159,.72/159,.52/159}
 *   program jacobi3d19 R=1 TABLE={.5/159,0,.5/159,0,0,0,.5/159,0,.5/159,.51/159,.71/159,.91/159,1.21/159,1.51/159,1.21/159,.91/159,.71/159,.51/159,.52/159,0,.52/159,0,0,0,.52/159,0,.52/159}
 *   program poisson    R=1 TABLE={0,-.0833,0,-.0833,-.166,-.0833,0,-.0833,0,-.0833,-.166,-.0833,-.166,2.666,-.166,-.0833,-.166,-.0833,0,-.0833,0,-.0833,-.166,-.0833,0,-.0833,0}
 *   variant 32x4-1     BX=32 BY=4 DEPTH=1
 *   variant 32x8-4     BX=32 BY=8 DEPTH=4
 *   variant 32x4-16    BX=32 BY=4 DEPTH=16
 *   variant 32x8-16    BX=32 BY=8 DEPTH=16
 *   variant 32x8-64    BX=32 BY=8 DEPTH=64
 *   with     vector.cuh box3d.h
 *   types    f32 f64
 *   multiple NX, 4
 *   halo     4
 *   rows     32
 *   kernel   box3d_vector
 *   group    BX, BY, 1
 *   groups   ceil(NX * REAL_BYTES / (16 * BX)), ceil(NY / BY), ceil(NZ / DEPTH)
 *   args     grid out
 */
/* Pending sums: the k-th is that of the plane k - R after the one that arrives. */
struct pending {
    vec sums[N], kept[R + 1];
};

__device__ __forceinline__ void turn(pending &p)
{
#pragma unroll
    for (int k = 0; k < N - 1; k++)
        p.sums[k] = p.sums[k + 1];
    p.sums[N - 1] = vec{};
#pragma unroll
    for (int k = 0; k < R; k++)
        p.kept[k] = p.kept[k + 1];
}

/* The terms of a row dy away, in all planes. */
__device__ __forceinline__ void add_row(pending &p, const span<R> &row, int dy)
{
#pragma unroll
    for (int dz = -R; dz <= R; dz++)
#pragma unroll
        for (int dx = -R; dx <= R; dx++)
#pragma unroll
            for (int i = 0; i < LANES; i++)
                if (WEIGHT(dz, dy, dx) != 0)
                    p.sums[R - dz].at[i] += WEIGHT(dz, dy, dx) * row(i, dx);
}

extern "C" __global__ void __launch_bounds__(BX *BY)
    box3d_vector(const REAL *__restrict__ in, REAL *__restrict__ out)
{
    const int x = LANES * (BX * blockIdx.x + threadIdx.x), y = BY * blockIdx.y + threadIdx.y;
    const int from = DEPTH * blockIdx.z, to = min(from + DEPTH, NZ);
    pending p = {};

    if (x >= NX || y >= NY)
        return;
#pragma unroll 1
    for (int z = from - R; z < to + R; z++) {
        /* Rows and planes that do not exist are not asked for. */
        const REAL *plane = in + ORIGIN + x + (long)PLANE * min(max(z, 0), NZ - 1);
        const int done = z - R;
        const bool border = done < R || done >= NZ - R || y < R || y >= NY - R;

        turn(p);
#pragma unroll
        for (int dy = -R; dy <= R; dy++) {
            const span<R> row =
                load_span<R>(plane + (long)PITCH * min(max(y + dy, 0), NY - 1));

            add_row(p, row, dy);
            if (dy == 0)
                p.kept[R] = row.middle();
        }
        if (done < from)
            continue;

        vec result = p.sums[0];

#pragma unroll
        for (int i = 0; i < LANES; i++)
            if (border || x + i < R || x + i >= NX - R)
                result.at[i] = p.kept[0].at[i];
        store(out + ORIGIN + x + (long)PITCH * y + (long)PLANE * done, result);
    }
}
