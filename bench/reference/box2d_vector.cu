/* Weighted sums over a square of radius R: ROWS rows of vectors a thread. Each row is
 * loaded once, and its terms are added to all sums that are pending; the weights are those
 * of the programs, in the order of reading. The border is kept.
 *
 * reference
 *   program box2d1r    R=1
 *   program box2d2r    R=2
 *   program jacobi2d9  R=1 TABLE={7/118.,5/118.,9/118.,12/118.,15/118.,12/118.,9/118.,5/118.,7/118.}
 *   program gaussian   R=2 TABLE={2/159.,4/159.,5/159.,4/159.,2/159.,4/159.,9/159.,12/159.,9/159.,4/159.,5/159.,12/159.,15/159.,12/159.,5/159.,4/159.,9/159.,12/159.,9/159.,4/159.,2/159.,4/159.,5/159.,4/159.,2/159.}
 *   variant 128-1      BX=128 BY=1 ROWS=1
 *   variant 64x4-2     BX=64 BY=4 ROWS=2
 *   variant 64x2-4     BX=64 BY=2 ROWS=4
 *   variant 128-8      BX=128 BY=1 ROWS=8
 *   variant 128-16     BX=128 BY=1 ROWS=16
 *   with     vector.cuh box2d.h
 *   types    f32 f64
 *   multiple NX, 4
 *   halo     4
 *   rows     32
 *   kernel   box2d_vector
 *   group    BX, BY
 *   groups   ceil(NX * REAL_BYTES / (16 * BX)), ceil(NY / (BY * ROWS))
 *   args     grid out
 */
extern "C" __global__ void __launch_bounds__(BX *BY)
    box2d_vector(const REAL *__restrict__ in, REAL *__restrict__ out)
{
    const int x = LANES * (BX * blockIdx.x + threadIdx.x);
    const int top = ROWS * (BY * blockIdx.y + threadIdx.y);
    vec sums[ROWS] = {}, kept[ROWS];

    if (x >= NX)
        return;
#pragma unroll
    for (int r = -R; r < ROWS + R; r++) {
        /* Rows that do not exist are not asked for. */
        const int y = min(max(top + r, 0), NY - 1);
        const span<R> row = load_span<R>(in + ORIGIN + x + (long)PITCH * y);

        if (r >= 0 && r < ROWS)
            kept[r] = row.middle();
#pragma unroll
        for (int dy = -R; dy <= R; dy++)
#pragma unroll
            for (int dx = -R; r - dy >= 0 && r - dy < ROWS && dx <= R; dx++)
#pragma unroll
                for (int i = 0; i < LANES; i++)
                    sums[r - dy].at[i] += WEIGHT(dy, dx) * row(i, dx);
        if (r < R)
            continue;

        const int done = r - R;
        const bool border = top + done < R || top + done >= NY - R;

        if (top + done >= NY)
            return;
#pragma unroll
        for (int i = 0; i < LANES; i++)
            if (border || x + i < R || x + i >= NX - R)
                sums[done].at[i] = kept[done].at[i];
        store(out + ORIGIN + x + (long)PITCH * (top + done), sums[done]);
    }
}
