/* A shot below a free surface: a plain loop nest on grids with a halo, whose result is
 * stored in the place of the older field; then the source, receivers and the plane below
 * the surface.
 *
 * reference
 *   program surface_shot
 *   plain
 *   with    points.h
 *   halo    4 fill 0
 *   stored  next v
 *   kernel  surface_shot_plain
 *   args    u v k series now sat sw rat rw surface well later
 */
#include <string.h>

#define PAIR(u, m, step) ((u)[(m) * (long)(step)] + (u)[-(m) * (long)(step)])
#define SIDES(u, step)                                                                   \
    ((REAL)(8. / 5) * PAIR(u, 1, step) - (REAL)(1. / 5) * PAIR(u, 2, step) +             \
     (REAL)(8. / 315) * PAIR(u, 3, step) - (REAL)(1. / 560) * PAIR(u, 4, step))

static void step(const REAL *restrict u, REAL *restrict v, const REAL *restrict k)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const long row = ORIGIN + z * PLANE + y * PITCH;
            const REAL *c = u + row, *q = k + row;
            REAL *o = v + row;

#pragma omp simd
            for (long x = 0; x < NX; x++)
                o[x] = 2 * c[x] - o[x] +
                       q[x] * ((REAL)(-3 * 205. / 72) * c[x] + SIDES(c + x, 1) +
                               SIDES(c + x, PITCH) + SIDES(c + x, PLANE));
        }
}

void surface_shot_plain_call(void *const *args)
{
    const REAL *u = args[0];
    const int *now = args[4];
    REAL *surface = args[9];
    int *later = args[11];

    step(u, args[1], args[2]);
    add_sources(args[1], args[3], now[0], args[5], args[6]);
    for (long y = 0; y < NY; y++)
        memcpy(surface + y * NX, u + ORIGIN + PLANE + y * PITCH, NX * sizeof *u);
    read_receivers(u, args[7], args[8], args[10]);
    later[0] = now[0] + 1;
}
