/* The diffusion coefficients of an image: a plain loop nest.
 *
 * reference
 *   program srad1
 *   plain
 *   with    clamped.h
 *   types   f32 f64
 *   kernel  srad1_plain
 *   args    image q0sqr coeff
 */
static inline REAL coefficient(REAL c, REAL n, REAL s, REAL w, REAL e, REAL q0sqr)
{
    const REAL g2 = (n * n + s * s + w * w + e * e) / (c * c), l = (n + s + w + e) / c;
    const REAL num = (REAL)0.5 * g2 - l * l / 16, den = 1 + (REAL)0.25 * l;
    const REAL value = 1 / (1 + (num / (den * den) - q0sqr) / (q0sqr * (1 + q0sqr)));

    return value < 0 ? 0 : value > 1 ? 1 : value;
}

void srad1_plain(const REAL *restrict image, REAL q0sqr, REAL *restrict coeff)
{
#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const REAL *c = image + y * NX;
        const REAL *n = y > 0 ? c - NX : c, *s = y < NY - 1 ? c + NX : c;
        REAL *o = coeff + y * NX;

#define POINT(x, west, east)                                                             \
    o[x] = coefficient(c[x], n[x] - c[x], s[x] - c[x], c[west] - c[x], c[east] - c[x],   \
                       q0sqr)
        CLAMPED_ROW(POINT);
    }
}

void srad1_plain_call(void *const *args)
{
    srad1_plain(args[0], *(const REAL *)args[1], args[2]);
}
