/* Weighted sums over a star of radius R in three dimensions, by streams along z, fed by bulk
 * copies of boxes into a ring of stages: one thread asks for a plane, some planes ahead. The
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
 *   variant 32x8-3-64    BX=32 BY=8 STAGES=3 BLOCKS=2 DEPTH=64
 *   variant 32x8-4-128   BX=32 BY=8 STAGES=4 BLOCKS=2 DEPTH=128
 *   variant 32x16-4-64   BX=32 BY=16 STAGES=4 BLOCKS=1 DEPTH=64
 *   variant 32x16-4-128  BX=32 BY=16 STAGES=4 BLOCKS=2 DEPTH=128
 *   variant 32x16-6-128  BX=32 BY=16 STAGES=6 BLOCKS=1 DEPTH=128
 *   with     vector.cuh star3d.h star3d.cuh column.cuh barriers.cuh
 *   types    f32 f64
 *   arch     90
 *   multiple NX, 4
 *   rows     32
 *   kernel   star3d_tensor
 *   group    BX, BY
 *   groups   ceil(NX * REAL_BYTES / (16 * BX)), ceil(NY / BY), ceil(NZ / DEPTH)
 *   dynamic  STAGES * ((16 * BX + 8 * REAL_BYTES) * (BY + 2 * R) + 128) + 128
 *   args     out
 *   box      grid 16 / REAL_BYTES * (BX + 2 * ceil(R * REAL_BYTES / 16)), BY + 2 * R, 1
 */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    star3d_tensor(REAL *__restrict__ out, const __grid_constant__ tensor boxes)
{
    extern __shared__ vec shared[];
    REAL *const ring = (REAL *)(((unsigned long long)shared + 127) / 128 * 128);
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * BX + tx;
    const int left = LANES * BX * blockIdx.x, top = BY * blockIdx.y;
    const int x = left + LANES * tx, y = top + ty;
    const int from = DEPTH * blockIdx.z, to = min(from + DEPTH, NZ);
    const int cell = (ty + R) * WIDE + SIDE + LANES * tx;
    long here = ORIGIN + x + (long)PITCH * y + (long)PLANE * from;
    unsigned phase = 0;
    int stage = 0;
    column c;

    auto fetch = [&](int z, int s) {
        if (t > 0 || z >= to + R)
            return;
        expect(s, REAL_BYTES * WIDE * HIGH);
        box(ring + s * CELLS, &boxes, left - SIDE, top - R, z, s);
    };
    /* The next plane is there: the last that was worked on makes room. */
    auto arrive = [&](int z) {
        await(stage, phase);
        __syncthreads();
        fetch(z + STAGES - 1, stage == 0 ? STAGES - 1 : stage - 1);
    };
    auto turn = [&]() {
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    };

    prepare(t);
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++)
        fetch(from - R + s, s);
    /* What comes before the first plane that is finished. */
#pragma unroll
    for (int r = 0; r < R; r++) {
        arrive(from - R + r);
        c.values[r + 1] = load(ring + stage * CELLS + cell);
        turn();
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
        arrive(from + r);
        c.pending[r + 1] = planar(ring + stage * CELLS + cell, c.values[R + 1 + r]);
        turn();
    }
    for (int z = from; z < to; z++, here += PLANE) {
        arrive(z + R);

        vec sum = enter(c, ring + stage * CELLS + cell);

#pragma unroll
        for (int i = 0; i < LANES; i++)
            if (on_border(x + i, y, z))
                sum.at[i] = c.values[R].at[i];
        if (x < NX && y < NY)
            store(out + here, sum);
        turn();
    }
}
