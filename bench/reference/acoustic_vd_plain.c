/* The acoustic wave equation where density varies, 25 points: a plain loop nest on grids
 * with a halo, whose result is stored in the place of the older field.
 *
 * reference
 *   program acoustic_vd
 *   plain
 *   with    acoustic_iso.h
 *   types   f32 f64
 *   halo    4 fill 0
 *   stored  next v
 *   kernel  acoustic_vd_plain
 *   args    u v b kappa
 */
#define FROM(u, b, m) (((b)[0] + (b)[m]) * ((u)[m] - (u)[0]))
#define PAIR(u, b, m, step)                                                              \
    (FROM(u, b, (m) * (long)(step)) + FROM(u, b, -(m) * (long)(step)))
#define FLOWS(u, b, step)                                                                \
    ((REAL)SECOND(1) * PAIR(u, b, 1, step) + (REAL)SECOND(2) * PAIR(u, b, 2, step) +     \
     (REAL)SECOND(3) * PAIR(u, b, 3, step) + (REAL)SECOND(4) * PAIR(u, b, 4, step))

void acoustic_vd_plain(const REAL *restrict u, REAL *restrict v, const REAL *restrict b,
                       const REAL *restrict kappa)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const long row = ORIGIN + z * PLANE + y * PITCH;
            const REAL *c = u + row, *d = b + row, *q = kappa + row;
            REAL *o = v + row;

#pragma omp simd
            for (long x = 0; x < NX; x++)
                o[x] = 2 * c[x] - o[x] +
                       q[x] * ((REAL)(KX / 2) * FLOWS(c + x, d + x, 1) +
                               (REAL)(KY / 2) * FLOWS(c + x, d + x, PITCH) +
                               (REAL)(KZ / 2) * FLOWS(c + x, d + x, PLANE));
        }
}

void acoustic_vd_plain_call(void *const *args)
{
    acoustic_vd_plain(args[0], args[1], args[2], args[3]);
}
