/* Weighted sums of a point and its six neighbours: one thread a point, straight from
 * memory. The border is kept.
 *
 * reference
 *   program jacobi3d7  C=-1.67f E=0.161f W=0.162f S=0.163f N=0.164f U=0.165f D=0.166f
 *   program heat       C=0.25f E=0.125f W=0.125f S=0.125f N=0.125f U=0.125f D=0.125f
 *   variant 32x4x2     BX=32 BY=4 BZ=2
 *   variant 64x4x1     BX=64 BY=4 BZ=1
 *   kernel  cross3d_plain
 *   group   BX, BY, BZ
 *   groups  ceil(NX / BX), ceil(NY / BY), ceil(NZ / BZ)
 *   args    grid out
 */
extern "C" __global__ void cross3d_plain(const float *__restrict__ in,
                                         float *__restrict__ out)
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y,
              z = BZ * blockIdx.z + threadIdx.z;

    if (x >= NX || y >= NY || z >= NZ)
        return;

    const long at = ORIGIN + x + (long)PITCH * y + (long)PLANE * z;

    if (x < 1 || x >= NX - 1 || y < 1 || y >= NY - 1 || z < 1 || z >= NZ - 1)
        out[at] = in[at];
    else
        out[at] = C * in[at] + E * in[at + 1] + W * in[at - 1] +
                  S * in[at + (long)PITCH] + N * in[at - (long)PITCH] +
                  U * in[at + (long)PLANE] + D * in[at - (long)PLANE];
}
