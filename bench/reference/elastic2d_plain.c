/* Elastic waves in a plane, in two loop nests: velocities, then stresses. The grids have
 * a halo of zeros and are updated where they are; of the medium, beyond the border, the
 * last point counts, so the end of a row is apart.
 *
 * reference
 *   program elastic2d
 *   plain
 *   with    elastic.h
 *   types   f32 f64
 *   halo    2 fill 0
 *   stored  wx vx
 *   stored  wy vy
 *   stored  txx sxx
 *   stored  tyy syy
 *   stored  txy sxy
 *   kernel  elastic2d_velocities
 *   args    vx vy sxx syy sxy b
 *   kernel  elastic2d_stresses
 *   args    vx vy sxx syy sxy lambda mu
 */
static const long s = PITCH;

static inline void accelerate(REAL *restrict const v[2], const REAL *const t[3],
                              const REAL *b, long i, long east, long south)
{
    v[0][i] += MEAN(b[i], b[i + east]) * (AFTER(t[0] + i, 1) + BEFORE(t[2] + i, s));
    v[1][i] += MEAN(b[i], b[i + south]) * (BEFORE(t[2] + i, 1) + AFTER(t[1] + i, s));
}

void elastic2d_velocities_call(void *const *args)
{
    REAL *restrict const v[2] = {args[0], args[1]};
    const REAL *const t[3] = {args[2], args[3], args[4]}, *b = args[5];

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const long row = ORIGIN + y * s, south = y < NY - 1 ? s : 0;

#pragma omp simd
        for (long x = 0; x < NX - 1; x++)
            accelerate(v, t, b, row + x, 1, south);
        accelerate(v, t, b, row + NX - 1, 0, south);
    }
}

static inline void strain(const REAL *const v[2], REAL *restrict const t[3],
                          const REAL *lambda, const REAL *mu, long i, long east,
                          long south)
{
    const REAL xx = BEFORE(v[0] + i, 1), yy = BEFORE(v[1] + i, s), m = mu[i];
    const REAL volume = lambda[i] * (xx + yy);

    t[0][i] += volume + 2 * m * xx;
    t[1][i] += volume + 2 * m * yy;
    t[2][i] += HARMONIC(m, mu[i + east], mu[i + south], mu[i + east + south]) *
               (AFTER(v[0] + i, s) + AFTER(v[1] + i, 1));
}

void elastic2d_stresses_call(void *const *args)
{
    const REAL *const v[2] = {args[0], args[1]}, *lambda = args[5], *mu = args[6];
    REAL *restrict const t[3] = {args[2], args[3], args[4]};

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const long row = ORIGIN + y * s, south = y < NY - 1 ? s : 0;

#pragma omp simd
        for (long x = 0; x < NX - 1; x++)
            strain(v, t, lambda, mu, row + x, 1, south);
        strain(v, t, lambda, mu, row + NX - 1, 0, south);
    }
}
