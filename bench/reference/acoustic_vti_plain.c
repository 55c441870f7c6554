/* Acoustic waves, vertical axis of anisotropy: a plain loop nest on grids with a halo,
 * whose results are stored in the place of the older fields.
 *
 * reference
 *   program acoustic_vti
 *   plain
 *   with    acoustic_iso.h seconds.h
 *   types   f32 f64
 *   halo    4 fill 0
 *   stored  pn pb
 *   stored  qn qb
 *   kernel  acoustic_vti_plain
 *   args    p q pb qb vp epsilon delta
 */
#define ACROSS(at) ((REAL)KX * SECOND_OF(at, 1) + (REAL)KY * SECOND_OF(at, PITCH))
#define ALONG(at) ((REAL)KZ * SECOND_OF(at, PLANE))

static inline void row(const REAL *restrict p, const REAL *restrict q, REAL *restrict pb,
                       REAL *restrict qb, const REAL *restrict vp,
                       const REAL *restrict epsilon, const REAL *restrict delta)
{
#pragma omp simd
    for (long x = 0; x < NX; x++) {
        const REAL s = ACROSS(p + x) + ACROSS(q + x);

        pb[x] = 2 * p[x] - pb[x] + vp[x] * ((1 + 2 * delta[x]) * s + ALONG(p + x));
        qb[x] = 2 * q[x] - qb[x] + vp[x] * (2 * (epsilon[x] - delta[x]) * s);
    }
}

void acoustic_vti_plain_call(void *const *args)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const long i = ORIGIN + z * PLANE + y * PITCH;

            row((REAL *)args[0] + i, (REAL *)args[1] + i, (REAL *)args[2] + i,
                (REAL *)args[3] + i, (REAL *)args[4] + i, (REAL *)args[5] + i,
                (REAL *)args[6] + i);
        }
}
