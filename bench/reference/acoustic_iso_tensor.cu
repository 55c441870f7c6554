/* The acoustic wave equation, 25 points, by streams along z, fed by bulk copies of boxes
 * into a ring of stages: one thread asks for a plane of each grid, some planes ahead. What
 * lies outside the grid comes as zero. The older field is overwritten. Structure after Chang
 * and O'Reilly, "Seismic stencil codes", and Sai et al., "Accelerating High-Order Stencils
 * on GPUs".
 *
 * reference
 *   program acoustic_iso
 *   variant 16x16-3      BX=16 BY=16 STAGES=3 BLOCKS=2 DEPTH=250
 *   variant 32x8-3       BX=32 BY=8 STAGES=3 BLOCKS=2 DEPTH=250
 *   variant 32x16-3-125  BX=32 BY=16 STAGES=3 BLOCKS=1 DEPTH=125
 *   variant 32x16-3-250  BX=32 BY=16 STAGES=3 BLOCKS=1 DEPTH=250
 *   variant 32x16-3-500  BX=32 BY=16 STAGES=3 BLOCKS=1 DEPTH=500
 *   variant 32x16-3-1000 BX=32 BY=16 STAGES=3 BLOCKS=1 DEPTH=1000
 *   variant 32x16-4-250  BX=32 BY=16 STAGES=4 BLOCKS=1 DEPTH=250
 *   with     vector.cuh acoustic_iso.h column.cuh barriers.cuh
 *   types    f32 f64
 *   arch     90
 *   multiple NX, 4
 *   rows     32
 *   stored   next v
 *   kernel   iso_tensor
 *   group    BX, BY
 *   groups   ceil(NX * REAL_BYTES / (16 * BX)), ceil(NY / BY), ceil(NZ / DEPTH)
 *   dynamic  STAGES * ((16 * BX + 8 * REAL_BYTES) * (BY + 8) + 32 * BX * BY + 128) + 128
 *   args     v
 *   box      u 16 / REAL_BYTES * BX + 8, BY + 8, 1
 *   box      v 16 / REAL_BYTES * BX, BY, 1
 *   box      vp 16 / REAL_BYTES * BX, BY, 1
 */
enum { TILE = LANES * THREADS, STAGE = CELLS + 2 * TILE };

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    iso_tensor(REAL *__restrict__ v, const __grid_constant__ tensor u_boxes,
               const __grid_constant__ tensor v_boxes,
               const __grid_constant__ tensor vp_boxes)
{
    extern __shared__ vec shared[];
    REAL *const ring = (REAL *)(((unsigned long long)shared + 127) / 128 * 128);
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * BX + tx;
    const int left = LANES * BX * blockIdx.x, top = BY * blockIdx.y;
    const int from = DEPTH * blockIdx.z, to = min(from + DEPTH, NZ);
    const int cell = (ty + R) * WIDE + SIDE + LANES * tx;
    const bool inside = left + LANES * tx < NX && top + ty < NY;
    long here = ORIGIN + left + LANES * tx + (long)PITCH * (top + ty) + (long)PLANE * from;
    unsigned phase = 0;
    int stage = 0;
    column c;

    /* Plane z of u, and plane z - R of the others, which is finished with it. */
    auto fetch = [&](int z, int s) {
        const bool all = z - R >= from;
        REAL *const at = ring + s * STAGE;

        if (t > 0 || z >= to + R)
            return;
        expect(s, REAL_BYTES * (WIDE * HIGH + (all ? 2 * TILE : 0)));
        box(at, &u_boxes, left - SIDE, top - R, z, s);
        if (all) {
            box(at + CELLS, &v_boxes, left, top, z - R, s);
            box(at + CELLS + TILE, &vp_boxes, left, top, z - R, s);
        }
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
        c.values[r + 1] = load(ring + stage * STAGE + cell);
        turn();
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
        arrive(from + r);
        c.pending[r + 1] = planar(ring + stage * STAGE + cell, c.values[R + 1 + r]);
        turn();
    }
    for (int z = from; z < to; z++, here += PLANE) {
        arrive(z + R);

        const REAL *const at = ring + stage * STAGE;
        const vec sum = enter(c, at + cell), old = load(at + CELLS + LANES * t),
                  q = load(at + CELLS + TILE + LANES * t);
        vec next;

#pragma unroll
        for (int i = 0; i < LANES; i++)
            next.at[i] = 2 * c.values[R].at[i] - old.at[i] + q.at[i] * sum.at[i];
        if (inside)
            store(v + here, next);
        turn();
    }
}
