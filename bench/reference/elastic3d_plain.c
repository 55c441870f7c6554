/* Elastic waves in three dimensions, in two loop nests: velocities, then stresses. The
 * grids have a halo of zeros and are updated where they are; of the medium, beyond the
 * border, the last point counts, so the end of a row is apart.
 *
 * reference
 *   program elastic3d
 *   plain
 *   with    elastic.h
 *   types   f32 f64
 *   halo    2 fill 0
 *   stored  wx vx
 *   stored  wy vy
 *   stored  wz vz
 *   stored  txx sxx
 *   stored  tyy syy
 *   stored  tzz szz
 *   stored  txy sxy
 *   stored  txz sxz
 *   stored  tyz syz
 *   kernel  elastic3d_velocities
 *   args    vx vy vz sxx syy szz sxy sxz syz b
 *   kernel  elastic3d_stresses
 *   args    vx vy vz sxx syy szz sxy sxz syz lambda mu
 */
static const long s = PITCH, p = PLANE;

/* How far the next points of the medium are. */
struct next {
    long east, south, back;
};

static inline void accelerate(REAL *restrict const v[3], const REAL *const t[6],
                              const REAL *b, long i, struct next n)
{
    v[0][i] += MEAN(b[i], b[i + n.east]) *
               (AFTER(t[0] + i, 1) + BEFORE(t[3] + i, s) + BEFORE(t[4] + i, p));
    v[1][i] += MEAN(b[i], b[i + n.south]) *
               (BEFORE(t[3] + i, 1) + AFTER(t[1] + i, s) + BEFORE(t[5] + i, p));
    v[2][i] += MEAN(b[i], b[i + n.back]) *
               (BEFORE(t[4] + i, 1) + BEFORE(t[5] + i, s) + AFTER(t[2] + i, p));
}

void elastic3d_velocities_call(void *const *args)
{
    REAL *restrict const v[3] = {args[0], args[1], args[2]};
    const REAL *const t[6] = {args[3], args[4], args[5], args[6], args[7], args[8]};
    const REAL *b = args[9];

#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const long row = ORIGIN + z * p + y * s;
            const long south = y < NY - 1 ? s : 0, back = z < NZ - 1 ? p : 0;

#pragma omp simd
            for (long x = 0; x < NX - 1; x++)
                accelerate(v, t, b, row + x, (struct next){1, south, back});
            accelerate(v, t, b, row + NX - 1, (struct next){0, south, back});
        }
}

static inline void strain(const REAL *const v[3], REAL *restrict const t[6],
                          const REAL *const medium[2], long i, struct next n)
{
    const REAL xx = BEFORE(v[0] + i, 1), yy = BEFORE(v[1] + i, s);
    const REAL zz = BEFORE(v[2] + i, p), *mu = medium[1] + i, m = 2 * mu[0];
    const REAL volume = medium[0][i] * (xx + yy + zz);

    t[0][i] += volume + m * xx;
    t[1][i] += volume + m * yy;
    t[2][i] += volume + m * zz;
    t[3][i] += HARMONIC(mu[0], mu[n.east], mu[n.south], mu[n.east + n.south]) *
               (AFTER(v[0] + i, s) + AFTER(v[1] + i, 1));
    t[4][i] += HARMONIC(mu[0], mu[n.east], mu[n.back], mu[n.east + n.back]) *
               (AFTER(v[0] + i, p) + AFTER(v[2] + i, 1));
    t[5][i] += HARMONIC(mu[0], mu[n.south], mu[n.back], mu[n.south + n.back]) *
               (AFTER(v[1] + i, p) + AFTER(v[2] + i, s));
}

void elastic3d_stresses_call(void *const *args)
{
    const REAL *const v[3] = {args[0], args[1], args[2]};
    REAL *restrict const t[6] = {args[3], args[4], args[5], args[6], args[7], args[8]};
    const REAL *const medium[2] = {args[9], args[10]};

#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const long row = ORIGIN + z * p + y * s;
            const long south = y < NY - 1 ? s : 0, back = z < NZ - 1 ? p : 0;

#pragma omp simd
            for (long x = 0; x < NX - 1; x++)
                strain(v, t, medium, row + x, (struct next){1, south, back});
            strain(v, t, medium, row + NX - 1, (struct next){0, south, back});
        }
}
