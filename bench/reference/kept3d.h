/* Grids in three dimensions whose boundary, R wide, is kept, in plain C with OpenMP:
 * threads share the rows, the ends of a row are computed separately, the rest is
 * vectorised. */
static inline __attribute__((always_inline)) REAL point(const REAL *at);

static inline void copy_points(REAL *restrict to, const REAL *restrict from, long low,
                               long high)
{
#pragma omp simd
    for (long x = low; x < high; x++)
        to[x] = from[x];
}

static inline void kept3d(const REAL *restrict in, REAL *restrict out)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const REAL *from = in + ORIGIN + z * PLANE + y * PITCH;
            REAL *to = out + ORIGIN + z * PLANE + y * PITCH;

            if (z < R || z >= NZ - R || y < R || y >= NY - R) {
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
