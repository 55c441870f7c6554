/* Weighted sums over a star of radius R: one thread a point, straight from memory. The
 * border is kept.
 *
 * reference
 *   program star3d1r   R=1
 *   program star3d2r   R=2
 *   program star3d3r   R=3
 *   program star3d4r   R=4
 *   program jacobi3d7  R=1 X={.162,-1.67,.161} Y={.164,0,.163} Z={.166,0,.165}
 *   program heat       R=1 X={.125,.25,.125} Y={.125,0,.125} Z={.125,0,.125}
 *   program jacobi3d13 R=2 X={.083,.083,-.996,.083,.083} Y={.083,.083,0,.083,.083} Z={.083,.083,0,.083,.083}
 *   variant 32x4x2    BX=32 BY=4 BZ=2
 *   variant 64x4x1    BX=64 BY=4 BZ=1
 *   with    star3d.h star3d.cuh
 *   types   f32 f64
 *   kernel  star3d_plain
 *   group   BX, BY, BZ
 *   groups  ceil(NX / BX), ceil(NY / BY), ceil(NZ / BZ)
 *   args    grid out
 */
extern "C" __global__ void star3d_plain(const REAL *__restrict__ in,
                                        REAL *__restrict__ out)
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y,
              z = BZ * blockIdx.z + threadIdx.z;

    if (x >= NX || y >= NY || z >= NZ)
        return;

    const long at = ORIGIN + x + (long)PITCH * y + (long)PLANE * z;
    REAL sum = 0;

    if (on_border(x, y, z)) {
        out[at] = in[at];
        return;
    }
#pragma unroll
    for (int m = -R; m <= R; m++) {
        sum += ALONG_X(m) * in[at + m];
        if (m != 0)
            sum += ALONG_Y(m) * in[at + m * (long)PITCH] +
                   ALONG_Z(m) * in[at + m * (long)PLANE];
    }
    out[at] = sum;
}
