/* As kept3d.h, in two dimensions. */
static inline __attribute__((always_inline)) REAL point(const REAL *at);

static inline void copy_points(REAL *restrict to, const REAL *restrict from, long low,
                               long high)
{
#pragma omp simd
    for (long x = low; x < high; x++)
        to[x] = from[x];
}

static inline void kept2d(const REAL *restrict in, REAL *restrict out)
{
#pragma omp parallel for schedule(static)
    for (long y = 0; y < NY; y++) {
        const REAL *from = in + ORIGIN + y * PITCH;
        REAL *to = out + ORIGIN + y * PITCH;

        if (y < R || y >= NY - R) {
            copy_points(to, from, 0, NX);
            continue;
        }
        copy_points(to, from, 0, R);
#pragma omp simd
        for (long x = R; x < NX - R; x++)
            to[x] = point(from + x);
        copy_points(to, from, NX - R, NX);
    }
}
