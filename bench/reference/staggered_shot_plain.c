/* A shot in a medium of varying density: a loop nest for the fluxes and one for the
 * pressure, on grids with a halo, the result in the place of the older field; then the
 * source and receivers.
 *
 * reference
 *   program   staggered_shot
 *   plain
 *   with      points.h
 *   halo      4 fill 0
 *   stored    next v
 *   temporary fx u
 *   temporary fy u
 *   temporary fz u
 *   kernel    fluxes
 *   args      u b fx fy fz
 *   kernel    pressure
 *   args      fx fy fz u v kappa sz sy sx series now sat sw rat rw trace later
 */
#define PART(u, m, step) ((u)[(m) * (long)(step)] - (u)[(1 - (m)) * (long)(step)])
#define AFTER(u, step)                                                                   \
    ((REAL)(1225. / 1024) * PART(u, 1, step) - (REAL)(245. / 3072) * PART(u, 2, step) +  \
     (REAL)(49. / 5120) * PART(u, 3, step) - (REAL)(5. / 7168) * PART(u, 4, step))
#define BEFORE(u, step) AFTER((u) - (long)(step), step)

static void find_fluxes(const REAL *restrict u, const REAL *restrict b, REAL *restrict fx,
                        REAL *restrict fy, REAL *restrict fz)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const long row = ORIGIN + z * PLANE + y * PITCH;
            const REAL *c = u + row, *d = b + row;
            REAL *ox = fx + row, *oy = fy + row, *oz = fz + row;

#pragma omp simd
            for (long x = 0; x < NX; x++) {
                ox[x] = d[x] * AFTER(c + x, 1);
                oy[x] = d[x] * AFTER(c + x, PITCH);
                oz[x] = d[x] * AFTER(c + x, PLANE);
            }
        }
}

struct medium {
    const REAL *kappa, *sz, *sy, *sx;
};

static void find_pressure(const REAL *restrict fx, const REAL *restrict fy,
                          const REAL *restrict fz, const REAL *restrict u,
                          REAL *restrict v, const struct medium *m)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const long row = ORIGIN + z * PLANE + y * PITCH;
            const REAL *ax = fx + row, *ay = fy + row, *az = fz + row, *c = u + row;
            const REAL *q = m->kappa + row, *sx = m->sx;
            const REAL s = m->sz[z] * m->sy[y];
            REAL *o = v + row;

#pragma omp simd
            for (long x = 0; x < NX; x++)
                o[x] = s * sx[x] *
                       (2 * c[x] - s * sx[x] * o[x] +
                        q[x] * (BEFORE(ax + x, 1) + BEFORE(ay + x, PITCH) +
                                BEFORE(az + x, PLANE)));
        }
}

void fluxes_call(void *const *args)
{
    find_fluxes(args[0], args[1], args[2], args[3], args[4]);
}

void pressure_call(void *const *args)
{
    const struct medium m = {args[5], args[6], args[7], args[8]};
    const int *now = args[10];
    int *later = args[16];

    find_pressure(args[0], args[1], args[2], args[3], args[4], &m);
    add_sources(args[4], args[9], now[0], args[11], args[12]);
    read_receivers(args[3], args[13], args[14], args[15]);
    later[0] = now[0] + 1;
}
