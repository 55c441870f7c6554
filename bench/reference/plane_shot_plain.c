/* A shot in a plane: a plain loop nest on grids with a halo, whose result is stored in
 * the place of the older field; then sources and receivers.
 *
 * reference
 *   program plane_shot
 *   plain
 *   with    points.h
 *   halo    4 fill 0
 *   stored  next v
 *   kernel  plane_shot_plain
 *   args    u v k damp series now sat sw rat rw trace later
 */
#define PAIR(u, m, step) ((u)[(m) * (long)(step)] + (u)[-(m) * (long)(step)])
#define SECOND(u, step)                                                                  \
    ((REAL)(-205. / 72) * (u)[0] + (REAL)(8. / 5) * PAIR(u, 1, step) -                   \
     (REAL)(1. / 5) * PAIR(u, 2, step) + (REAL)(8. / 315) * PAIR(u, 3, step) -           \
     (REAL)(1. / 560) * PAIR(u, 4, step))

static void step(const REAL *restrict u, REAL *restrict v, const REAL *restrict k,
                 const REAL *restrict damp)
{
#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const long row = ORIGIN + y * PITCH;
        const REAL *c = u + row, *q = k + row, *d = damp + row;
        REAL *o = v + row;

#pragma omp simd
        for (long x = 0; x < NX; x++)
            o[x] = d[x] * (2 * c[x] - d[x] * o[x] +
                           q[x] * (SECOND(c + x, 1) + SECOND(c + x, PITCH)));
    }
}

void plane_shot_plain_call(void *const *args)
{
    const int *now = args[5];
    int *later = args[11];

    step(args[0], args[1], args[2], args[3]);
    add_sources(args[1], args[4], now[0], args[6], args[7]);
    read_receivers(args[0], args[8], args[9], args[10]);
    later[0] = now[0] + 1;
}
