// clang-format off
/* As box3d_plain.c, in two dimensions.
 *
 * reference
 *   program box2d1r    R=1
 *   program box2d2r    R=2
 *   program box2d3r    R=3
 *   program box2d4r    R=4
 *   program jacobi2d9  R=1 TABLE={7/118.,5/118.,9/118.,12/118.,15/118.,12/118.,9/118.,5/118.,7/118.}
 *   program gaussian   R=2 TABLE={2/159.,4/159.,5/159.,4/159.,2/159.,4/159.,9/159.,12/159.,9/159.,4/159.,5/159.,12/159.,15/159.,12/159.,5/159.,4/159.,9/159.,12/159.,9/159.,4/159.,2/159.,4/159.,5/159.,4/159.,2/159.}
 *   program stencil2d  R=1 TABLE={.05,.15,.05,.15,.25,.15,.05,.15,.05}
 *   program j2d9pt_gol R=1 TABLE={7.1/118,5.1/118,9.2/118,12.1/118,15/118.,12.2/118,9.1/118,5.2/118,7.2/118}
 *   plain
 *   with    box2d.h sums.h kept2d.h
 *   types   f32 f64
 *   kernel  box2d_plain
 *   args    grid out
 */
// clang-format on
#define TAP(at, y, x)                                                                    \
    (WEIGHT(y, x) == 0 ? 0 : WEIGHT(y, x) * (at)[(y) * (long)PITCH + (x)])
#define IN_ROW(at, y) row(at, y)

INLINE REAL row(const REAL *at, int y)
{
    return SUM(TAP, at, y);
}

INLINE REAL point(const REAL *at)
{
    return SUM(IN_ROW, at);
}

void box2d_plain(const REAL *restrict in, REAL *restrict out)
{
    kept2d(in, out);
}

void box2d_plain_call(void *const *args)
{
    box2d_plain(args[0], args[1]);
}
