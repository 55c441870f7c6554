/* Weighted sums over a square of radius R: one thread a point, straight from memory. The
 * border is kept.
 *
 * reference
 *   program box2d1r    R=1
 *   program box2d2r    R=2
 *   program jacobi2d9  R=1 TABLE={7/118.,5/118.,9/118.,12/118.,15/118.,12/118.,9/118.,5/118.,7/118.}
 *   program gaussian   R=2 TABLE={2/159.,4/159.,5/159.,4/159.,2/159.,4/159.,9/159.,12/159.,9/159.,4/159.,5/159.,12/159.,15/159.,12/159.,5/159.,4/159.,9/159.,12/159.,9/159.,4/159.,2/159.,4/159.,5/159.,4/159.,2/159.}
 *   variant 32x8  BX=32 BY=8
 *   variant 64x4  BX=64 BY=4
 *   with    box2d.h
 *   types   f32 f64
 *   kernel  box2d_plain
 *   group   BX, BY
 *   groups  ceil(NX / BX), ceil(NY / BY)
 *   args    grid out
 */
extern "C" __global__ void box2d_plain(const REAL *__restrict__ in, REAL *__restrict__ out)
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y;
    const long at = ORIGIN + x + (long)PITCH * y;
    REAL sum = 0;

    if (x >= NX || y >= NY)
        return;
    if (x < R || x >= NX - R || y < R || y >= NY - R) {
        out[at] = in[at];
        return;
    }
#pragma unroll
    for (int dy = -R; dy <= R; dy++)
#pragma unroll
        for (int dx = -R; dx <= R; dx++)
            sum += WEIGHT(dy, dx) * in[at + dx + dy * (long)PITCH];
    out[at] = sum;
}
