/* Points off a grid with a halo: injection of sources and sampling of receivers. */
#ifndef REFERENCE_POINTS_H
#define REFERENCE_POINTS_H

/* The value of source 'p' of NS in step 'n' of NT; behind the end of the series nothing.
 */
static REAL sent(const REAL *series, int n, long p)
{
    return n >= 0 && n < NT ? series[n * NS + p] : 0;
}

#ifdef PLANE
static int is_inside(long z, long y, long x)
{
    return z >= 0 && z < NZ && y >= 0 && y < NY && x >= 0 && x < NX;
}

static void add_sources(REAL *u, const REAL *series, int now, const int *at,
                        const REAL *w)
{
    for (long p = 0; p < NS; p++, at += 3, w += 3 * Q)
        for (long i = 0; i < Q; i++)
            for (long j = 0; j < Q; j++)
                for (long k = 0; k < Q; k++) {
                    const long z = at[0] + i, y = at[1] + j, x = at[2] + k;

                    if (is_inside(z, y, x))
                        u[ORIGIN + z * PLANE + y * PITCH + x] +=
                            w[i] * w[Q + j] * w[2 * Q + k] * sent(series, now, p);
                }
}

static void read_receivers(const REAL *u, const int *at, const REAL *w, REAL *trace)
{
    for (long p = 0; p < NR; p++, at += 3, w += 3 * Q) {
        REAL sum = 0;

        for (long i = 0; i < Q; i++)
            for (long j = 0; j < Q; j++)
                for (long k = 0; k < Q; k++) {
                    const long z = at[0] + i, y = at[1] + j, x = at[2] + k;

                    if (is_inside(z, y, x))
                        sum += w[i] * w[Q + j] * w[2 * Q + k] *
                               u[ORIGIN + z * PLANE + y * PITCH + x];
                }
        trace[p] = sum;
    }
}
#else
static int is_inside(long y, long x)
{
    return y >= 0 && y < NY && x >= 0 && x < NX;
}

static void add_sources(REAL *u, const REAL *series, int now, const int *at,
                        const REAL *w)
{
    for (long p = 0; p < NS; p++, at += 2, w += 2 * Q)
        for (long j = 0; j < Q; j++)
            for (long k = 0; k < Q; k++)
                if (is_inside(at[0] + j, at[1] + k))
                    u[ORIGIN + (at[0] + j) * PITCH + at[1] + k] +=
                        w[j] * w[Q + k] * sent(series, now, p);
}

static void read_receivers(const REAL *u, const int *at, const REAL *w, REAL *trace)
{
    for (long p = 0; p < NR; p++, at += 2, w += 2 * Q) {
        REAL sum = 0;

        for (long j = 0; j < Q; j++)
            for (long k = 0; k < Q; k++)
                if (is_inside(at[0] + j, at[1] + k))
                    sum += w[j] * w[Q + k] * u[ORIGIN + (at[0] + j) * PITCH + at[1] + k];
        trace[p] = sum;
    }
}
#endif
#endif
