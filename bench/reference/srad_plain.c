/* Speckle-reducing diffusion, a step in two loops: the first leaves the coefficients in
 * memory for the second. Rows are shared by the threads, the two ends of a row apart.
 * Neighbours outside the image are the nearest points of it.
 *
 * reference
 *   program   srad
 *   plain
 *   types     f32 f64
 *   temporary coeff image
 *   kernel    srad_coefficients
 *   args      image q0sqr coeff
 *   kernel    srad_update
 *   args      image coeff out
 */
struct around {
    REAL c, n, s, w, e;
};

static inline REAL clamp01(REAL x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static inline REAL coefficient(struct around i, REAL q0sqr)
{
    const REAL n = i.n - i.c, s = i.s - i.c, w = i.w - i.c, e = i.e - i.c;
    const REAL g2 = (n * n + s * s + w * w + e * e) / (i.c * i.c);
    const REAL l = (n + s + w + e) / i.c;
    const REAL den = 1 + (REAL)0.25 * l;
    const REAL qsqr = ((REAL)0.5 * g2 - l * l / 16) / (den * den);

    return clamp01(1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr))));
}

static inline REAL update(struct around i, REAL c, REAL s, REAL e)
{
    return i.c + (REAL)0.125 * (c * (i.n - i.c) + s * (i.s - i.c) + c * (i.w - i.c) +
                                e * (i.e - i.c));
}

void srad_coefficients_call(void *const *args)
{
    const REAL *image = args[0], q0sqr = *(const REAL *)args[1];
    REAL *coeff = args[2];

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const REAL *i = image + y * NX, *n = y > 0 ? i - NX : i;
        const REAL *s = y < NY - 1 ? i + NX : i;
        REAL *o = coeff + y * NX;
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
    const REAL *image = args[0], *coeff = args[1];
    REAL *out = args[2];

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const REAL *i = image + y * NX, *n = y > 0 ? i - NX : i;
        const REAL *s = y < NY - 1 ? i + NX : i;
        const REAL *c = coeff + y * NX, *below = y < NY - 1 ? c + NX : c;
        REAL *o = out + y * NX;
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
