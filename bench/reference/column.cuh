/* A star whose column of vectors a thread keeps in registers, while planes come one after
 * the other, each in a stage of a ring in shared memory. When a plane arrives, its own terms
 * (along x and y) are added to what is pending for it; the terms along z follow when the
 * column is complete. ALONG_X, ALONG_Y and ALONG_Z are the weights by distance, that of the
 * centre among those along x. */
enum {
    SIDE = span<R>::SIDE,
    WIDE = LANES * BX + 2 * SIDE,
    HIGH = BY + 2 * R,
    THREADS = BX * BY,
    CELLS = (WIDE * HIGH * REAL_BYTES + 127) / 128 * 128 / REAL_BYTES
};

struct column {
    vec values[2 * R + 1], pending[R + 1];
};

__device__ __forceinline__ void add(vec &sum, REAL c, const vec &a)
{
#pragma unroll
    for (int i = 0; i < LANES; i++)
        sum.at[i] += c * a.at[i];
}

/* The plane's own terms around 'at', of which the middle is given back, too. */
__device__ __forceinline__ vec planar(const REAL *at, vec &middle)
{
    const span<R> row = load_span<R>(at);
    vec sum = {};

    middle = row.middle();
#pragma unroll
    for (int m = -R; m <= R; m++) {
#pragma unroll
        for (int i = 0; i < LANES; i++)
            sum.at[i] += ALONG_X(m) * row(i, m);
        if (m != 0)
            add(sum, ALONG_Y(m), load(at + m * WIDE));
    }
    return sum;
}

/* The next plane enters; what is complete then: the sum for values[R]. */
__device__ __forceinline__ vec enter(column &c, const REAL *at)
{
#pragma unroll
    for (int m = 0; m < 2 * R; m++)
        c.values[m] = c.values[m + 1];
#pragma unroll
    for (int m = 0; m < R; m++)
        c.pending[m] = c.pending[m + 1];
    c.pending[R] = planar(at, c.values[2 * R]);

    vec sum = c.pending[0];

#pragma unroll
    for (int m = -R; m <= R; m++)
        if (m != 0)
            add(sum, ALONG_Z(m), c.values[R + m]);
    return sum;
}
