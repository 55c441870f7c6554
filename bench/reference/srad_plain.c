/* Speckle-reducing diffusion, a step in two loops: the first leaves the coefficients in
 * memory for the second. Rows are shared by the threads, the two ends of a row apart.
 * Neighbours outside the image are the nearest points of it.
 *
 * reference
 *   program   srad
 *   temporary coeff image
 *   kernel    srad_coefficients
 *   args      image q0sqr coeff
 *   kernel    srad_update
 *   args      image coeff out
 */
struct around {
    float c, n, s, w, e;
};

static inline float clamp01(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static inline float coefficient(struct around i, float q0sqr)
{
    const float n = i.n - i.c, s = i.s - i.c, w = i.w - i.c, e = i.e - i.c;
    const float g2 = (n * n + s * s + w * w + e * e) / (i.c * i.c);
    const float l = (n + s + w + e) / i.c;
    const float den = 1 + 0.25f * l;
    const float qsqr = (0.5f * g2 - l * l / 16) / (den * den);

    return clamp01(1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr))));
}

static inline float update(struct around i, float c, float s, float e)
{
    return i.c + 0.125f * (c * (i.n - i.c) + s * (i.s - i.c) + c * (i.w - i.c) +
                           e * (i.e - i.c));
}

void srad_coefficients_call(void *const *args)
{
    const float *image = args[0], q0sqr = *(const float *)args[1];
    float *coeff = args[2];

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const float *i = image + y * NX, *n = y > 0 ? i - NX : i;
        const float *s = y < NY - 1 ? i + NX : i;
        float *o = coeff + y * NX;
        const long last = NX - 1;

        o[0] = coefficient((struct around){i[0], n[0], s[0], i[0], i[NX > 1]}, q0sqr);
#pragma omp simd
        for (long x = 1; x < last; x++)
            o[x] =
                coefficient((struct around){i[x], n[x], s[x], i[x - 1], i[x + 1]}, q0sqr);
        o[last] = coefficient(
            (struct around){i[last], n[last], s[last], i[NX > 1 ? last - 1 : 0], i[last]},
            q0sqr);
    }
}

void srad_update_call(void *const *args)
{
    const float *image = args[0], *coeff = args[1];
    float *out = args[2];

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const float *i = image + y * NX, *n = y > 0 ? i - NX : i;
        const float *s = y < NY - 1 ? i + NX : i;
        const float *c = coeff + y * NX, *below = y < NY - 1 ? c + NX : c;
        float *o = out + y * NX;
        const long last = NX - 1;

        o[0] = update((struct around){i[0], n[0], s[0], i[0], i[NX > 1]}, c[0], below[0],
                      c[NX > 1]);
#pragma omp simd
        for (long x = 1; x < last; x++)
            o[x] = update((struct around){i[x], n[x], s[x], i[x - 1], i[x + 1]}, c[x],
                          below[x], c[x + 1]);
        o[last] = update(
            (struct around){i[last], n[last], s[last], i[NX > 1 ? last - 1 : 0], i[last]},
            c[last], below[last], c[last]);
    }
}
