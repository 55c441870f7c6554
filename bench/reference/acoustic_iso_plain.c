/* The acoustic wave equation, 25 points: a plain loop nest on grids with a halo, whose
 * result is stored in the place of the older field.
 *
 * reference
 *   program acoustic_iso
 *   plain
 *   with    acoustic_iso.h seconds.h
 *   types   f32 f64
 *   halo    4 fill 0
 *   stored  next v
 *   kernel  acoustic_iso_plain
 *   args    u v vp
 */
void acoustic_iso_plain(const REAL *restrict u, REAL *restrict v, const REAL *restrict vp)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const long row = ORIGIN + z * PLANE + y * PITCH;
            const REAL *c = u + row, *q = vp + row;
            REAL *o = v + row;

#pragma omp simd
            for (long x = 0; x < NX; x++)
                o[x] = 2 * c[x] - o[x] + q[x] * LAPLACIAN(c + x);
        }
}

void acoustic_iso_plain_call(void *const *args)
{
    acoustic_iso_plain(args[0], args[1], args[2]);
}
