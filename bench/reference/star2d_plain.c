// clang-format off
/* As star3d_plain.c, in two dimensions.
 *
 * reference
 *   program star2d1r   R=1
 *   program star2d2r   R=2
 *   program star2d3r   R=3
 *   program jacobi2d5  R=1 ROW={12/118.,15/118.,12/118.} COLUMN={5/118.,0,5/118.}
 *   program star2d4r   R=4 ROW={-.2222,.06253,.06243,.06248,.25005,.06248,.06243,.06253,-.2222} COLUMN={.11111,.06251,.06255,.06245,0,.06245,.06255,.06251,.11111}
 *   program j2d5pt     R=1 ROW={12.1/118,15/118.,12.2/118} COLUMN={5.1/118,0,5.2/118}
 *   program j2d9pt     R=2 ROW={9.2/118,12.1/118,15/118.,12.2/118,9.1/118} COLUMN={7.1/118,5.1/118,0,5.2/118,7.2/118}
 *   plain
 *   with    star2d.h sums.h kept2d.h
 *   types   f32 f64
 *   kernel  star2d_plain
 *   args    grid out
 */
// clang-format on
#define IN_X(at, m) ACROSS(m) * (at)[m]
#define IN_Y(at, m) ((m) == 0 ? 0 : ALONG(m) * (at)[(m) * (long)PITCH])

INLINE REAL point(const REAL *at)
{
    return SUM(IN_X, at) + SUM(IN_Y, at);
}

void star2d_plain(const REAL *restrict in, REAL *restrict out)
{
    kept2d(in, out);
}

void star2d_plain_call(void *const *args)
{
    star2d_plain(args[0], args[1]);
}
