/* Weighted sums over a cube of radius R: one thread a point, straight from memory. The
 * border is kept.
 *
 * reference
 *   program box3d1r    R=1
 *   program box3d2r    R=2
 *   program jacobi3d27 R=1 TABLE={.5/159,.7/159,.9/159,1.2/159,1.5/159,1.2/159,.9/159,.7/159,.5/159,.51/159,.71/159,.91/159,1.21/159,1.51/159,1.21/159,.91/159,.71/159,.51/159,.52/159,.72/159,.92/159,1.22/159,1.52/159,1.22/159,.92/159,.72/159,.52/159}
 *   program jacobi3d19 R=1 TABLE={.5/159,0,.5/159,0,0,0,.5/159,0,.5/159,.51/159,.71/159,.91/159,1.21/159,1.51/159,1.21/159,.91/159,.71/159,.51/159,.52/159,0,.52/159,0,0,0,.52/159,0,.52/159}
 *   program poisson    R=1 TABLE={0,-.0833,0,-.0833,-.166,-.0833,0,-.0833,0,-.0833,-.166,-.0833,-.166,2.666,-.166,-.0833,-.166,-.0833,0,-.0833,0,-.0833,-.166,-.0833,0,-.0833,0}
 *   variant 32x4x2  BX=32 BY=4 BZ=2
 *   variant 64x4x1  BX=64 BY=4 BZ=1
 *   with    box3d.h
 *   types   f32 f64
 *   kernel  box3d_plain
 *   group   BX, BY, BZ
 *   groups  ceil(NX / BX), ceil(NY / BY), ceil(NZ / BZ)
 *   args    grid out
 */
extern "C" __global__ void box3d_plain(const REAL *__restrict__ in, REAL *__restrict__ out)
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y,
              z = BZ * blockIdx.z + threadIdx.z;
    const long at = ORIGIN + x + (long)PITCH * y + (long)PLANE * z;
    REAL sum = 0;

    if (x >= NX || y >= NY || z >= NZ)
        return;
    if (x < R || x >= NX - R || y < R || y >= NY - R || z < R || z >= NZ - R) {
        out[at] = in[at];
        return;
    }
#pragma unroll
    for (int dz = -R; dz <= R; dz++)
#pragma unroll
        for (int dy = -R; dy <= R; dy++)
#pragma unroll
            for (int dx = -R; dx <= R; dx++)
                if (WEIGHT(dz, dy, dx) != 0)
                    sum += WEIGHT(dz, dy, dx) *
                           in[at + dx + dy * (long)PITCH + dz * (long)PLANE];
    out[at] = sum;
}
