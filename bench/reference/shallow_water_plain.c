/* Shallow water, a step in two loops: velocities, then the surface. Rows are shared by
 * the threads, the two ends of a row apart.
 *
 * reference
 *   program shallow_water
 *   plain
 *   with    clamped.h
 *   types   f32 f64
 *   kernel  shallow_water_velocities
 *   args    eta u v g un vn
 *   kernel  shallow_water_surface
 *   args    eta depth un vn k etan
 */
static const REAL zeros[NX];

void shallow_water_velocities_call(void *const *args)
{
    const REAL g = *(const REAL *)args[3];

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const long i = y * NX;
        const REAL *e = (const REAL *)args[0] + i, *s = y < NY - 1 ? e + NX : e;
        const REAL *u = (const REAL *)args[1] + i, *v = (const REAL *)args[2] + i;
        REAL *un = (REAL *)args[4] + i, *vn = (REAL *)args[5] + i;

#pragma omp simd
        for (long x = 0; x < NX - 1; x++)
            un[x] = u[x] - g * (e[x + 1] - e[x]);
        un[NX - 1] = u[NX - 1];
#pragma omp simd
        for (long x = 0; x < NX; x++)
            vn[x] = v[x] - g * (s[x] - e[x]);
    }
}

void shallow_water_surface_call(void *const *args)
{
    const REAL k = *(const REAL *)args[4];

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const long i = y * NX, n = y > 0 ? -NX : 0, s = y < NY - 1 ? NX : 0;
        const REAL *e = (const REAL *)args[0] + i, *d = (const REAL *)args[1] + i;
        const REAL *u = (const REAL *)args[2] + i, *v = (const REAL *)args[3] + i;
        const REAL *above = y > 0 ? v - NX : zeros;
        REAL *o = (REAL *)args[5] + i;

#define HEIGHT(at) (e[at] + d[at])
#define POINT(x, west, east)                                                             \
    o[x] = e[x] - k / 2 *                                                                \
                      (u[x] * (HEIGHT(x) + HEIGHT(east)) -                               \
                       ((x) > 0 ? u[west] : 0) * (HEIGHT(x) + HEIGHT(west)) +            \
                       v[x] * (HEIGHT(x) + HEIGHT((x) + s)) -                            \
                       above[x] * (HEIGHT(x) + HEIGHT((x) + n)))
        CLAMPED_ROW(POINT);
    }
}
