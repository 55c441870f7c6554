/* The temperature of a stack of chips: a plain loop nest.
 *
 * reference
 *   program hotspot3d
 *   plain
 *   with    clamped.h
 *   types   f32 f64
 *   kernel  hotspot3d_plain
 *   args    temp power out
 */
void hotspot3d_plain(const REAL *restrict temp, const REAL *restrict power,
                     REAL *restrict out)
{
    const REAL ambient = 80, side = 0.03413332998752593994,
               layer = 0.00053333328105509281, centre = 0.86186665296554565430,
               step = 0.34133329987525939941;
    const long area = (long)NX * NY;

#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const REAL *t = temp + z * area + y * NX, *p = power + z * area + y * NX;
            const REAL *n = y > 0 ? t - NX : t, *s = y < NY - 1 ? t + NX : t;
            const REAL *d = z > 0 ? t - area : t, *u = z < NZ - 1 ? t + area : t;
            REAL *o = out + z * area + y * NX;

#define POINT(x, west, east)                                                             \
    o[x] = centre * t[x] + side * (t[west] + t[east] + n[x] + s[x]) +                    \
           layer * (d[x] + u[x]) + step * p[x] + layer * ambient
            CLAMPED_ROW(POINT);
        }
}

void hotspot3d_plain_call(void *const *args)
{
    hotspot3d_plain(args[0], args[1], args[2]);
}
