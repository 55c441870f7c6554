/* Weighted sums over a star of radius R: one thread a point, straight from memory. The
 * weights are those of the programs: numbers in a row, over their sum, along x, then y,
 * then z. The border is kept.
 *
 * reference
 *   program star3d1r  R=1
 *   program star3d2r  R=2
 *   program star3d3r  R=3
 *   program star3d4r  R=4
 *   variant 32x4x2    BX=32 BY=4 BZ=2
 *   variant 64x4x1    BX=64 BY=4 BZ=1
 *   kernel  star3d_plain
 *   group   BX, BY, BZ
 *   groups  ceil(NX / BX), ceil(NY / BY), ceil(NZ / BZ)
 *   args    grid out
 */
#define POINTS (6 * R + 1)
#define WEIGHT(k) (2.f * (POINTS + (k)) / (POINTS * (3.f * POINTS + 1)))

extern "C" __global__ void star3d_plain(const float *__restrict__ in,
                                        float *__restrict__ out)
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y,
              z = BZ * blockIdx.z + threadIdx.z;

    if (x >= NX || y >= NY || z >= NZ)
        return;

    const long at = ORIGIN + x + (long)PITCH * y + (long)PLANE * z;
    float sum = 0;

    if (x < R || x >= NX - R || y < R || y >= NY - R || z < R || z >= NZ - R) {
        out[at] = in[at];
        return;
    }
#pragma unroll
    for (int m = -R; m <= R; m++) {
        const int arm = m < 0 ? m + R : m + R - 1; /* without the centre */

        sum += WEIGHT(m + R + 1) * in[at + m];
        if (m != 0)
            sum += WEIGHT(2 * R + 2 + arm) * in[at + m * (long)PITCH] +
                   WEIGHT(4 * R + 2 + arm) * in[at + m * (long)PLANE];
    }
    out[at] = sum;
}
