/* Room acoustics, 7 points, in plain C with OpenMP: rows
 * shared by the threads, tests for y and z outside the inner loop, the two ends of a row
 * apart, the rest vectorised.
 *
 * reference
 *   program acoustic
 *   plain
 *   types   f32 f64
 *   kernel  acoustic_plain
 *   args    prev cur next
 */
static const REAL zeros[NX];

static inline REAL point(int k, REAL c, REAL s, REAL p)
{
    const REAL l2 = 1.0 / 3.0, lambda_alpha = 0.57735026918962576 * 0.005;
    REAL cf = k < 6 ? 1 / (1 + lambda_alpha) : 1;
    REAL cf2 = k < 6 ? 1 - lambda_alpha : 1;

    return cf * ((2 - l2 * (REAL)k) * c + l2 * s - cf2 * p);
}

void acoustic_plain(const REAL *restrict prev, const REAL *restrict cur,
                    REAL *restrict next)
{
    const long area = NX * NY, e = NX - 1;

#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const REAL *c = cur + z * area + y * NX, *p = prev + z * area + y * NX;
            const REAL *n = y > 0 ? c - NX : zeros, *s = y < NY - 1 ? c + NX : zeros;
            const REAL *d = z > 0 ? c - area : zeros, *u = z < NZ - 1 ? c + area : zeros;
            REAL *o = next + z * area + y * NX;
            int k = (y > 0) + (y < NY - 1) + (z > 0) + (z < NZ - 1);

            o[0] = point(k + 1, c[0], c[1] + n[0] + s[0] + d[0] + u[0], p[0]);
#pragma omp simd
            for (long x = 1; x < NX - 1; x++)
                o[x] = point(k + 2, c[x], c[x - 1] + c[x + 1] + n[x] + s[x] + d[x] + u[x],
                             p[x]);
            o[e] = point(k + 1, c[e], c[e - 1] + n[e] + s[e] + d[e] + u[e], p[e]);
        }
}

void acoustic_plain_call(void *const *args)
{
    acoustic_plain(args[0], args[1], args[2]);
}
