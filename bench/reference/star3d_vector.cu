/* Weighted sums over a star of radius R in three dimensions: vectors straight from memory,
 * for DEPTH planes; the column stays in registers. The border is kept.
 *
 * reference
 *   program star3d1r   R=1
 *   program star3d2r   R=2
 *   program star3d3r   R=3
 *   program star3d4r   R=4
 *   program jacobi3d7  R=1 X={.162,-1.67,.161} Y={.164,0,.163} Z={.166,0,.165}
 *   program heat       R=1 X={.125,.25,.125} Y={.125,0,.125} Z={.125,0,.125}
 *   program jacobi3d13 R=2 X={.083,.083,-.996,.083,.083} Y={.083,.083,0,.083,.083} Z={.083,.083,0,.083,.083}
 *   variant 32x4-1     BX=32 BY=4 DEPTH=1
 *   variant 32x8-4     BX=32 BY=8 DEPTH=4
 *   variant 32x8-16    BX=32 BY=8 DEPTH=16
 *   variant 32x4-32    BX=32 BY=4 DEPTH=32
 *   with     vector.cuh star3d.h star3d.cuh
 *   types    f32 f64
 *   multiple NX, 4
 *   halo     4
 *   rows     32
 *   kernel   star3d_vector
 *   group    BX, BY, 1
 *   groups   ceil(NX * REAL_BYTES / (16 * BX)), ceil(NY / BY), ceil(NZ / DEPTH)
 *   args     grid out
 */
__device__ __forceinline__ void add(vec &sum, REAL c, const vec &a)
{
#pragma unroll
    for (int i = 0; i < LANES; i++)
        sum.at[i] += c * a.at[i];
}

extern "C" __global__ void __launch_bounds__(BX *BY)
    star3d_vector(const REAL *__restrict__ in, REAL *__restrict__ out)
{
    const int x = LANES * (BX * blockIdx.x + threadIdx.x), y = BY * blockIdx.y + threadIdx.y;
    const int from = DEPTH * blockIdx.z;
    const REAL *const line = in + ORIGIN + x + (long)PITCH * y;
    vec column[2 * R + 1];

    if (x >= NX || y >= NY)
        return;
    /* Rows and planes that do not exist are not asked for. */
#pragma unroll
    for (int m = 0; m < 2 * R; m++)
        column[m + 1] = load(line + (long)PLANE * min(max(from + m - R, 0), NZ - 1));
#pragma unroll 1
    for (int z = from; z < min(from + DEPTH, NZ); z++) {
        const long at = ORIGIN + x + (long)PITCH * y + (long)PLANE * z;
        const span<R> row = load_span<R>(in + at);
        vec sum = {};

#pragma unroll
        for (int m = 0; m < 2 * R; m++)
            column[m] = column[m + 1];
        column[2 * R] = load(line + (long)PLANE * min(z + R, NZ - 1));
#pragma unroll
        for (int m = -R; m <= R; m++) {
#pragma unroll
            for (int i = 0; i < LANES; i++)
                sum.at[i] += ALONG_X(m) * row(i, m);
            if (m == 0)
                continue;
            add(sum, ALONG_Y(m), load(in + at + (long)PITCH * (min(max(y + m, 0), NY - 1) - y)));
            add(sum, ALONG_Z(m), column[R + m]);
        }
#pragma unroll
        for (int i = 0; i < LANES; i++)
            if (on_border(x + i, y, z))
                sum.at[i] = column[R].at[i];
        store(out + at, sum);
    }
}
