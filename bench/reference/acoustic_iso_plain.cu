/* The acoustic wave equation, 25 points: one thread a point, straight from memory.
 *
 * reference
 *   program acoustic_iso
 *   variant 32x4x4  BX=32 BY=4 BZ=4
 *   halo    4 fill 0
 *   rows    32
 *   stored  next v
 *   kernel  iso_plain
 *   group   BX, BY, BZ
 *   groups  ceil(NX / BX), ceil(NY / BY), ceil(NZ / BZ)
 *   args    u v vp
 */
extern "C" __global__ void iso_plain(const float *__restrict__ u, float *__restrict__ v,
                                     const float *__restrict__ vp)
{
    const float c[5] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
    const float kx = 1.f / 100, ky = 1.f / 156.25f, kz = 1.f / 64;
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y,
              z = BZ * blockIdx.z + threadIdx.z;

    if (x >= NX || y >= NY || z >= NZ)
        return;

    const long at = ORIGIN + x + (long)PITCH * y + (long)PLANE * z;
    float sum = c[0] * (kx + ky + kz) * u[at];

#pragma unroll
    for (int m = 1; m <= 4; m++)
        sum += c[m] * (kx * (u[at + m] + u[at - m]) +
                       ky * (u[at + m * (long)PITCH] + u[at - m * (long)PITCH]) +
                       kz * (u[at + m * (long)PLANE] + u[at - m * (long)PLANE]));
    v[at] = 2 * u[at] - v[at] + vp[at] * sum;
}
