/* The image after a step of diffusion: a plain loop nest.
 *
 * reference
 *   program srad2
 *   plain
 *   types   f32 f64
 *   kernel  srad2_plain
 *   args    image coeff dn ds de dw out
 */
void srad2_plain(void *const *args)
{
    const REAL *restrict image = args[0], *restrict coeff = args[1];
    const REAL *restrict dn = args[2], *restrict ds = args[3], *restrict de = args[4],
                         *restrict dw = args[5];
    REAL *restrict out = args[6];

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const REAL *c = coeff + y * NX, *s = y < NY - 1 ? c + NX : c;
        const long row = y * NX, last = row + NX - 1;

#pragma omp simd
        for (long x = 0; x < NX - 1; x++)
            out[row + x] = image[row + x] +
                           (REAL)0.125 * (c[x] * (dn[row + x] + dw[row + x]) +
                                          s[x] * ds[row + x] + c[x + 1] * de[row + x]);
        out[last] =
            image[last] + (REAL)0.125 * (c[NX - 1] * (dn[last] + dw[last] + de[last]) +
                                         s[NX - 1] * ds[last]);
    }
}

void srad2_plain_call(void *const *args)
{
    srad2_plain(args);
}
