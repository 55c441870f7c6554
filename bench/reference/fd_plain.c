// clang-format off
/* Second derivatives of eighth order: a plain loop nest on grids with a halo.
 *
 * reference
 *   program fd_x       AXES(c)=((REAL)KX*SECOND_OF(c,1))
 *   program fd_y       AXES(c)=((REAL)KY*SECOND_OF(c,PITCH))
 *   program fd_z       AXES(c)=((REAL)KZ*SECOND_OF(c,PLANE))
 *   program fd_xy      AXES(c)=((REAL)KX*SECOND_OF(c,1)+(REAL)KY*SECOND_OF(c,PITCH))
 *   program fd_xyz     AXES(c)=((REAL)KX*SECOND_OF(c,1)+(REAL)KY*SECOND_OF(c,PITCH)+(REAL)KZ*SECOND_OF(c,PLANE))
 *   plain
 *   with    acoustic_iso.h
 *   types   f32 f64
 *   halo    4 fill 0
 *   kernel  fd_plain
 *   args    field out
 */
// clang-format on
#define PAIR(at, m, step) ((at)[(m) * (long)(step)] + (at)[-(m) * (long)(step)])
#define SECOND_OF(at, step)                                                              \
    ((REAL)(-205. / 72) * (at)[0] + (REAL)SECOND(1) * PAIR(at, 1, step) +                \
     (REAL)SECOND(2) * PAIR(at, 2, step) + (REAL)SECOND(3) * PAIR(at, 3, step) +         \
     (REAL)SECOND(4) * PAIR(at, 4, step))

void fd_plain(const REAL *restrict field, REAL *restrict out)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const REAL *c = field + ORIGIN + z * PLANE + y * PITCH;
            REAL *o = out + ORIGIN + z * PLANE + y * PITCH;

#pragma omp simd
            for (long x = 0; x < NX; x++)
                o[x] = AXES(c + x);
        }
}

void fd_plain_call(void *const *args)
{
    fd_plain(args[0], args[1]);
}
