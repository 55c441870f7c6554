/* Speckle-reducing diffusion, first half, with divisions that are fast and less exact: ROWS
 * rows of vectors a thread, the column in registers. Neighbours outside the image are the
 * nearest points of it.
 *
 * reference
 *   program srad1
 *   variant 128-1   BX=128 BY=1 ROWS=1
 *   variant 64x4-2  BX=64 BY=4 ROWS=2
 *   variant 64x2-4  BX=64 BY=2 ROWS=4
 *   variant 128-8   BX=128 BY=1 ROWS=8
 *   with     vector.cuh
 *   multiple NX, 4
 *   rows     32
 *   kernel   srad1_vector
 *   group    BX, BY
 *   groups   ceil(NX / (4 * BX)), ceil(NY / (BY * ROWS))
 *   args     image q0sqr coeff
 */
__device__ __forceinline__ float point(float c, float n, float s, float w, float e,
                                       float q0sqr)
{
    const float over = __fdividef(1, c);
    const float g2 = (n * n + s * s + w * w + e * e) * over * over;
    const float l = (n + s + w + e) * over;
    const float den = 1 + 0.25f * l;
    const float qsqr = __fdividef(0.5f * g2 - l * l / 16, den * den);
    const float scale = __fdividef(1, q0sqr * (1 + q0sqr));

    return fminf(fmaxf(__fdividef(1, 1 + (qsqr - q0sqr) * scale), 0.f), 1.f);
}

extern "C" __global__ void __launch_bounds__(BX *BY)
    srad1_vector(const float *__restrict__ image, float q0sqr, float *__restrict__ coeff)
{
    const int x = LANES * (BX * blockIdx.x + threadIdx.x);
    const int top = ROWS * (BY * blockIdx.y + threadIdx.y);

    if (x >= NX || top >= NY)
        return;

    const long first = ORIGIN + x + (long)PITCH * top;
    vec north, c = load(image + (top > 0 ? first - PITCH : first)),
               south = load(image + first);

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = top + r;
        const long at = first + (long)PITCH * r;
        vec next;

        if (y >= NY)
            return;
        north = c;
        c = south;
        south = load(image + (y < NY - 1 ? at + PITCH : at));
#pragma unroll
        for (int i = 0; i < LANES; i++) {
            const float here = c.at[i];
            const float west = i > 0 ? c.at[i - 1] : image[x > 0 ? at - 1 : at];
            const float east = i < LANES - 1 ? c.at[i + 1]
                                             : image[x + i < NX - 1 ? at + LANES : at + i];

            next.at[i] = point(here, north.at[i] - here, south.at[i] - here, west - here,
                               east - here, q0sqr);
        }
        store(coeff + at, next);
    }
}
