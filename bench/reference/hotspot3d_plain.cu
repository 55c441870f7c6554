/* The temperature of a stack of chips: one thread a point, straight from memory.
 * Neighbours outside the grid are the nearest points of it.
 *
 * reference
 *   program hotspot3d
 *   variant 64x4  BX=64 BY=4
 *   variant 32x8  BX=32 BY=8
 *   kernel  hotspot3d_plain
 *   group   BX, BY, 1
 *   groups  ceil(NX / BX), ceil(NY / BY), NZ
 *   args    temp power out
 */
extern "C" __global__ void hotspot3d_plain(const float *__restrict__ temp,
                                           const float *__restrict__ power,
                                           float *__restrict__ out)
{
    const float ambient = 80.f, side = 0.03413332998752593994f,
                layer = 0.00053333328105509281f, centre = 0.86186665296554565430f,
                step = 0.34133329987525939941f;
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y,
              z = blockIdx.z;

    if (x >= NX || y >= NY)
        return;

    const long at = ORIGIN + x + (long)PITCH * y + (long)PLANE * z;
    const float sides = temp[x > 0 ? at - 1 : at] + temp[x < NX - 1 ? at + 1 : at] +
                        temp[y > 0 ? at - PITCH : at] +
                        temp[y < NY - 1 ? at + PITCH : at];
    const float layers = temp[z > 0 ? at - PLANE : at] +
                         temp[z < NZ - 1 ? at + PLANE : at];

    out[at] = centre * temp[at] + side * sides + layer * layers + step * power[at] +
              layer * ambient;
}
