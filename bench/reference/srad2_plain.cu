/* Speckle-reducing diffusion, second half: one thread a point, straight from memory.
 * Neighbours outside the image are the nearest points of it.
 *
 * reference
 *   program srad2
 *   variant 32x8  BX=32 BY=8
 *   variant 64x4  BX=64 BY=4
 *   kernel  srad2_plain
 *   group   BX, BY
 *   groups  ceil(NX / BX), ceil(NY / BY)
 *   args    image coeff dn ds de dw out
 */
extern "C" __global__ void
srad2_plain(const float *__restrict__ image, const float *__restrict__ coeff,
            const float *__restrict__ dn, const float *__restrict__ ds,
            const float *__restrict__ de, const float *__restrict__ dw,
            float *__restrict__ out)
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y;

    if (x >= NX || y >= NY)
        return;

    const long at = ORIGIN + x + (long)PITCH * y;
    const float c = coeff[at], s = coeff[y < NY - 1 ? at + PITCH : at],
                e = coeff[x < NX - 1 ? at + 1 : at];

    out[at] = image[at] + 0.125f * (c * dn[at] + s * ds[at] + c * dw[at] + e * de[at]);
}
