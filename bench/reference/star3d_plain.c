// clang-format off
/* Weighted sums over a star of radius R: a plain loop nest. The border is kept.
 *
 * reference
 *   program star3d1r   R=1
 *   program star3d2r   R=2
 *   program star3d3r   R=3
 *   program star3d4r   R=4
 *   program jacobi3d7  R=1 X={.162,-1.67,.161} Y={.164,0,.163} Z={.166,0,.165}
 *   program heat       R=1 X={.125,.25,.125} Y={.125,0,.125} Z={.125,0,.125}
 *   program jacobi3d13 R=2 X={.083,.083,-.996,.083,.083} Y={.083,.083,0,.083,.083} Z={.083,.083,0,.083,.083}
 *   program leggy13    R=2 X={.081/4.,.081,.21,.082,.082/4.} Y={.083/4,.083,0,.084,.084/4} Z={.085/4,.085,0,.086,.086/4}
 *   program leggy19    R=3 X={.081/9.,.081/4.,.081,.21,.082,.082/4.,.082/9.} Y={.083/9,.083/4,.083,0,.084,.084/4,.084/9} Z={.085/9,.085/4,.085,0,.086,.086/4,.086/9}
 *   plain
 *   with    star3d.h sums.h kept3d.h
 *   types   f32 f64
 *   kernel  star3d_plain
 *   args    grid out
 */
// clang-format on
#define IN_X(at, m) ALONG_X(m) * (at)[m]
#define IN_Y(at, m) ((m) == 0 ? 0 : ALONG_Y(m) * (at)[(m) * (long)PITCH])
#define IN_Z(at, m) ((m) == 0 ? 0 : ALONG_Z(m) * (at)[(m) * (long)PLANE])

INLINE REAL point(const REAL *at)
{
    return SUM(IN_X, at) + SUM(IN_Y, at) + SUM(IN_Z, at);
}

void star3d_plain(const REAL *restrict in, REAL *restrict out)
{
    kept3d(in, out);
}

void star3d_plain_call(void *const *args)
{
    star3d_plain(args[0], args[1]);
}
