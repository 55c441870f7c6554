// clang-format off
/* Weighted sums over a cube of radius R: a plain loop nest. The border is kept.
 *
 * reference
 *   program box3d1r    R=1
 *   program box3d2r    R=2
 *   program box3d3r    R=3
 *   program box3d4r    R=4
 *   program jacobi3d27 R=1 TABLE={.5/159,.7/159,.9/159,1.2/159,1.5/159,1.2/159,.9/159,.7/159,.5/159,.51/159,.71/159,.91/159,1.21/159,1.51/159,1.21/159,.91/159,.71/159,.51/159,.52/159,.72/159,.92/159,1.22/159,1.52/159,1.22/159,.92/159,.72/159,.52/159}
 *   program jacobi3d19 R=1 TABLE={.5/159,0,.5/159,0,0,0,.5/159,0,.5/159,.51/159,.71/159,.91/159,1.21/159,1.51/159,1.21/159,.91/159,.71/159,.51/159,.52/159,0,.52/159,0,0,0,.52/159,0,.52/159}
 *   program poisson    R=1 TABLE={0,-.0833,0,-.0833,-.166,-.0833,0,-.0833,0,-.0833,-.166,-.0833,-.166,2.666,-.166,-.0833,-.166,-.0833,0,-.0833,0,-.0833,-.166,-.0833,0,-.0833,0}
 *   program j3d27pt    R=1 TABLE={0.5/159,0.7/159,0.9/159,1.2/159,1.5/159,1.201/159,0.901/159,0.701/159,0.501/159,0.51/159,0.71/159,0.91/159,1.21/159,1.51/159,1.211/159,0.911/159,0.711/159,0.511/159,0.52/159,0.72/159,0.92/159,1.22/159,1.52/159,1.221/159,0.921/159,0.721/159,0.521/159}
 *   program dense19    R=1 TABLE={0,.031,0,.032,.081,.033,0,.034,0,.035,.082,.036,.083,.055,.084,.037,.085,.038,0,.039,0,.041,.086,.042,0,.043,0}
 *   program dense27    R=1 TABLE={0.0034,0.0242,0.0054,0.0252,0.0563,0.0272,0.0074,0.0282,0.0094,0.0271,0.0485,0.0291,0.0495,0.1,0.0515,0.0311,0.0525,0.0331,0.0117,0.0328,0.0137,0.0338,0.0649,0.0358,0.0157,0.0368,0.0177}
 *   plain
 *   with    box3d.h sums.h kept3d.h
 *   types   f32 f64
 *   kernel  box3d_plain
 *   args    grid out
 */
// clang-format on
#define TAP(at, z, y, x)                                                                 \
    (WEIGHT(z, y, x) == 0                                                                \
         ? 0                                                                             \
         : WEIGHT(z, y, x) * (at)[(z) * (long)PLANE + (y) * (long)PITCH + (x)])
#define IN_ROW(at, z, y) row(at, z, y)
#define IN_PLANE(at, z) plane(at, z)

INLINE REAL row(const REAL *at, int z, int y)
{
    return SUM(TAP, at, z, y);
}

INLINE REAL plane(const REAL *at, int z)
{
    return SUM(IN_ROW, at, z);
}

INLINE REAL point(const REAL *at)
{
    return SUM(IN_PLANE, at);
}

void box3d_plain(const REAL *restrict in, REAL *restrict out)
{
    kept3d(in, out);
}

void box3d_plain_call(void *const *args)
{
    box3d_plain(args[0], args[1]);
}
