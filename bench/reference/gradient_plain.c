/* The gradient of an image: a plain loop nest. The border is kept.
 *
 * reference
 *   program gradient   R=1
 *   plain
 *   with    sums.h kept2d.h
 *   types   f32 f64
 *   kernel  gradient_plain
 *   args    grid out
 */
#include <math.h>

INLINE REAL square(REAL x)
{
    return x * x;
}

INLINE REAL point(const REAL *at)
{
    const REAL c = at[0];
    const REAL sum = square(c - at[-PITCH]) + square(c - at[PITCH]) + square(c - at[-1]) +
                     square(c - at[1]);

    return c + 1 / (REAL)sqrt((REAL)0.0001 + sum);
}

void gradient_plain(const REAL *restrict in, REAL *restrict out)
{
    kept2d(in, out);
}

void gradient_plain_call(void *const *args)
{
    gradient_plain(args[0], args[1]);
}
