/* The gradient of an image: ROWS rows of vectors a thread, the column in registers. The
 * border is kept.
 *
 * reference
 *   program gradient
 *   variant 128-1   BX=128 BY=1 ROWS=1
 *   variant 64x4-2  BX=64 BY=4 ROWS=2
 *   variant 64x2-4  BX=64 BY=2 ROWS=4
 *   variant 128-8   BX=128 BY=1 ROWS=8
 *   with     vector.cuh
 *   multiple NX, 4
 *   halo     4
 *   rows     32
 *   kernel   gradient_vector
 *   group    BX, BY
 *   groups   ceil(NX / (4 * BX)), ceil(NY / (BY * ROWS))
 *   args     grid out
 */
__device__ __forceinline__ float point(float c, float n, float s, float w, float e)
{
    const float square = (c - n) * (c - n) + (c - s) * (c - s) + (c - w) * (c - w) +
                         (c - e) * (c - e);

    return c + rsqrtf(0.0001f + square);
}

extern "C" __global__ void __launch_bounds__(BX *BY)
    gradient_vector(const float *__restrict__ in, float *__restrict__ out)
{
    const int x = LANES * (BX * blockIdx.x + threadIdx.x);
    const int top = ROWS * (BY * blockIdx.y + threadIdx.y);
    const long first = ORIGIN + x + (long)PITCH * top;

    if (x >= NX || top >= NY)
        return;

    vec north, c = load(in + first - PITCH), south = load(in + first);

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = top + r;
        const long at = first + (long)PITCH * r;
        const bool border = y < 1 || y >= NY - 1;
        vec next;

        if (y >= NY)
            return;
        north = c;
        c = south;
        south = load(in + at + PITCH);
#pragma unroll
        for (int i = 0; i < LANES; i++) {
            const float west = i > 0 ? c.at[i - 1] : in[at - 1];
            const float east = i < LANES - 1 ? c.at[i + 1] : in[at + LANES];
            const bool kept = border || x + i < 1 || x + i >= NX - 1;

            next.at[i] = kept ? c.at[i] : point(c.at[i], north.at[i], south.at[i], west, east);
        }
        store(out + at, next);
    }
}
