/* Speckle-reducing diffusion, a step in two kernels: the first leaves the coefficients in
 * memory for the second. One thread a point. Neighbours outside the image are the nearest
 * points of it.
 *
 * reference
 *   program   srad
 *   variant   32x8  BX=32 BY=8
 *   variant   64x4  BX=64 BY=4
 *   temporary coeff image
 *   kernel    srad_coefficients
 *   group     BX, BY
 *   groups    ceil(NX / BX), ceil(NY / BY)
 *   args      image q0sqr coeff
 *   kernel    srad_update
 *   group     BX, BY
 *   groups    ceil(NX / BX), ceil(NY / BY)
 *   args      image coeff out
 */
struct around {
    bool inside;
    long at, n, s, w, e;
};

static __device__ __forceinline__ struct around place()
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y;
    const long at = ORIGIN + x + (long)PITCH * y;

    return {x < NX && y<NY, at, y> 0 ? at - PITCH : at, y < NY - 1 ? at + PITCH : at,
            x > 0 ? at - 1 : at, x < NX - 1 ? at + 1 : at};
}

extern "C" __global__ void srad_coefficients(const float *__restrict__ image, float q0sqr,
                                             float *__restrict__ coeff)
{
    const struct around p = place();

    if (!p.inside)
        return;

    const float c = image[p.at], n = image[p.n] - c, s = image[p.s] - c;
    const float w = image[p.w] - c, e = image[p.e] - c;
    const float g2 = (n * n + s * s + w * w + e * e) / (c * c);
    const float l = (n + s + w + e) / c;
    const float den = 1 + 0.25f * l;
    const float qsqr = (0.5f * g2 - l * l / 16) / (den * den);

    coeff[p.at] =
        fminf(fmaxf(1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr))), 0.f), 1.f);
}

extern "C" __global__ void srad_update(const float *__restrict__ image,
                                       const float *__restrict__ coeff,
                                       float *__restrict__ out)
{
    const struct around p = place();

    if (!p.inside)
        return;

    const float i = image[p.at], c = coeff[p.at];

    out[p.at] = i + 0.125f * (c * (image[p.n] - i) + coeff[p.s] * (image[p.s] - i) +
                              c * (image[p.w] - i) + coeff[p.e] * (image[p.e] - i));
}
