/* The acoustic wave equation, 25 points, by streams along z: a block keeps the column of
 * each point in registers and a ring of planes in shared memory, filled some planes ahead
 * by asynchronous copies: of each thread, or of rows in bulk. When a plane arrives, its own terms (along x and y) are added
 * to what is pending for it; the terms along z follow when the column is complete. Four
 * points a thread, stored once. The older field is overwritten. Structure after Chang and
 * O'Reilly, "Seismic stencil codes", and Sai et al., "Accelerating High-Order Stencils on
 * GPUs".
 *
 * reference
 *   program acoustic_iso
 *   variant 16x8-3     BX=16 BY=8 STAGES=3 BLOCKS=4 DEPTH=250 BULK=0
 *   variant 16x16-4    BX=16 BY=16 STAGES=4 BLOCKS=2 DEPTH=250 BULK=0
 *   variant 32x8-3     BX=32 BY=8 STAGES=3 BLOCKS=2 DEPTH=250 BULK=0
 *   variant 32x16-3    BX=32 BY=16 STAGES=3 BLOCKS=1 DEPTH=250 BULK=0
 *   variant bulk16x16-3  BX=16 BY=16 STAGES=3 BLOCKS=2 DEPTH=250 BULK=1
 *   variant bulk32x8-3   BX=32 BY=8 STAGES=3 BLOCKS=2 DEPTH=250 BULK=1
 *   variant bulk32x16-3  BX=32 BY=16 STAGES=3 BLOCKS=1 DEPTH=250 BULK=1
 *   variant bulk32x16-3d  BX=32 BY=16 STAGES=3 BLOCKS=1 DEPTH=500 BULK=1
 *   variant bulk32x16-4  BX=32 BY=16 STAGES=4 BLOCKS=1 DEPTH=250 BULK=1
 *   with     barriers.cuh
 *   arch     80 + 10 * BULK
 *   multiple NX, 4
 *   halo     4 fill 0
 *   rows     32
 *   stored   next v
 *   kernel   iso_ring
 *   group    BX, BY
 *   groups   ceil(NX / (4 * BX)), ceil(NY / BY), ceil(NZ / DEPTH)
 *   dynamic  STAGES * 16 * ((BX + 2) * (BY + 8) + 2 * BX * BY)
 *   args     u v vp
 */
enum { R = 4, WIDE = BX + 2, HIGH = BY + 2 * R, CELLS = WIDE * HIGH, THREADS = BX * BY };

/* Second difference by distance, over the squares of the grid's steps. */
#define ALONG(m) (m == 1 ? 8.f / 5 : m == 2 ? -1.f / 5 : m == 3 ? 8.f / 315 : -1.f / 560)
#define KX (1.f / 100)
#define KY (1.f / 156.25f)
#define KZ (1.f / 64)
#define CENTRE (-205.f / 72 * (KX + KY + KZ))

#if defined(__CUDA_ARCH__)
__device__ __forceinline__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to)),
                 "l"(from));
}

__device__ __forceinline__ void commit()
{
    asm volatile("cp.async.commit_group;");
}

/* Until all groups but the last few are there. */
template <int PENDING> __device__ __forceinline__ void await()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING));
}
#endif

/* Where a block is, and which thread this is. */
struct place {
    int t, left, top, from, to;
};

#if BULK
/* A row that begins at x, or what there is of it in memory, and rows beyond the halo
 * where it ends. */
__device__ __forceinline__ unsigned row_bytes(int x, int floats)
{
    return 4 * min(floats, PITCH - (ORIGIN - R * PITCH - R * PLANE) - x);
}

__device__ __forceinline__ long row_at(int x, int y, int z)
{
    return ORIGIN + x + (long)PITCH * min(y, NY - 1 + R) + (long)PLANE * z;
}

/* Plane z of u, and plane z - R of the others, which is finished with it: a row a lane of
 * the first warp. */
__device__ __forceinline__ void fetch(const place &p, int z, int stage, float4 *ring,
                                      const float *u, const float *v, const float *vp)
{
    const bool all = z - R >= p.from;
    const unsigned wide = row_bytes(p.left - 4, 4 * WIDE),
                   narrow = row_bytes(p.left, 4 * BX);
    float4 *const ring_v = ring + STAGES * CELLS + stage * THREADS;

    if (p.t >= 32 || z >= p.to + R)
        return;
    if (p.t == 0)
        expect(stage, HIGH * wide + (all ? 2 * BY * narrow : 0));
    __syncwarp();
    for (int r = p.t; r < HIGH; r += 32)
        bulk(&ring[stage * CELLS + r * WIDE], u + row_at(p.left - 4, p.top + r - R, z),
             wide, stage);
    for (int r = p.t; all && r < BY; r += 32) {
        bulk(&ring_v[r * BX], v + row_at(p.left, p.top + r, z - R), narrow, stage);
        bulk(&ring_v[STAGES * THREADS + r * BX], vp + row_at(p.left, p.top + r, z - R),
             narrow, stage);
    }
}
#else
/* Plane z of u, and plane z - R of the others, which is finished with it. */
__device__ __forceinline__ void fetch(const place &p, int z, int stage, float4 *ring,
                                      const float *u, const float *v, const float *vp)
{
    const float *plane = u + ORIGIN + (long)PLANE * z;
    const long at = ORIGIN + min(p.left + p.t % BX * 4, NX) +
                    (long)PITCH * min(p.top + p.t / BX, NY - 1 + R) +
                    (long)PLANE * (z - R);
    float4 *const ring_v = ring + STAGES * CELLS + stage * THREADS;

    for (int e = p.t; z < p.to + R && e < CELLS; e += THREADS) {
        const int ey = e / WIDE, ex = e - ey * WIDE;

        if ((ex == 0 || ex == WIDE - 1) && (ey < R || ey >= HIGH - R))
            continue;
        copy16(&ring[stage * CELLS + e],
               plane + (long)PITCH * min(p.top + ey - R, NY - 1 + R) +
                   min(p.left + 4 * (ex - 1), NX));
    }
    if (z < p.to + R && z - R >= p.from) {
        copy16(&ring_v[p.t], v + at);
        copy16(&ring_v[STAGES * THREADS + p.t], vp + at);
    }
    commit();
}
#endif

__device__ __forceinline__ float4 load4(const float *at)
{
    return *reinterpret_cast<const float4 *>(at);
}

__device__ __forceinline__ void add4(float4 &sum, float c, float4 a, float4 b)
{
    sum.x += c * (a.x + b.x);
    sum.y += c * (a.y + b.y);
    sum.z += c * (a.z + b.z);
    sum.w += c * (a.w + b.w);
}

/* The plane's own terms around cell 'at', whose value is 'c'. */
__device__ __forceinline__ float4 planar(const float4 *plane, int at, float4 c)
{
    float4 before = plane[at - 1], after = plane[at + 1];
    float x[12] = {before.x, before.y, before.z, before.w, c.x,     c.y,
                   c.z,      c.w,      after.x,  after.y,  after.z, after.w};
    float4 sum = {CENTRE * c.x, CENTRE * c.y, CENTRE * c.z, CENTRE * c.w};

#pragma unroll
    for (int m = 1; m <= R; m++) {
        sum.x += KX * ALONG(m) * (x[4 + m] + x[4 - m]);
        sum.y += KX * ALONG(m) * (x[5 + m] + x[5 - m]);
        sum.z += KX * ALONG(m) * (x[6 + m] + x[6 - m]);
        sum.w += KX * ALONG(m) * (x[7 + m] + x[7 - m]);
        add4(sum, KY * ALONG(m), plane[at + m * WIDE], plane[at - m * WIDE]);
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    iso_ring(const float *__restrict__ u, float *__restrict__ v,
             const float *__restrict__ vp)
{
    extern __shared__ float4 shared[];
    const float4 *const ring_v = shared + STAGES * CELLS, *const ring_q =
                                                              ring_v + STAGES * THREADS;
    const int tx = threadIdx.x, ty = threadIdx.y, from = DEPTH * blockIdx.z;
    const place p = {ty * BX + tx, (int)(4 * BX * blockIdx.x), (int)(BY * blockIdx.y), from,
                     min(from + DEPTH, NZ)};
    const int x = p.left + 4 * tx, y = p.top + ty, cell = (ty + R) * WIDE + tx + 1;
    long here = ORIGIN + min(x, NX) + (long)PITCH * min(y, NY - 1 + R) +
                (long)PLANE * from;
    float4 column[2 * R + 1], pending[R + 1];
    unsigned phase = 0;
    int stage = 0;

#if BULK
    prepare(p.t);
#endif
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++)
        fetch(p, from + s, s, shared, u, v, vp);
#pragma unroll
    for (int r = 0; r < R; r++)
        column[r + 1] = load4(u + here + (long)PLANE * (r - R));

    /* The next plane is there, and the one after those on their way is asked for: the
     * last that was worked on makes room. */
    auto arrive = [&](int z) {
#if BULK
        await(stage, phase);
#else
        await<STAGES - 2>();
#endif
        __syncthreads();
        fetch(p, z + STAGES - 1, stage == 0 ? STAGES - 1 : stage - 1, shared, u, v, vp);
    };
    auto turn = [&]() {
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    };

    /* What comes before the first plane that is finished. */
#pragma unroll
    for (int r = 0; r < R; r++) {
        arrive(from + r);
        column[R + 1 + r] = shared[stage * CELLS + cell];
        pending[r + 1] = planar(shared + stage * CELLS, cell, column[R + 1 + r]);
        turn();
    }
    for (int z = from; z < p.to; z++, here += PLANE) {
        arrive(z + R);
#pragma unroll
        for (int r = 0; r < 2 * R; r++)
            column[r] = column[r + 1];
#pragma unroll
        for (int r = 0; r < R; r++)
            pending[r] = pending[r + 1];
        column[2 * R] = shared[stage * CELLS + cell];
        pending[R] = planar(shared + stage * CELLS, cell, column[2 * R]);

        float4 sum = pending[0], c = column[R];
        const float4 old = ring_v[stage * THREADS + p.t],
                     q = ring_q[stage * THREADS + p.t];

#pragma unroll
        for (int m = 1; m <= R; m++)
            add4(sum, KZ * ALONG(m), column[R + m], column[R - m]);
        if (x < NX && y < NY)
            *reinterpret_cast<float4 *>(v + here) =
                float4{2 * c.x - old.x + q.x * sum.x, 2 * c.y - old.y + q.y * sum.y,
                       2 * c.z - old.z + q.z * sum.z, 2 * c.w - old.w + q.w * sum.w};
        turn();
    }
}
