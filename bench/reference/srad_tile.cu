/* Speckle-reducing diffusion, a step in one kernel: a group has a tile of points and
 * leaves their coefficients, and those below and to the right, in shared memory. One
 * division a coefficient, which is fast and less exact. Neighbours outside the image are
 * the nearest points of it.
 *
 * reference
 *   program srad
 *   variant 32x8   BX=32 BY=8 ROWS=1
 *   variant 32x16  BX=32 BY=16 ROWS=1
 *   variant 64x4-4 BX=64 BY=4 ROWS=4
 *   variant 128x4-4 BX=128 BY=4 ROWS=4
 *   kernel  srad_tile
 *   group   BX, BY
 *   groups  ceil(NX / BX), ceil(NY / (BY * ROWS))
 *   args    image q0sqr out
 */
struct around {
    float c, n, s, w, e;
};

/* The point, or the last of the image, and what lies between it and its neighbours. */
static __device__ __forceinline__ around read(const float *__restrict__ image, int x,
                                              int y)
{
    x = min(x, NX - 1);
    y = min(y, NY - 1);

    const float *row = image + ORIGIN + (long)PITCH * y;
    const float c = row[x];

    return {c, row[y > 0 ? x - PITCH : x] - c, row[y < NY - 1 ? x + PITCH : x] - c,
            row[max(x - 1, 0)] - c, row[min(x + 1, NX - 1)] - c};
}

static __device__ __forceinline__ float coefficient(const around &p, float q0sqr)
{
    const float g2 = p.n * p.n + p.s * p.s + p.w * p.w + p.e * p.e;
    const float l = p.n + p.s + p.w + p.e;
    const float den = p.c + 0.25f * l;
    const float k = q0sqr * (1 + q0sqr) * (den * den);
    const float num = 0.5f * g2 - 0.0625f * (l * l) - q0sqr * (den * den);

    return fminf(fmaxf(__fdividef(k, k + num), 0.f), 1.f);
}

extern "C" __global__ void __launch_bounds__(BX *BY)
    srad_tile(const float *__restrict__ image, float q0sqr, float *__restrict__ out)
{
    __shared__ float tile[BY * ROWS + 1][BX + 1];
    const int i = threadIdx.x, left = BX * blockIdx.x, top = BY * ROWS * blockIdx.y;
    around own[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int j = threadIdx.y + BY * r;

        own[r] = read(image, left + i, top + j);
        tile[j][i] = coefficient(own[r], q0sqr);
    }
    if (threadIdx.y == 0)
        tile[BY * ROWS][i] = coefficient(read(image, left + i, top + BY * ROWS), q0sqr);
    for (int j = BX * threadIdx.y + i; j < BY * ROWS; j += BX * BY)
        tile[j][BX] = coefficient(read(image, left + BX, top + j), q0sqr);
    __syncthreads();

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int j = threadIdx.y + BY * r, x = left + i, y = top + j;
        const around &p = own[r];

        if (x < NX && y < NY)
            out[ORIGIN + x + (long)PITCH * y] =
                p.c + 0.125f * (tile[j][i] * (p.n + p.w) + tile[j + 1][i] * p.s +
                                tile[j][i + 1] * p.e);
    }
}
