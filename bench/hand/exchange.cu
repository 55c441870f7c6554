/* Two and more time steps in one kernel on a GPU: what exchange in place of redundancy is
 * worth. Groups of a cluster exchange borders through distributed shared memory, or all
 * groups do through the L2 cache, with flags from neighbour to neighbour.
 *
 *   nvcc -O3 -std=c++17 -arch=sm_90 -o exchange bench/hand/exchange.cu
 *   ./exchange [iso|room|star|all] [part of a name]
 *
 * Every result is compared with single steps by plain kernels. */
#include "boxes.cuh"
#ifndef ON_HOST
/* ---- clusters */

DI void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

DI void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Four values at the place in another group of the cluster that they have here. */
DI void remote_store(void *here, int rank, float4 f)
{
    unsigned to;

    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(to)
        : "r"(address(here)), "r"(rank));
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(f.x),
                 "f"(f.y), "f"(f.z), "f"(f.w)
                 : "memory");
}

/* The same, without an order but that its bytes count on the barrier at that place. */
DI void remote_async(void *here, void *bar, int rank, float4 f)
{
    unsigned to, there;

    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(to)
        : "r"(address(here)), "r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(there)
        : "r"(address(bar)), "r"(rank));
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], "
        "{%1, %2, %3, %4}, [%5];" ::"r"(to),
        "f"(f.x), "f"(f.y), "f"(f.z), "f"(f.w), "r"(there)
        : "memory");
}

/* ---- values with a tag each, through the L2 cache: 8 bytes are stored and loaded as
 * one, so they need no order */
DI void tag_store(float4 *to, float a, float b, unsigned tag)
{
    asm volatile("st.volatile.global.v4.f32 [%0], {%1, %2, %3, %2};" ::"l"(to), "f"(a),
                 "f"(__uint_as_float(tag)), "f"(b)
                 : "memory");
}

DI void tag_load(float4 &v, const float4 *from)
{
    asm volatile("ld.volatile.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(from)
                 : "memory");
}

DI void tag_again()
{
}

/* ---- flags in the L2 cache */

DI void publish(unsigned *flag, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value)
                 : "memory");
}

DI void wait_for(const unsigned *flag, unsigned value)
{
    unsigned now;

    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(now)
                     : "l"(flag)
                     : "memory");
    while ((int)(now - value) < 0);
}

/* ---- launches of clusters */

/* How many groups of clusters run at once. */
template <class K> static int at_once(K kernel, int threads, dim3 cluster, int bytes)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute is;
    int clusters = 0;

    is.id = cudaLaunchAttributeClusterDimension;
    is.val.clusterDim.x = cluster.x;
    is.val.clusterDim.y = cluster.y;
    is.val.clusterDim.z = 1;
    c.gridDim = dim3(cluster.x, cluster.y, 1);
    c.blockDim = dim3(threads);
    c.dynamicSmemBytes = bytes;
    c.attrs = &is;
    c.numAttrs = 1;
    CHECK(cudaFuncSetAttribute((const void *)kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    CHECK(cudaFuncSetAttribute((const void *)kernel,
                               cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &c) != cudaSuccess)
        (void)cudaGetLastError();
    return clusters * cluster.x * cluster.y;
}

static cudaError_t launch_error; /* of the last launch that failed */

/* A cluster of depth 0: all groups at once. */
template <class... P, class... A>
static void launch(void (*kernel)(P...), dim3 grid, int threads, dim3 cluster, int bytes,
                   A... args)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute is;

    if (cluster.z == 0) {
        is.id = cudaLaunchAttributeCooperative;
        is.val.cooperative = 1;
    } else {
        is.id = cudaLaunchAttributeClusterDimension;
        is.val.clusterDim.x = cluster.x;
        is.val.clusterDim.y = cluster.y;
        is.val.clusterDim.z = cluster.z;
    }
    c.gridDim = grid;
    c.blockDim = dim3(threads);
    c.dynamicSmemBytes = bytes;
    c.attrs = &is;
    c.numAttrs = cluster.x * cluster.y > 1 || cluster.z == 0;
    if (cluster.x * cluster.y > 8)
        CHECK(cudaFuncSetAttribute((const void *)kernel,
                                   cudaFuncAttributeNonPortableClusterSizeAllowed, 1));

    const cudaError_t error = cudaLaunchKernelEx(&c, kernel, args...);

    if (error != cudaSuccess)
        launch_error = error;
}
#endif

/* Waits until two values that were loaded have their tag. */
DI void tag_wait(float4 &v, const float4 *from, unsigned tag)
{
    while (__float_as_uint(v.y) != tag || __float_as_uint(v.w) != tag) {
        tag_again();
        tag_load(v, from);
    }
}

/* Four values in 32 bytes. */
struct tagged {
    float4 low, high;
};

DI void tag_store4(tagged *to, float4 f, unsigned tag)
{
    tag_store(&to->low, f.x, f.y, tag);
    tag_store(&to->high, f.z, f.w, tag);
}

/* How values of earlier steps come to the groups beside. */
enum how {
    SINGLE,  /* one step, nothing comes */
    ALONE,   /* each group computes what it reads */
    CLUSTER, /* from the groups of a cluster; what is around it is computed */
    FLAGS,   /* from all groups that run, through the L2 cache, with flags */
    TAGS     /* the same, each value with a tag */
};

/* ---- the wave equation of eighth order in space (programs/acoustic_iso.lift) */
#ifndef ISO_N
#define ISO_N 1000
#define ISO_X 8 /* groups that exchange through the L2 cache: all that run */
#define ISO_Y 16
#endif
constexpr float HX = 1.f / 100, HY = 1.f / 156.25f, HZ = 1.f / 64;

/* Second difference by distance. */
DI constexpr float along(int m)
{
    return m == 1 ? 8.f / 5 : m == 2 ? -1.f / 5 : m == 3 ? 8.f / 315 : -1.f / 560;
}
constexpr float ISO_CENTRE = -205.f / 72 * (HX + HY + HZ);

struct arrays {
    const float *u, *v, *q; /* now, one step ago, coefficients */
    float *o1, *o2;         /* after the step before the last, after the last */
    tagged *strips;         /* STRIPS vectors a turn and tile */
    unsigned turn;          /* how often kernels with tags have run */
    int chunk;              /* planes of a group */
    int left, top;          /* TAGS: the first tile */
};

/* A tile and how it lies in memory: 4 x 2 points a work-item. The first half of the
 * work-items makes the first step of plane k - 4 when plane k comes, the other half the
 * second step, LAG planes later. CX x CY groups exchange. */
template <how HOW, int CX, int CY> struct iso_tile {
    static constexpr int R = 4, LAG = HOW == TAGS ? 3 : 2, AHEAD = 2, SLOTS = 4,
                         TURNS = 8;
    static constexpr int LX = 64, LY = HOW == SINGLE ? 64 : 32, THREADS = 512;
    static constexpr int PITCH = LX + 2 * R, PLANE = PITCH * (LY + 2 * R);
    static constexpr int BARS = 128, PLANES = SLOTS + (HOW == SINGLE ? 0 : TURNS);
    static constexpr int BYTES = BARS + 4 * PLANES * PLANE;
    static constexpr int HALO = HOW == SINGLE ? 0 : R;
    static constexpr int VX = CX * LX - 2 * HALO, VY = CY * LY - 2 * HALO;
    static constexpr int NX = (ISO_N + VX - 1) / VX, NY = (ISO_N + VY - 1) / VY;
    static constexpr int STRIPS = 2 * R * (LX + LY) / 4;
    static_assert(ISO_N % 4 == 0, "rows of vectors");
};

/* The terms of a plane's own around a patch, whose values are 'centre'. */
template <int PITCH> DI void planar(float4 sum[2], float4 centre[2], const float *p)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const float4 a = load4(p + r * PITCH - 4), c = load4(p + r * PITCH),
                     b = load4(p + r * PITCH + 4);
        const float x[12] = {a.x, a.y, a.z, a.w, c.x, c.y, c.z, c.w, b.x, b.y, b.z, b.w};

        centre[r] = c;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float s = ISO_CENTRE * x[4 + i];

#pragma unroll
            for (int m = 1; m <= 4; m++)
                s += HX * along(m) * (x[4 + i - m] + x[4 + i + m]);
            at(sum[r], i) = s;
        }
    }
    add4(sum[0], HY * along(1), centre[1]);
    add4(sum[1], HY * along(1), centre[0]);
#pragma unroll
    for (int r = -4; r < 6; r++) {
        if (r == 0 || r == 1)
            continue;
        const float4 f = load4(p + r * PITCH);

#pragma unroll
        for (int o = 0; o < 2; o++) {
            const int m = r > o ? r - o : o - r;

            if (m <= 4)
                add4(sum[o], HY * along(m), f);
        }
    }
}

/* What a work-item keeps of its column. */
struct iso_column {
    float4 past[4][2], sums[4][2]; /* values, and sums that lack later planes */
    float4 old[2], q[2];           /* for the next plane that leaves */
};

/* Plane k comes, plane k - 4 leaves. P: k modulo 4. */
template <int P, int PITCH> DI void iso_step(iso_column &c, const float *p, float4 out[2])
{
    float4 sum[2], centre[2];

    planar<PITCH>(sum, centre, p);
#pragma unroll
    for (int r = 0; r < 2; r++) {
#pragma unroll
        for (int m = 1; m <= 4; m++)
            add4(sum[r], HZ * along(m), c.past[(P - m) & 3][r]);
#pragma unroll
        for (int m = 1; m <= 4; m++)
            add4(c.sums[(P - m) & 3][r], HZ * along(m), centre[r]);
#pragma unroll
        for (int i = 0; i < 4; i++)
            at(out[r], i) = 2 * at(c.past[P][r], i) - at(c.old[r], i) +
                            at(c.q[r], i) * at(c.sums[P][r], i);
        c.past[P][r] = centre[r];
        c.sums[P][r] = sum[r];
    }
}

/* Where a group and a work-item are. */
struct iso_place {
    int x0, y0, z0, z1; /* the tile of the first step, the planes of the results */
    int second;         /* does this work-item make the second step? */
    int lx, ly;         /* its patch in the tile */
    bool inside, own;   /* is it in the grid, is it stored? */
    int rank, cx, cy;   /* among the groups that exchange */
};

template <how HOW, int CX, int CY> DI iso_place iso_at(const arrays &a)
{
    using C = iso_tile<HOW, CX, CY>;
    const int tid = threadIdx.x, t = HOW == SINGLE ? tid : tid & 255;
    const int bx = blockIdx.x + a.left, by = blockIdx.y + a.top;
    iso_place p;

    p.second = HOW != SINGLE && tid >= 256;
    p.lx = (t & 15) * 4;
    p.ly = (t >> 4) * 2;
    p.cx = bx % CX;
    p.cy = by % CY;
    p.rank = p.cy * CX + p.cx;
    p.x0 = bx / CX * C::VX - C::HALO + p.cx * C::LX;
    p.y0 = by / CY * C::VY - C::HALO + p.cy * C::LY;
    p.z0 = blockIdx.z * a.chunk;
    p.z1 = min(p.z0 + a.chunk, ISO_N);

    const int x = p.x0 + p.lx, y = p.y0 + p.ly;
    const int ix = p.cx * C::LX + p.lx, iy = p.cy * C::LY + p.ly;

    p.inside = x >= 0 && x < ISO_N && y >= 0 && y < ISO_N;
    p.own = p.inside && ix >= C::HALO && ix < CX * C::LX - C::HALO && iy >= C::HALO &&
            iy < CY * C::LY - C::HALO;
    return p;
}

/* Bytes that the groups beside send for a plane. */
template <how HOW, int CX, int CY> DI int iso_bytes(const iso_place &p)
{
    using C = iso_tile<HOW, CX, CY>;

    return 16 * C::LY * ((p.cx > 0) + (p.cx < CX - 1)) +
           16 * C::LX * ((p.cy > 0) + (p.cy < CY - 1));
}

/* Results of the first step that groups beside read, which arrive at 'bar'. */
template <how HOW, int CX, int CY>
DI void iso_send(const iso_place &p, float *slot, void *bar, const float4 out[2])
{
    using C = iso_tile<HOW, CX, CY>;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float *here = slot + (p.ly + r + 4) * C::PITCH + p.lx + 4;

        if (p.lx == 0 && p.cx > 0)
            remote_async(here + C::LX, bar, p.rank - 1, out[r]);
        if (p.lx == C::LX - 4 && p.cx < CX - 1)
            remote_async(here - C::LX, bar, p.rank + 1, out[r]);
        if (p.ly < 4 && p.cy > 0)
            remote_async(here + C::LY * C::PITCH, bar, p.rank - CX, out[r]);
        if (p.ly >= C::LY - 4 && p.cy < CY - 1)
            remote_async(here - C::LY * C::PITCH, bar, p.rank + CX, out[r]);
    }
}

/* Strips of a group: four rows at the top, at the bottom, then columns on the left, on
 * the right. */
template <class C> DI tagged *iso_strips(const arrays &a, int rank, int i)
{
    return a.strips + (rank * C::TURNS + (i & (C::TURNS - 1))) * C::STRIPS;
}

template <class C>
DI void iso_store_strips(const iso_place &p, tagged *to, const float4 out[2],
                         unsigned tag)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int y = p.ly + r, column = p.lx / 4;

        if (y < 4)
            tag_store4(to + 16 * y + column, out[r], tag);
        if (y >= C::LY - 4)
            tag_store4(to + 64 + 16 * (y - C::LY + 4) + column, out[r], tag);
        if (p.lx == 0)
            tag_store4(to + 128 + y, out[r], tag);
        if (p.lx == C::LX - 4)
            tag_store4(to + 128 + C::LY + y, out[r], tag);
    }
}

/* Vector e of the strips around a tile: where the group beside has it; its place here. */
template <how HOW, int CX, int CY>
DI const tagged *iso_strip(const arrays &a, const iso_place &p, int i, int e, int &place)
{
    using C = iso_tile<HOW, CX, CY>;
    const int row = e / 16 % 4, column = e % 16 * 4, y = e % 32;

    if (e < 64) {
        place = row * C::PITCH + column + 4;
        return p.cy > 0 ? iso_strips<C>(a, p.rank - CX, i) + 64 + e : nullptr;
    }
    if (e < 128) {
        place = (row + C::LY + 4) * C::PITCH + column + 4;
        return p.cy < CY - 1 ? iso_strips<C>(a, p.rank + CX, i) + e - 64 : nullptr;
    }
    place = (y + 4) * C::PITCH + (e < 160 ? 0 : C::LX + 4);
    if (e < 160)
        return p.cx > 0 ? iso_strips<C>(a, p.rank - 1, i) + 160 + y : nullptr;
    return e < 192 && p.cx < CX - 1 ? iso_strips<C>(a, p.rank + 1, i) + 128 + y : nullptr;
}

/* Iteration i, in which plane k comes. All planes of shared memory are written two
 * iterations or more before they are read, and read as long before they are written: so a
 * work-item waits for the others only at the end of the next iteration. */
template <how HOW, int CX, int CY, int P>
DI void iso_iteration(const CUtensorMap *map, const arrays &a, const iso_place &p,
                      iso_column &c, unsigned char *shared, int &here, int k)
{
    using C = iso_tile<HOW, CX, CY>;
    char *const full = (char *)shared, *const turns = full + 8 * C::SLOTS,
                *const sent = turns + 16;
    float *const stages = (float *)(shared + C::BARS), *const ring =
                                                           stages + C::SLOTS * C::PLANE;
    const int i = k - (p.z0 - 4 * (HOW == SINGLE ? 1 : 2));
    const int last = p.z1 + (HOW == SINGLE ? 3 : 7); /* plane that comes */
    const int leaves = k - 4 - p.second * (4 + C::LAG);
    const int reads = (i - C::LAG) & (C::TURNS - 1), writes = i & (C::TURNS - 1);
    const float *plane = p.second ? ring + reads * C::PLANE : stages + P * C::PLANE;
    float4 out[2];

    if (threadIdx.x == 256 && k + C::AHEAD <= last) {
        const int s = (P + C::AHEAD) & 3;

        bar_expect(full + 8 * s, 4 * C::PLANE);
        box(stages + s * C::PLANE, map, p.x0 - 4, p.y0 - 4, k + C::AHEAD, full + 8 * s);
    }
    if (HOW == CLUSTER && threadIdx.x == 0)
        bar_expect(sent + 8 * writes, iso_bytes<HOW, CX, CY>(p));
    if (HOW == CLUSTER && p.second && i >= C::LAG)
        bar_wait(sent + 8 * reads, (i - C::LAG) / C::TURNS & 1);
    if (!p.second && k <= last)
        bar_wait(full + 8 * P, i >> 2 & 1);
    iso_step<P, C::PITCH>(c, plane + (p.ly + 4) * C::PITCH + p.lx + 4, out);
    if (!p.inside || (unsigned)leaves >= ISO_N)
        out[0] = out[1] = float4{0, 0, 0, 0};
    if (HOW != SINGLE && !p.second) {
        float *to = ring + writes * C::PLANE + (p.ly + 4) * C::PITCH + p.lx + 4;

        *(float4 *)to = out[0];
        *(float4 *)(to + C::PITCH) = out[1];
        if (HOW == CLUSTER)
            iso_send<HOW, CX, CY>(p, ring + writes * C::PLANE, sent + 8 * writes, out);
        if (HOW == TAGS)
            iso_store_strips<C>(p, iso_strips<C>(a, p.rank, i), out, 2048 * a.turn + i);
    }
    if (p.own && leaves >= p.z0 && leaves < p.z1) {
        float *to = (p.second ? a.o2 : a.o1) + here;

        __stcs((float4 *)to, out[0]);
        __stcs((float4 *)(to + ISO_N), out[1]);
    }
    here += ISO_N * ISO_N;
    if (p.inside && (unsigned)(leaves + 1) < ISO_N) {
        const float *old = (p.second ? a.u : a.v) + here, *q = a.q + here;
#pragma unroll
        for (int r = 0; r < 2; r++) {
            c.old[r] = __ldcs((const float4 *)(old + r * ISO_N));
            c.q[r] =
                p.second ? __ldcs((const float4 *)(q + r * ISO_N)) : load4(q + r * ISO_N);
        }
    }
    if (HOW == TAGS && p.second && i > 0) { /* what was sent an iteration ago */
        int place;
        const tagged *from =
            iso_strip<HOW, CX, CY>(a, p, i - 1, threadIdx.x - 256, place);
        tagged v;

        if (from) {
            tag_load(v.low, &from->low);
            tag_load(v.high, &from->high);
            tag_wait(v.low, &from->low, 2048 * a.turn + i - 1);
            tag_wait(v.high, &from->high, 2048 * a.turn + i - 1);
            *(float4 *)(ring + ((i - 1) & (C::TURNS - 1)) * C::PLANE + place) =
                float4{v.low.x, v.low.z, v.high.x, v.high.z};
        }
    }
    __syncwarp();
    if (i > 0)
        bar_wait(turns + 8 * ((P + 1) & 1), ((P - 1) & 3) >> 1);
    __syncwarp();
    if ((threadIdx.x & 31) == 0)
        bar_arrive(turns + 8 * (P & 1));
}

template <how HOW, int CX, int CY>
__global__ void __launch_bounds__(512, 1)
    iso_steps(const __grid_constant__ CUtensorMap map, const __grid_constant__ arrays a)
{
    using C = iso_tile<HOW, CX, CY>;
    SHARED;
    unsigned char *const shared = shared_memory;
    const iso_place p = iso_at<HOW, CX, CY>(a);
    const int first = p.z0 - (HOW == SINGLE ? 4 : 8);
    const int end = p.z1 + (HOW == SINGLE ? 4 : 8 + C::LAG);
    /* Of its patch, in the plane that leaves. */
    int here = ((first - 4 - p.second * (4 + C::LAG)) * ISO_N + p.y0 + p.ly) * ISO_N +
               p.x0 + p.lx;
    iso_column c;

    if (threadIdx.x == 0) {
        for (int s = 0; s < C::SLOTS; s++)
            bar_init(shared + 8 * s, 1);
        for (int s = 0; s < 2; s++)
            bar_init(shared + 8 * (C::SLOTS + s), C::THREADS / 32);
        for (int s = 0; s < C::TURNS; s++)
            bar_init(shared + 8 * (C::SLOTS + 2 + s), 1);
    }
    for (int e = threadIdx.x; e < C::PLANES * C::PLANE; e += C::THREADS)
        ((float *)(shared + C::BARS))[e] = 0;
    bar_inits_done();
    __syncthreads();
    if (HOW == CLUSTER) {
        cluster_arrive();
        cluster_wait();
    }
    if (threadIdx.x == 256)
        for (int s = 0; s < C::AHEAD; s++) {
            bar_expect(shared + 8 * s, 4 * C::PLANE);
            box((float *)(shared + C::BARS) + s * C::PLANE, &map, p.x0 - 4, p.y0 - 4,
                first + s, shared + 8 * s);
        }
#pragma unroll
    for (int j = 0; j < 8; j++)
        c.past[j >> 1][j & 1] = c.sums[j >> 1][j & 1] = c.old[j & 1] = c.q[j & 1] =
            float4{0, 0, 0, 0};

    int k = first;

#pragma unroll 1
    for (; k < end; k += 4) {
        iso_iteration<HOW, CX, CY, 0>(&map, a, p, c, shared, here, k);
        iso_iteration<HOW, CX, CY, 1>(&map, a, p, c, shared, here, k + 1);
        iso_iteration<HOW, CX, CY, 2>(&map, a, p, c, shared, here, k + 2);
        iso_iteration<HOW, CX, CY, 3>(&map, a, p, c, shared, here, k + 3);
    }
    if (HOW == CLUSTER) { /* what nobody read has come, too */
        for (int i = k - first - C::LAG; i < k - first; i++)
            bar_wait(shared + 8 * (C::SLOTS + 2 + (i & (C::TURNS - 1))),
                     i / C::TURNS & 1);
        cluster_arrive();
        cluster_wait();
    }
}

/* One step, a work-item a point. */
__global__ void iso_plain(const float *u, const float *v, const float *q, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    const long p = ((long)z * ISO_N + y) * ISO_N + x, row = ISO_N, plane = row * ISO_N;

    if (x >= ISO_N)
        return;
    float s = ISO_CENTRE * u[p];

    for (int m = 1; m <= 4; m++) {
        s += HX * along(m) * ((x >= m ? u[p - m] : 0) + (x + m < ISO_N ? u[p + m] : 0));
        s += HY * along(m) *
             ((y >= m ? u[p - m * row] : 0) + (y + m < ISO_N ? u[p + m * row] : 0));
        s += HZ * along(m) *
             ((z >= m ? u[p - m * plane] : 0) + (z + m < ISO_N ? u[p + m * plane] : 0));
    }
    out[p] = 2 * u[p] - v[p] + q[p] * s;
}

/* ---- stencils of radius 1: a step a set of warps, planes from step to step through
 * rings */

/* Sound in a room (programs/acoustic.lift): now, one step ago. */
struct room {
    static constexpr const char *NAME = "room";
#ifdef ROOM_N
    static constexpr int NX = ROOM_N, NY = ROOM_N, NZ = ROOM_N - 5;
#else
    static constexpr int NX = 512, NY = 512, NZ = 404;
#endif
    static constexpr bool OLD = true;
    static constexpr float L2 = 1.f / 3, ALPHA = .57735026918962573f * .005f,
                           LOSS = 1 / (1 + ALPHA), KEPT = 1 - ALPHA;
};

/* programs/star3d1r.lift: the border is kept. */
struct star {
    static constexpr const char *NAME = "star";
#ifdef ROOM_N
    static constexpr int NX = ROOM_N, NY = ROOM_N, NZ = ROOM_N - 7;
#else
    static constexpr int NX = 512, NY = 512, NZ = 512;
#endif
    static constexpr bool OLD = false;
    static constexpr float W = 2.f / 154; /* times 8, 9, 10 along x, 11, 12; 13, 14 */
};

/* 4 x PY points a work-item. Step t makes plane j - 1 of its result when plane j of what
 * it reads comes, LAG iterations after that was written. */
template <class PROBLEM, int STEPS, how WAY, int ROWS, int CLUSTER_X, int CLUSTER_Y,
          int SLACK_ = 0>
struct pipe_tile {
    using P = PROBLEM;
    static constexpr how HOW = WAY;
    static constexpr int T = STEPS, PY = ROWS, CX = CLUSTER_X, CY = CLUSTER_Y;
    static constexpr int LX = 64, LY = 32, WORKERS = 16 * LY / PY,
                         THREADS = WORKERS * T + 32;
    static constexpr int PITCH = LX + 8, BOX = PITCH * (LY + 2),
                         PLANE = (BOX + 31) / 32 * 32;
    /* How many iterations groups may be apart, more than one. */
    static constexpr int SLACK = SLACK_;
    static constexpr int LAG = HOW == FLAGS     ? 3 + SLACK
                               : HOW == TAGS    ? 2 + SLACK
                               : HOW == CLUSTER ? 2
                                                : 1;
    static constexpr bool GRID = HOW == FLAGS || HOW == TAGS;
    static constexpr bool OLD = P::OLD && T > 1;
    static constexpr int STAGES = OLD ? 8 : 4, AHEAD = !OLD || LAG > 3 ? 2 : 3;
    /* Rings that are read by one step, by two. Groups of a cluster may be apart. */
    static constexpr int APART = HOW == CLUSTER, SHORT = LAG + 1 + APART;
    static constexpr int LONG = OLD ? 2 * (LAG + 1) + APART : SHORT;
    static constexpr int PLANES =
        STAGES + (T > 2 ? T - 2 : 0) * LONG + (T > 1 ? SHORT : 0);
    static constexpr int BARS = 128, BYTES = BARS + 4 * PLANES * PLANE;
    static constexpr bool HALO = HOW == ALONE || HOW == CLUSTER;
    static constexpr int HALO_X = HALO ? 4 : 0,
                         HALO_Y = HALO ? (T - 1 + PY - 1) / PY * PY : 0;
    static constexpr int VX = CX * LX - 2 * HALO_X, VY = CY * LY - 2 * HALO_Y;
    static constexpr int NX = (P::NX + VX - 1) / VX, NY = (P::NY + VY - 1) / VY;
    static constexpr int STRIPS = 2 * (LX + LY), TURNS = 8; /* strips in memory */
    static_assert(P::NX % 4 == 0 && P::NY % PY == 0 && T <= 5, "patches");
    static_assert(!GRID || (P::NX % LX == 0 && P::NY % LY == 0), "tiles");
};

struct pipe_arrays {
    const float *now, *old;
    float *o1, *o2;  /* after the step before the last, after the last */
    float *strips;   /* STRIPS values a tile, step and turn; with tags twice as many */
    unsigned *flags; /* one a group, 32 apart */
    unsigned turn;
    int chunk;
};

/* Where a work-item is. */
struct pipe_place {
    int x0, y0, z0, z1, lx, ly, x, y, t, rank, cx, cy, tile;
    bool inside, own;
};

template <class C> DI pipe_place pipe_at(const pipe_arrays &a)
{
    const int tid = threadIdx.x, w = tid % C::WORKERS;
    pipe_place p;

    p.t = tid / C::WORKERS; /* C::T: who fetches and waits for other groups */
    p.lx = w % 16 * 4;
    p.ly = w / 16 * C::PY;
    p.cx = blockIdx.x % C::CX;
    p.cy = blockIdx.y % C::CY;
    p.rank = p.cy * C::CX + p.cx;
    p.tile = blockIdx.y * C::NX + blockIdx.x;
    p.x0 = blockIdx.x / C::CX * C::VX - C::HALO_X + p.cx * C::LX;
    p.y0 = blockIdx.y / C::CY * C::VY - C::HALO_Y + p.cy * C::LY;
    p.z0 = blockIdx.z * a.chunk;
    p.z1 = min(p.z0 + a.chunk, C::P::NZ);
    p.x = p.x0 + p.lx;
    p.y = p.y0 + p.ly;

    const int ix = p.cx * C::LX + p.lx, iy = p.cy * C::LY + p.ly;

    p.inside = p.x >= 0 && p.x < C::P::NX && p.y >= 0 && p.y < C::P::NY;
    p.own = p.inside && ix >= C::HALO_X && ix < C::CX * C::LX - C::HALO_X &&
            iy >= C::HALO_Y && iy < C::CY * C::LY - C::HALO_Y;
    return p;
}

/* Plane number q, from the first on, of what step t reads. */
template <class C> DI float *pipe_plane(unsigned char *shared, int t, int q)
{
    const int before = t == 0 ? 0 : C::STAGES + (t - 1) * C::LONG;
    const unsigned n = q + 64 * C::STAGES * C::LONG * C::SHORT;
    const int slot = t == 0 ? n % C::STAGES : t < C::T - 1 ? n % C::LONG : n % C::SHORT;

    return (float *)(shared + C::BARS) + (before + slot) * C::PLANE;
}

/* What a work-item keeps of its column. */
template <int PY> struct pipe_column {
    float4 past[PY], sums[PY], old[PY];
};

/* The sum of neighbours in the plane: of row r of the patch at p. */
template <class C> struct cross {
    float4 c[C::PY + 2]; /* rows, from the one above on */
    float west[C::PY], east[C::PY];

    DI void load(const float *p)
    {
        const int lane = threadIdx.x & 15;
#pragma unroll
        for (int r = 0; r < C::PY + 2; r++)
            c[r] = load4(p + (r - 1) * C::PITCH);
#pragma unroll
        for (int r = 0; r < C::PY; r++) {
            west[r] = __shfl_up_sync(~0u, c[r + 1].w, 1, 16);
            east[r] = __shfl_down_sync(~0u, c[r + 1].x, 1, 16);
            if (lane == 0)
                west[r] = p[r * C::PITCH - 1];
            if (lane == 15)
                east[r] = p[r * C::PITCH + 4];
        }
    }

    DI float left(int r, int i)
    {
        return i > 0 ? at(c[r + 1], i - 1) : west[r];
    }

    DI float right(int r, int i)
    {
        return i < 3 ? at(c[r + 1], i + 1) : east[r];
    }
};

/* Points at walls lose: what is left of one more neighbour that is missing, and of its
 * age. */
template <class C>
DI void room_walls(cross<C> &n, pipe_column<C::PY> &c, float4 sums[], float4 out[],
                   const pipe_place &p, int j)
{
    using R = room;
    auto begins = [&](int r, int i, int walls) {
        at(sums[r], i) +=
            R::L2 * walls * at(n.c[r + 1], i) + (1 - R::KEPT) * at(c.old[r], i);
    };
    auto west = [&](int i) { return i == 0 && p.x == 0; };
    auto east = [&](int i) { return i == 3 && p.x == R::NX - 4; };
    auto ends = [&](int r) { return (p.y + r == 0) + (p.y + r == R::NY - 1); };

    if (j <= 1 || j >= R::NZ - 1) {
#pragma unroll
        for (int r = 0; r < C::PY; r++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int in_plane = west(i) + east(i) + ends(r);
                const int walls = in_plane + (j == 0) + (j == R::NZ - 1);

                if (walls > 0)
                    begins(r, i, walls);
                if (in_plane > 0 || j == 1 || j == R::NZ)
                    at(out[r], i) *= R::LOSS;
            }
        return;
    }
    auto side = [&](int i) {
#pragma unroll
        for (int r = 0; r < C::PY; r++) {
            begins(r, i, 1 + ends(r));
            at(out[r], i) *= R::LOSS;
        }
    };
    if (p.x == 0)
        side(0);
    if (p.x == R::NX - 4)
        side(3);
#pragma unroll
    for (int r = 0; r < C::PY; r += C::PY - 1)
        if (ends(r))
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (!west(i) && !east(i)) {
                    begins(r, i, 1);
                    at(out[r], i) *= R::LOSS;
                }
}

template <class C>
DI void pipe_point(room, cross<C> &n, pipe_column<C::PY> &c, float4 out[],
                   const pipe_place &p, int j)
{
    float4 sums[C::PY];
#pragma unroll
    for (int r = 0; r < C::PY; r++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float s = n.left(r, i) + n.right(r, i) + at(n.c[r], i) +
                            at(n.c[r + 2], i) + at(c.past[r], i);

            at(out[r], i) = at(c.sums[r], i) + room::L2 * at(n.c[r + 1], i);
            at(sums[r], i) = room::L2 * s - at(c.old[r], i);
        }
    room_walls<C>(n, c, sums, out, p, j);
#pragma unroll
    for (int r = 0; r < C::PY; r++) {
        c.sums[r] = sums[r];
        if (!p.inside || (unsigned)(j - 1) >= room::NZ)
            out[r] = float4{0, 0, 0, 0};
    }
}

template <class C>
DI void pipe_point(star, cross<C> &n, pipe_column<C::PY> &c, float4 out[],
                   const pipe_place &p, int j)
{
    using S = star;
    const bool kept = j - 1 <= 0 || j - 1 >= S::NZ - 1;
#pragma unroll
    for (int r = 0; r < C::PY; r++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float o = at(c.sums[r], i) + 14 * S::W * at(n.c[r + 1], i);
            const bool stays = kept || (i == 0 && p.x <= 0) ||
                               (i == 3 && p.x >= S::NX - 4) || (r == 0 && p.y <= 0) ||
                               (r == C::PY - 1 && p.y >= S::NY - C::PY);

            at(out[r], i) = stays ? at(c.past[r], i) : o;
            at(c.sums[r], i) = S::W * (8 * n.left(r, i) + 9 * at(n.c[r + 1], i) +
                                       10 * n.right(r, i) + 11 * at(n.c[r], i) +
                                       12 * at(n.c[r + 2], i) + 13 * at(c.past[r], i));
        }
}

/* Results that groups beside read: to a cluster's, or to memory. */
template <class C> DI void pipe_send(const pipe_place &p, float *slot, const float4 out[])
{
#pragma unroll
    for (int r = 0; r < C::PY; r++) {
        float *here = slot + (p.ly + r + 1) * C::PITCH + p.lx + 4;

        if (p.lx == 0 && p.cx > 0)
            remote_store(here + C::LX, p.rank - 1, out[r]);
        if (p.lx == C::LX - 4 && p.cx < C::CX - 1)
            remote_store(here - C::LX, p.rank + 1, out[r]);
        if (p.ly + r == 0 && p.cy > 0)
            remote_store(here + C::LY * C::PITCH, p.rank - C::CX, out[r]);
        if (p.ly + r == C::LY - 1 && p.cy < C::CY - 1)
            remote_store(here - C::LY * C::PITCH, p.rank + C::CX, out[r]);
    }
}

/* The rows above and below, the columns on the left and on the right, of number q. */
template <class C> DI float *pipe_strips(const pipe_arrays &a, int tile, int t, int q)
{
    return a.strips + ((tile * C::T + t) * C::TURNS + (q & (C::TURNS - 1))) * C::STRIPS;
}

template <class C>
DI void pipe_store_strips(const pipe_place &p, float *to, const float4 out[])
{
    if (p.ly == 0)
        *(float4 *)(to + p.lx) = out[0];
    if (p.ly == C::LY - C::PY)
        *(float4 *)(to + C::LX + p.lx) = out[C::PY - 1];
#pragma unroll
    for (int r = 0; r < C::PY; r++) {
        if (p.lx == 0)
            to[2 * C::LX + p.ly + r] = out[r].x;
        if (p.lx == C::LX - 4)
            to[2 * C::LX + C::LY + p.ly + r] = out[r].w;
    }
}

/* Value e of the strips around a tile: where the group beside has it, and its place here.
 */
template <class C>
DI const float *pipe_strip(const pipe_arrays &a, const pipe_place &p, int t, int q, int e,
                           int &place)
{
    const int side = e < C::LX ? 0 : e < 2 * C::LX ? 1 : e < 2 * C::LX + C::LY ? 2 : 3;
    const int n = side < 2 ? e - side * C::LX : e - 2 * C::LX - (side - 2) * C::LY;
    const bool there = side == 0   ? p.y0 > 0
                       : side == 1 ? p.y0 + C::LY < C::P::NY
                       : side == 2 ? p.x0 > 0
                                   : p.x0 + C::LX < C::P::NX;
    const int tile = p.tile + (side == 0   ? -C::NX
                               : side == 1 ? C::NX
                               : side == 2 ? -1
                                           : 1);
    const int other =
        side < 2 ? (1 - side) * C::LX + n : 2 * C::LX + (3 - side) * C::LY + n;

    place = side == 0   ? 4 + n
            : side == 1 ? (C::LY + 1) * C::PITCH + 4 + n
            : side == 2 ? (n + 1) * C::PITCH + 3
                        : (n + 1) * C::PITCH + 4 + C::LX;
    return there ? pipe_strips<C>(a, tile, t, q) + other : nullptr;
}

/* The same with tags, two values a line. */
template <class C> DI float4 *pipe_lines(const pipe_arrays &a, int tile, int t, int q)
{
    return (float4 *)a.strips +
           ((tile * C::T + t) * C::TURNS + (q & (C::TURNS - 1))) * (C::STRIPS / 2);
}

template <class C>
DI void pipe_store_lines(const pipe_place &p, float4 *to, const float4 out[],
                         unsigned tag)
{
    const int x = p.lx / 2, y = C::LX + p.ly / 2;

    if (p.ly == 0) {
        tag_store(to + x, out[0].x, out[0].y, tag);
        tag_store(to + x + 1, out[0].z, out[0].w, tag);
    }
    if (p.ly == C::LY - C::PY) {
        tag_store(to + C::LX / 2 + x, out[C::PY - 1].x, out[C::PY - 1].y, tag);
        tag_store(to + C::LX / 2 + x + 1, out[C::PY - 1].z, out[C::PY - 1].w, tag);
    }
#pragma unroll
    for (int r = 0; r < C::PY; r += 2) {
        if (p.lx == 0)
            tag_store(to + y + r / 2, out[r].x, out[r + 1].x, tag);
        if (p.lx == C::LX - 4)
            tag_store(to + y + C::LY / 2 + r / 2, out[r].w, out[r + 1].w, tag);
    }
}

/* Line e of those around a tile: where the group beside has it; the places of both. */
template <class C>
DI const float4 *pipe_line(const pipe_arrays &a, const pipe_place &p, int t, int q, int e,
                           int &place, int &apart)
{
    const float *whole = pipe_strip<C>(a, p, t, q, 2 * e, place);
    const float *first = pipe_strips<C>(a, 0, 0, 0);

    apart = e < C::LX ? 1 : C::PITCH;
    return whole ? (const float4 *)first + (whole - first) / 2 : nullptr;
}

/* Iteration i of a work-item that makes a step. */
template <class C>
DI void pipe_work(const pipe_arrays &a, const pipe_place &p, pipe_column<C::PY> &c,
                  unsigned char *shared, int &here, int i)
{
    constexpr int EACH = (C::STRIPS + C::WORKERS - 1) / C::WORKERS;
    const int first = p.z0 - C::T, q = i - p.t * (1 + C::LAG), j = first + q;
    const int mine = (p.ly + 1) * C::PITCH + p.lx + 4, w = threadIdx.x % C::WORKERS;
    float *const reads = pipe_plane<C>(shared, p.t, q);
    float4 out[C::PY];
    float strip[EACH];
    int places[EACH], apart = 0;
    const float4 *line = nullptr;
    float4 pair;
    cross<C> n;

    if (C::HOW == FLAGS && p.t > 0)
#pragma unroll
        for (int s = 0; s < EACH; s++) {
            const int e = w + s * C::WORKERS;
            const float *from = e < C::STRIPS && q + 1 >= 0
                                    ? pipe_strip<C>(a, p, p.t - 1, q + 1, e, places[s])
                                    : nullptr;

            if (!from)
                places[s] = -1;
            else
                strip[s] = __ldcg(from);
        }
    if (C::HOW == TAGS && p.t > 0 && w < C::STRIPS / 2 && q + 1 >= 0)
        line = pipe_line<C>(a, p, p.t - 1, q + 1, w, places[0], apart);
    if (line)
        tag_load(pair, line);
    if (p.t == 0 && j < p.z1 + C::T)
        bar_wait(shared + 8 * (q & (C::STAGES - 1)), q / C::STAGES & 1);
    n.load(reads + mine);
    if (C::OLD && p.t > 0)
#pragma unroll
        for (int r = 0; r < C::PY; r++)
            c.old[r] = load4(pipe_plane<C>(shared, p.t - 1, q) + mine + r * C::PITCH);
    pipe_point<C>(typename C::P(), n, c, out, p, j);
#pragma unroll
    for (int r = 0; r < C::PY; r++)
        c.past[r] = n.c[r + 1];
    if (p.t < C::T - 1) {
        float *to = pipe_plane<C>(shared, p.t + 1, q - 1);
#pragma unroll
        for (int r = 0; r < C::PY; r++)
            *(float4 *)(to + mine + r * C::PITCH) = out[r];
        if (C::HOW == CLUSTER)
            pipe_send<C>(p, to, out);
        if (C::HOW == FLAGS && q >= 1)
            pipe_store_strips<C>(p, pipe_strips<C>(a, p.tile, p.t, q - 1), out);
        if (C::HOW == TAGS && q >= 1)
            pipe_store_lines<C>(p, pipe_lines<C>(a, p.tile, p.t, q - 1), out,
                                1024 * a.turn + q - 1);
    }
    if (p.own && p.t >= C::T - (C::P::OLD ? 2 : 1) && j - 1 >= p.z0 && j - 1 < p.z1) {
        float *to = (p.t == C::T - 1 ? a.o2 : a.o1) + here;
#pragma unroll
        for (int r = 0; r < C::PY; r++)
            __stcs((float4 *)(to + r * C::P::NX), out[r]);
    }
    here += C::P::NX * C::P::NY;
    if (C::P::OLD && p.t == 0 && p.inside && (unsigned)(j + 1) < C::P::NZ)
#pragma unroll
        for (int r = 0; r < C::PY; r++) /* 'here' is of plane j now */
            c.old[r] = __ldcs(
                (const float4 *)(a.old + here + C::P::NX * C::P::NY + r * C::P::NX));
    if (C::HOW == FLAGS && p.t > 0)
#pragma unroll
        for (int s = 0; s < EACH; s++)
            if (places[s] >= 0)
                pipe_plane<C>(shared, p.t, q + 1)[places[s]] = strip[s];
    if (line) {
        float *to = pipe_plane<C>(shared, p.t, q + 1) + places[0];

        tag_wait(pair, line, 1024 * a.turn + q + 1);
        to[0] = pair.x;
        to[apart] = pair.z;
    }
}

template <class C>
DI void pipe_fetch(const CUtensorMap *map, const pipe_place &p, unsigned char *shared,
                   int q)
{
    void *bar = shared + 8 * (q & (C::STAGES - 1));

    if (p.z0 - C::T + q < p.z1 + C::T) {
        bar_expect(bar, 4 * C::BOX);
        box(pipe_plane<C>(shared, 0, q), map, p.x0 - 4, p.y0 - 1, p.z0 - C::T + q, bar);
    }
}

/* Iteration i of the warp that brings planes, and waits for groups beside. */
template <class C>
DI void pipe_help(const CUtensorMap *map, const pipe_arrays &a, const pipe_place &p,
                  unsigned char *shared, unsigned base, int i)
{
    const int lane = threadIdx.x & 31;

    if (lane == 0)
        pipe_fetch<C>(map, p, shared, i + C::AHEAD);
    if (C::HOW != FLAGS || i == 0)
        return;
    if (lane == 0)
        publish(a.flags + 32 * p.tile, base + i);
    if (i <= C::SLACK)
        return;
    if ((lane == 1 && p.y0 > 0) || (lane == 2 && p.y0 + C::LY < C::P::NY) ||
        (lane == 3 && p.x0 > 0) || (lane == 4 && p.x0 + C::LX < C::P::NX))
        wait_for(a.flags + 32 * (p.tile + (lane == 1   ? -C::NX
                                           : lane == 2 ? C::NX
                                           : lane == 3 ? -1
                                                       : 1)),
                 base + i - C::SLACK);
}

template <class C>
__global__ void __launch_bounds__(C::THREADS, 1)
    pipe_steps(const __grid_constant__ CUtensorMap map,
               const __grid_constant__ pipe_arrays a)
{
    SHARED;
    unsigned char *const shared = shared_memory;
    const pipe_place p = pipe_at<C>(a);
    const int count = p.z1 - p.z0 + C::T + (1 + C::LAG) * (C::T - 1) + 1;
    pipe_column<C::PY> c;
    /* Of the patch, in the plane that leaves. */
    int here = ((p.z0 - C::T - p.t * (1 + C::LAG) - 1) * C::P::NY + p.y) * C::P::NX + p.x;

    if (threadIdx.x == 0)
        for (int s = 0; s < C::STAGES; s++)
            bar_init(shared + 8 * s, 1);
    for (int e = threadIdx.x; e < C::PLANES * C::PLANE; e += C::THREADS)
        ((float *)(shared + C::BARS))[e] = 0;
    bar_inits_done();
    __syncthreads();
    if (C::HOW == CLUSTER) {
        cluster_arrive();
        cluster_wait();
    }
    if (threadIdx.x == C::WORKERS * C::T)
        for (int q = 0; q < C::AHEAD; q++)
            pipe_fetch<C>(&map, p, shared, q);
#pragma unroll
    for (int r = 0; r < C::PY; r++)
        c.past[r] = c.sums[r] = c.old[r] = float4{0, 0, 0, 0};
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        if (p.t < C::T)
            pipe_work<C>(a, p, c, shared, here, i);
        else
            pipe_help<C>(&map, a, p, shared, a.turn * (count + 1), i);
        if (C::HOW == CLUSTER) {
            __syncwarp();
            if (i > 0)
                cluster_wait();
            cluster_arrive();
        } else {
            __syncthreads();
        }
    }
    if (C::HOW == CLUSTER)
        cluster_wait();
}

/* One step, a work-item a point. */
template <class P>
__global__ void pipe_plain(const float *now, const float *old, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    const long row = P::NX, plane = row * P::NY, p = z * plane + y * row + x;
    const bool w = x > 0, e = x<P::NX - 1, n = y> 0, s = y<P::NY - 1, d = z> 0,
               u = z < P::NZ - 1;

    if (x >= P::NX)
        return;
    if (P::OLD) {
        const int k = w + e + n + s + d + u;
        const float sum = (w ? now[p - 1] : 0) + (e ? now[p + 1] : 0) +
                          (n ? now[p - row] : 0) + (s ? now[p + row] : 0) +
                          (d ? now[p - plane] : 0) + (u ? now[p + plane] : 0);

        out[p] =
            (k < 6 ? room::LOSS : 1) * ((2 - room::L2 * k) * now[p] + room::L2 * sum -
                                        (k < 6 ? room::KEPT : 1) * old[p]);
    } else {
        out[p] = w && e && n && s && d && u
                     ? star::W * (8 * now[p - 1] + 9 * now[p] + 10 * now[p + 1] +
                                  11 * now[p - row] + 12 * now[p + row] +
                                  13 * now[p - plane] + 14 * now[p + plane])
                     : now[p];
    }
}

/* ---- what runs, compares and prints */

static const char *wanted = "";

/* A row of the table. 'differ' compares the results of the launch before. */
template <class K, class F, class D>
static void row(const char *name, K kernel, int threads, int bytes, double points,
                int steps, F run, D compare)
{
    cudaFuncAttributes is;
    int groups = 0;

    if (!strstr(name, wanted))
        return;
    CHECK(cudaFuncSetAttribute((const void *)kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    CHECK(cudaFuncGetAttributes(&is, (const void *)kernel));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, threads, bytes));
    run();
    if (launch_error != cudaSuccess) {
        printf("%-34s %s\n", name, cudaGetErrorString(launch_error));
        launch_error = cudaSuccess;
        (void)cudaGetLastError();
        return;
    }
    CHECK(cudaDeviceSynchronize());
    const float first = compare(), ms = median(run), then = compare();

    printf("%-42s %8.3f ms %7.1f GPts/s  error %.1e %.1e  %3d registers %4d B spilled "
           "%6d B shared, %d x %d threads a unit\n",
           name, ms, points * steps / ms * 1e-6, first, then, is.numRegs,
           (int)is.localSizeBytes, bytes, groups, threads);
    fflush(stdout);
}

/* ---- the wave equation */

struct iso_data {
    arrays a;
    float *r1, *r2;
    long n;
};

template <how HOW, int CX, int CY>
static void iso_launch(iso_data &d, const CUtensorMap &map)
{
    using C = iso_tile<HOW, CX, CY>;
    const dim3 all(C::NX * CX, C::NY * CY, (ISO_N + d.a.chunk - 1) / d.a.chunk);

    if (HOW != TAGS) {
        launch(iso_steps<HOW, CX, CY>, all, C::THREADS, {CX, CY, 1}, C::BYTES, map, d.a);
        return;
    }
    for (int y = 0; y < C::NY; y++)
        for (int x = 0; x < C::NX; x++) {
            arrays part = d.a;

            part.left = x * CX;
            part.top = y * CY;
            launch(iso_steps<HOW, CX, CY>, dim3(CX, CY, 1), C::THREADS, {1, 1, 0},
                   C::BYTES, map, part);
            d.a.turn++;
        }
}

template <how HOW, int CX, int CY> static void iso_run(iso_data &d, int chunk)
{
    using C = iso_tile<HOW, CX, CY>;
    const CUtensorMap map = map_of(d.a.u, ISO_N, ISO_N, ISO_N, C::PITCH, C::LY + 8);
    const char *const names[] = {"one step", "both computed", "cluster", "", "tags"};
    char name[64];

    d.a.chunk = chunk;
    d.a.turn = 0;
    CHECK(cudaMemset(d.a.strips, 0xff, sizeof(tagged) * CX * CY * C::TURNS * C::STRIPS));
    CHECK(cudaMemset(d.a.o1, 0xff, 4 * d.n));
    CHECK(cudaMemset(d.a.o2, 0xff, 4 * d.n));
    snprintf(name, sizeof name, "iso %s %dx%d, %d planes", names[HOW], CX, CY, chunk);
    if (HOW == CLUSTER && strstr(name, wanted))
        printf("%d groups at once: ",
               at_once(iso_steps<HOW, CX, CY>, C::THREADS, {CX, CY, 1}, C::BYTES));
    row(
        name, iso_steps<HOW, CX, CY>, C::THREADS, C::BYTES, (double)d.n,
        HOW == SINGLE ? 1 : 2, [&] { iso_launch<HOW, CX, CY>(d, map); },
        [&] {
            const float e = difference(d.a.o1, d.r1, d.n);

            return HOW == SINGLE ? e : std::max(e, difference(d.a.o2, d.r2, d.n));
        });
}

/* One step after the other, the field between them in memory. */
static void iso_stored(iso_data &d, int chunk)
{
    using C = iso_tile<SINGLE, 1, 1>;
    arrays b = d.a;
    const CUtensorMap one = map_of(d.a.u, ISO_N, ISO_N, ISO_N, C::PITCH, C::LY + 8),
                      two = map_of(d.a.o1, ISO_N, ISO_N, ISO_N, C::PITCH, C::LY + 8);
    const dim3 grid(C::NX, C::NY, (ISO_N + chunk - 1) / chunk);

    d.a.chunk = b.chunk = chunk;
    b.u = d.a.o1;
    b.v = d.a.u;
    b.o1 = d.a.o2;
    row(
        "iso two kernels", iso_steps<SINGLE, 1, 1>, C::THREADS, C::BYTES, (double)d.n, 2,
        [&] {
            launch(iso_steps<SINGLE, 1, 1>, grid, C::THREADS, {1, 1, 1}, C::BYTES, one,
                   d.a);
            launch(iso_steps<SINGLE, 1, 1>, grid, C::THREADS, {1, 1, 1}, C::BYTES, two,
                   b);
        },
        [&] {
            return std::max(difference(d.a.o1, d.r1, d.n), difference(d.a.o2, d.r2, d.n));
        });
}

static void iso()
{
    iso_data d;
    const dim3 grid((ISO_N + 127) / 128, ISO_N, ISO_N);

    d.n = (long)ISO_N * ISO_N * ISO_N;
    float *u = random_grid(d.n, 1, -1, 1), *v = random_grid(d.n, 2, -1, 1),
          *q = random_grid(d.n, 3, 4, 19);

    d.r1 = take<float>(d.n);
    d.r2 = take<float>(d.n);
    d.a = {u, v, q, take<float>(d.n), take<float>(d.n), take<tagged>(128 * 8 * 192), 0,
           0, 0, 0};
    launch(iso_plain, grid, dim3(128), 0, (const float *)u, (const float *)v,
           (const float *)q, d.r1);
    launch(iso_plain, grid, dim3(128), 0, (const float *)d.r1, (const float *)u,
           (const float *)q, d.r2);
    CHECK(cudaDeviceSynchronize());
    printf("acoustic_iso %d^3\n", ISO_N);
    for (int chunk : {ISO_N, ISO_N / 2, ISO_N / 4})
        iso_run<SINGLE, 1, 1>(d, chunk);
    iso_stored(d, ISO_N / 4);
    for (int chunk : {ISO_N, ISO_N / 2}) {
        iso_run<ALONE, 1, 1>(d, chunk);
        iso_run<CLUSTER, 1, 2>(d, chunk);
        iso_run<CLUSTER, 1, 4>(d, chunk);
        iso_run<CLUSTER, 2, 2>(d, chunk);
        iso_run<CLUSTER, 2, 4>(d, chunk);
    }
    iso_run<TAGS, ISO_X, ISO_Y>(d, ISO_N);
    for (float *p : {u, v, q, d.a.o1, d.a.o2, d.r1, d.r2})
        CHECK(cudaFree(p));
}

/* ---- stencils of radius 1 */

struct pipe_data {
    pipe_arrays a;
    float *wanted[8]; /* after so many steps */
    long n;
};

template <class C> static void pipe_run(pipe_data &d, int chunk)
{
    const CUtensorMap map =
        map_of(d.a.now, C::P::NX, C::P::NY, C::P::NZ, C::PITCH, C::LY + 2);
    const dim3 grid(C::NX * C::CX, C::NY * C::CY, (C::P::NZ + chunk - 1) / chunk);
    const char *const names[] = {"", "all computed", "cluster", "flags", "tags"};
    char name[64];

    d.a.chunk = chunk;
    d.a.turn = 0;
    CHECK(cudaMemset(d.a.flags, 0, 4 * 32 * C::NX * C::NY));
    CHECK(cudaMemset(d.a.strips, 0xff, 4 << 22));
    CHECK(cudaMemset(d.a.o1, 0xff, 4 * d.n));
    CHECK(cudaMemset(d.a.o2, 0xff, 4 * d.n));
    snprintf(name, sizeof name, "%s %d steps %s %dx%d r%d s%d, %d planes", C::P::NAME,
             C::T, names[C::HOW], C::CX, C::CY, C::PY, C::SLACK, chunk);
    if (C::CX * C::CY > 1 && strstr(name, wanted))
        printf("%d groups at once: ",
               at_once(pipe_steps<C>, C::THREADS, {C::CX, C::CY, 1}, C::BYTES));
    row(
        name, pipe_steps<C>, C::THREADS, C::BYTES, (double)d.n, C::T,
        [&] {
            launch(pipe_steps<C>, grid, C::THREADS, {C::CX, C::CY, C::GRID ? 0u : 1u},
                   C::BYTES, map, d.a);
            d.a.turn++;
        },
        [&] {
            const float e = difference(d.a.o2, d.wanted[C::T], d.n);

            return C::P::OLD && C::T > 1
                       ? std::max(e, difference(d.a.o1, d.wanted[C::T - 1], d.n))
                       : e;
        });
}

/* The first steps by plain kernels. */
template <class P> static void pipe_wanted(pipe_data &d, int steps)
{
    const dim3 grid((P::NX + 127) / 128, P::NY, P::NZ);

    d.n = (long)P::NX * P::NY * P::NZ;
    d.a = {random_grid(d.n, 1, -1, 1),
           random_grid(d.n, 2, -1, 1),
           take<float>(d.n),
           take<float>(d.n),
           take<float>(1 << 22),
           take<unsigned>(32 * 4096),
           0,
           0};
    CHECK(cudaMemset(d.a.strips, 0xff, 4 << 22));
    for (int t = 1; t <= steps; t++) {
        d.wanted[t] = take<float>(d.n);
        launch(pipe_plain<P>, grid, dim3(128), 0, t == 1 ? d.a.now : d.wanted[t - 1],
               t == 1   ? d.a.old
               : t == 2 ? d.a.now
                        : d.wanted[t - 2],
               d.wanted[t]);
    }
    CHECK(cudaDeviceSynchronize());
    printf("%s %d x %d x %d\n", P::NAME, P::NX, P::NY, P::NZ);
}

static void rooms()
{
    constexpr int Z = room::NZ;
    pipe_data d;

    pipe_wanted<room>(d, 3);
    pipe_run<pipe_tile<room, 1, ALONE, 2, 1, 1>>(d, (Z + 3) / 4);
    for (int chunk : {(Z + 1) / 2, (Z + 2) / 3}) {
        pipe_run<pipe_tile<room, 2, ALONE, 2, 1, 1>>(d, chunk);
        pipe_run<pipe_tile<room, 3, ALONE, 2, 1, 1>>(d, chunk);
        pipe_run<pipe_tile<room, 2, CLUSTER, 2, 2, 2>>(d, chunk);
        pipe_run<pipe_tile<room, 3, CLUSTER, 2, 2, 2>>(d, chunk);
    }
    pipe_run<pipe_tile<room, 2, FLAGS, 2, 1, 1, 1>>(d, Z);
    pipe_run<pipe_tile<room, 3, FLAGS, 2, 1, 1, 1>>(d, Z);
    pipe_run<pipe_tile<room, 2, TAGS, 2, 1, 1>>(d, Z);
    pipe_run<pipe_tile<room, 2, TAGS, 2, 1, 1, 1>>(d, Z);
    pipe_run<pipe_tile<room, 3, TAGS, 2, 1, 1>>(d, Z);
    pipe_run<pipe_tile<room, 3, TAGS, 2, 1, 1, 1>>(d, Z);
    pipe_run<pipe_tile<room, 3, TAGS, 4, 1, 1>>(d, Z);
    pipe_run<pipe_tile<room, 3, TAGS, 4, 1, 1, 1>>(d, Z);
}

static void stars()
{
    constexpr int Z = star::NZ;
    pipe_data d;

    pipe_wanted<star>(d, 5);
    pipe_run<pipe_tile<star, 1, ALONE, 2, 1, 1>>(d, (Z + 3) / 4);
    pipe_run<pipe_tile<star, 4, ALONE, 4, 1, 1>>(d, Z);
    pipe_run<pipe_tile<star, 4, CLUSTER, 4, 2, 2>>(d, Z);
    pipe_run<pipe_tile<star, 4, FLAGS, 4, 1, 1, 1>>(d, Z);
    pipe_run<pipe_tile<star, 3, TAGS, 2, 1, 1, 1>>(d, Z);
    pipe_run<pipe_tile<star, 4, TAGS, 4, 1, 1>>(d, Z);
    pipe_run<pipe_tile<star, 4, TAGS, 4, 1, 1, 1>>(d, Z);
    pipe_run<pipe_tile<star, 5, TAGS, 4, 1, 1>>(d, Z);
    pipe_run<pipe_tile<star, 5, TAGS, 4, 1, 1, 1>>(d, Z);
}

int main(int count, char **args)
{
    const char *what = count > 1 ? args[1] : "all";

    if (count > 2)
        wanted = args[2];
    if (!strcmp(what, "iso") || !strcmp(what, "all"))
        iso();
    if (!strcmp(what, "room") || !strcmp(what, "all"))
        rooms();
    if (!strcmp(what, "star") || !strcmp(what, "all"))
        stars();
    return 0;
}
