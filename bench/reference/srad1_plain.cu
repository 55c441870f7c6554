/* Speckle-reducing diffusion, first half: one thread a point, straight from memory.
 * Neighbours outside the image are the nearest points of it.
 *
 * reference
 *   program srad1
 *   variant 32x8  BX=32 BY=8
 *   variant 64x4  BX=64 BY=4
 *   kernel  srad1_plain
 *   group   BX, BY
 *   groups  ceil(NX / BX), ceil(NY / BY)
 *   args    image q0sqr coeff
 */
extern "C" __global__ void srad1_plain(const float *__restrict__ image, float q0sqr,
                                       float *__restrict__ coeff)
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y;

    if (x >= NX || y >= NY)
        return;

    const long at = ORIGIN + x + (long)PITCH * y;
    const float c = image[at];
    const float n = image[y > 0 ? at - PITCH : at] - c;
    const float s = image[y < NY - 1 ? at + PITCH : at] - c;
    const float w = image[x > 0 ? at - 1 : at] - c;
    const float e = image[x < NX - 1 ? at + 1 : at] - c;
    const float g2 = (n * n + s * s + w * w + e * e) / (c * c);
    const float l = (n + s + w + e) / c;
    const float den = 1 + 0.25f * l;
    const float qsqr = (0.5f * g2 - l * l / 16) / (den * den);

    coeff[at] =
        fminf(fmaxf(1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr))), 0.f), 1.f);
}
