/* Weighted sums over a star of radius R in two dimensions: four points a thread, loaded
 * and stored as vectors, ROWS rows a thread, whose column stays in registers. The weights
 * are those of the programs; those of the older axis come first. The border is kept.
 *
 * reference
 *   program star2d1r   R=1
 *   program star2d2r   R=2
 *   program star2d3r   R=3
 *   program jacobi2d5  R=1 ROW={12/118.f,15/118.f,12/118.f} COLUMN={5/118.f,0,5/118.f}
 *   program star2d4r   R=4 ROW={-.2222f,.06253f,.06243f,.06248f,.25005f,.06248f,.06243f,.06253f,-.2222f} COLUMN={.11111f,.06251f,.06255f,.06245f,0,.06245f,.06255f,.06251f,.11111f}
 *   variant 128-1      BX=128 BY=1 ROWS=1
 *   variant 64x4-1     BX=64 BY=4 ROWS=1
 *   variant 64x2-4     BX=64 BY=2 ROWS=4
 *   variant 128-8      BX=128 BY=1 ROWS=8
 *   variant 128-16     BX=128 BY=1 ROWS=16
 *   with    star2d.h
 *   multiple NX, 4
 *   halo    4
 *   rows    32
 *   kernel  star2d_vector
 *   group   BX, BY
 *   groups  ceil(NX / (4 * BX)), ceil(NY / (BY * ROWS))
 *   args    grid out
 */
/* Rows that do not exist are not asked for. */
__device__ __forceinline__ float4 load4(const float *__restrict__ in, int x, int y)
{
    y = min(max(y, 0), NY - 1);
    return *reinterpret_cast<const float4 *>(in + ORIGIN + x + (long)PITCH * y);
}

__device__ __forceinline__ float inner(float value, float kept, int x, int y)
{
    return x < R || x >= NX - R || y < R || y >= NY - R ? kept : value;
}

extern "C" __global__ void __launch_bounds__(BX *BY)
    star2d_vector(const float *__restrict__ in, float *__restrict__ out)
{
    const int x = 4 * (BX * blockIdx.x + threadIdx.x);
    const int top = ROWS * (BY * blockIdx.y + threadIdx.y);
    float4 column[2 * R + 1];

    if (x >= NX)
        return;
#pragma unroll
    for (int m = 0; m < 2 * R; m++)
        column[m + 1] = load4(in, x, top + m - R);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = top + r;

        if (y >= NY)
            return;
#pragma unroll
        for (int m = 0; m < 2 * R; m++)
            column[m] = column[m + 1];
        column[2 * R] = load4(in, x, y + R);

        const float4 c = column[R], b = load4(in, x - 4, y), a = load4(in, x + 4, y);
        const float line[12] = {b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w, a.x, a.y, a.z, a.w};
        float sum[4];

#pragma unroll
        for (int i = 0; i < 4; i++) {
            sum[i] = 0;
#pragma unroll
            for (int m = -R; m <= R; m++)
                sum[i] += ACROSS(m) * line[4 + i + m];
        }
#pragma unroll
        for (int m = -R; m <= R; m++) {
            if (m == 0)
                continue;
            sum[0] += ALONG(m) * column[R + m].x;
            sum[1] += ALONG(m) * column[R + m].y;
            sum[2] += ALONG(m) * column[R + m].z;
            sum[3] += ALONG(m) * column[R + m].w;
        }
        *reinterpret_cast<float4 *>(out + ORIGIN + x + (long)PITCH * y) =
            float4{inner(sum[0], c.x, x, y), inner(sum[1], c.y, x + 1, y),
                   inner(sum[2], c.z, x + 2, y), inner(sum[3], c.w, x + 3, y)};
    }
}
