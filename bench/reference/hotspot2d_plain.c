/* The temperature of a chip: a plain loop nest.
 *
 * reference
 *   program hotspot2d
 *   plain
 *   with    clamped.h
 *   types   f32 f64
 *   kernel  hotspot2d_plain
 *   args    temp power out
 */
void hotspot2d_plain(const REAL *restrict temp, const REAL *restrict power,
                     REAL *restrict out)
{
    const REAL ambient = 80, step = 0.341333299875259, rx = 0.1, ry = 0.1,
               rz = 0.00019531250291;

#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const REAL *t = temp + y * NX, *p = power + y * NX;
        const REAL *n = y > 0 ? t - NX : t, *s = y < NY - 1 ? t + NX : t;
        REAL *o = out + y * NX;

#define POINT(x, west, east)                                                             \
    o[x] = t[x] + step * (p[x] + ry * (n[x] + s[x] - 2 * t[x]) +                         \
                          rx * (t[west] + t[east] - 2 * t[x]) + rz * (ambient - t[x]))
        CLAMPED_ROW(POINT);
    }
}

void hotspot2d_plain_call(void *const *args)
{
    hotspot2d_plain(args[0], args[1], args[2]);
}
