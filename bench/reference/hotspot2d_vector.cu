/* The temperature of a chip: ROWS rows of vectors a thread, the column in registers.
 * Neighbours outside the grid are the nearest points of it.
 *
 * reference
 *   program hotspot2d
 *   variant 128-1   BX=128 BY=1 ROWS=1
 *   variant 64x4-2  BX=64 BY=4 ROWS=2
 *   variant 64x2-4  BX=64 BY=2 ROWS=4
 *   variant 128-8   BX=128 BY=1 ROWS=8
 *   with     vector.cuh
 *   types    f32 f64
 *   multiple NX, 4
 *   rows     32
 *   kernel   hotspot2d_vector
 *   group    BX, BY
 *   groups   ceil(NX * REAL_BYTES / (16 * BX)), ceil(NY / (BY * ROWS))
 *   args     temp power out
 */
#define STEP (REAL)0.341333299875259
#define RX (REAL)0.1
#define RY (REAL)0.1
#define RZ (REAL)0.00019531250291
#define AMBIENT (REAL)80

extern "C" __global__ void __launch_bounds__(BX *BY)
    hotspot2d_vector(const REAL *__restrict__ temp, const REAL *__restrict__ power,
                     REAL *__restrict__ out)
{
    const int x = LANES * (BX * blockIdx.x + threadIdx.x);
    const int top = ROWS * (BY * blockIdx.y + threadIdx.y);

    if (x >= NX || top >= NY)
        return;

    const long first = ORIGIN + x + (long)PITCH * top;
    vec north, c = load(temp + (top > 0 ? first - PITCH : first)), south = load(temp + first);

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = top + r;
        const long at = first + (long)PITCH * r;

        if (y >= NY)
            return;

        const vec heat = load(power + at);
        vec next;

        north = c;
        c = south;
        south = load(temp + (y < NY - 1 ? at + PITCH : at));
#pragma unroll
        for (int i = 0; i < LANES; i++) {
            const REAL west = i > 0 ? c.at[i - 1] : temp[x > 0 ? at - 1 : at];
            const REAL east = i < LANES - 1 ? c.at[i + 1]
                                            : temp[x + i < NX - 1 ? at + LANES : at + i];

            next.at[i] = c.at[i] + STEP * (heat.at[i] +
                                           RY * (south.at[i] + north.at[i] - 2 * c.at[i]) +
                                           RX * (east + west - 2 * c.at[i]) +
                                           RZ * (AMBIENT - c.at[i]));
        }
        store(out + at, next);
    }
}
