/* Weighted sums over a star of radius R in three dimensions: four points a thread, loaded
 * and stored as vectors straight from memory, for DEPTH planes; the column stays in
 * registers. The weights are those of the programs, along x, then y, then z. The border
 * is kept.
 *
 * reference
 *   program star3d1r   R=1
 *   program star3d2r   R=2
 *   program star3d3r   R=3
 *   program star3d4r   R=4
 *   program jacobi3d7  R=1 X={.162f,-1.67f,.161f} Y={.164f,0,.163f} Z={.166f,0,.165f}
 *   program heat       R=1 X={.125f,.25f,.125f} Y={.125f,0,.125f} Z={.125f,0,.125f}
 *   variant 32x4-1     BX=32 BY=4 DEPTH=1
 *   variant 32x8-4     BX=32 BY=8 DEPTH=4
 *   variant 32x8-16    BX=32 BY=8 DEPTH=16
 *   variant 32x4-32    BX=32 BY=4 DEPTH=32
 *   multiple NX, 4
 *   halo    4
 *   rows    32
 *   kernel  star3d_vector
 *   group   BX, BY, 1
 *   groups  ceil(NX / (4 * BX)), ceil(NY / BY), ceil(NZ / DEPTH)
 *   args    grid out
 */
#ifndef X
#define POINTS (6 * R + 1)
#define WEIGHT(k) (2.f * (POINTS + (k)) / (POINTS * (3.f * POINTS + 1)))
#define ARM(m) (m < 0 ? m + R : m + R - 1)
#define ALONG_X(m) WEIGHT(m + R + 1)
#define ALONG_Y(m) WEIGHT(2 * R + 2 + ARM(m))
#define ALONG_Z(m) WEIGHT(4 * R + 2 + ARM(m))
#else
__device__ constexpr float x_weights[] = X, y_weights[] = Y, z_weights[] = Z;
#define ALONG_X(m) x_weights[m + R]
#define ALONG_Y(m) y_weights[m + R]
#define ALONG_Z(m) z_weights[m + R]
#endif

__device__ __forceinline__ float4 load4(const float *__restrict__ in, int x, int y, int z)
{
    return *reinterpret_cast<const float4 *>(in + ORIGIN + x + (long)PITCH * y +
                                             (long)PLANE * z);
}

__device__ __forceinline__ void add4(float4 &sum, float c, float4 a)
{
    sum.x += c * a.x;
    sum.y += c * a.y;
    sum.z += c * a.z;
    sum.w += c * a.w;
}

__device__ __forceinline__ float inner(float value, float kept, bool border, int x)
{
    return border || x < R || x >= NX - R ? kept : value;
}

extern "C" __global__ void __launch_bounds__(BX *BY)
    star3d_vector(const float *__restrict__ in, float *__restrict__ out)
{
    const int x = 4 * (BX * blockIdx.x + threadIdx.x), y = BY * blockIdx.y + threadIdx.y;
    const int from = DEPTH * blockIdx.z;
    float4 column[2 * R + 1];

    if (x >= NX || y >= NY)
        return;
#pragma unroll
    for (int m = 0; m < 2 * R; m++)
        column[m + 1] = load4(in, x, y, min(max(from + m - R, 0), NZ - 1));
#pragma unroll 1
    for (int z = from; z < min(from + DEPTH, NZ); z++) {
#pragma unroll
        for (int m = 0; m < 2 * R; m++)
            column[m] = column[m + 1];
        column[2 * R] = load4(in, x, y, min(z + R, NZ - 1));

        const bool border = y < R || y >= NY - R || z < R || z >= NZ - R;
        const float4 c = column[R], b = load4(in, x - 4, y, z), a = load4(in, x + 4, y, z);
        const float line[12] = {b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w, a.x, a.y, a.z, a.w};
        float4 sum = {0, 0, 0, 0};

#pragma unroll
        for (int m = -R; m <= R; m++) {
            sum.x += ALONG_X(m) * line[4 + m];
            sum.y += ALONG_X(m) * line[5 + m];
            sum.z += ALONG_X(m) * line[6 + m];
            sum.w += ALONG_X(m) * line[7 + m];
            if (m == 0)
                continue;
            add4(sum, ALONG_Y(m), load4(in, x, min(max(y + m, 0), NY - 1), z));
            add4(sum, ALONG_Z(m), column[R + m]);
        }
        *reinterpret_cast<float4 *>(out + ORIGIN + x + (long)PITCH * y + (long)PLANE * z) =
            float4{inner(sum.x, c.x, border, x), inner(sum.y, c.y, border, x + 1),
                   inner(sum.z, c.z, border, x + 2), inner(sum.w, c.w, border, x + 3)};
    }
}
