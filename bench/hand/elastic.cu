/* Elastic waves on a staggered grid (programs/elastic2d.lift, programs/elastic3d.lift) on
 * a GPU by hand: a step in two kernels, velocities, then stresses.
 *
 *   nvcc -O3 -std=c++17 -arch=sm_90 -o elastic bench/hand/elastic.cu
 *   ./elastic [2d|3d|all] [part of a name]
 *
 * Work-items have four points along x: in two dimensions a box of some rows, in three a
 * column along z, of which they keep what differences along z need. Grids have a halo, of
 * zeros or of the medium's border, rows begin on lines of 128 bytes. Results are compared
 * with plain kernels'. */
#include "measure.cuh"
#ifndef ELASTIC_2D
#define ELASTIC_2D 8192
#define ELASTIC_3D 400
#endif

/* A grid of N points each way. Halos share their columns: the one on the right of a row
 * is the one on the left of the next. */
template <int N, int DIMENSIONS> struct shape {
    static constexpr int SIZE = N, PITCH = (N + 8 + 31) / 32 * 32, HALO = 4;
    static constexpr bool DEEP = DIMENSIONS == 3;
    static constexpr int ROWS = N + 2 * HALO, PLANE = ROWS * PITCH;
    static constexpr int PLANES = DEEP ? N + 2 * HALO : 1;
    static constexpr long CELLS = (long)PLANE * PLANES + 64;
    static constexpr int ORIGIN = (DEEP ? HALO * PLANE : 0) + HALO * PITCH + 32;
    static constexpr double POINTS = (double)N * N * (DEEP ? N : 1);
    static_assert(N % 4 == 0 && CELLS < 1l << 31, "vectors, indices of 32 bits");
};

using flat = shape<ELASTIC_2D, 2>;
using deep = shape<ELASTIC_3D, 3>;

/* Fields, at their first points. In two dimensions those with z are missing. */
enum { VX, VY, VZ, VELOCITIES };
enum { SXX, SYY, SZZ, SXY, SXZ, SYZ, STRESSES };

struct grids {
    const float *v[VELOCITIES], *s[STRESSES];
    const float *b, *lambda, *mu;
    float *w[VELOCITIES], *t[STRESSES];
};

#ifndef ON_HOST
/* 1 / a, whose last bit may be wrong. */
DI float inverse(float a)
{
    asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(a));
    return a;
}
#endif

constexpr float C1 = 9.f / 8, C2 = -1.f / 24;

DI float difference4(float a, float b, float c, float d)
{
    return C1 * (c - b) + C2 * (d - a);
}

#include "elastic_plain.cuh"

/* ---- vectors */

DI float4 get4(const float *p)
{
    return __ldg((const float4 *)p);
}

/* What is read once. */
DI float4 once4(const float *p)
{
    return __ldcs((const float4 *)p);
}

DI void put4(float *p, float4 f)
{
    __stcs((float4 *)p, f);
}

DI float4 operator+(float4 a, float4 b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

DI float4 operator*(float4 a, float4 b)
{
    return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w};
}

DI float4 operator*(float a, float4 b)
{
    return {a * b.x, a * b.y, a * b.z, a * b.w};
}

DI float4 difference4(float4 a, float4 b, float4 c, float4 d)
{
    return {difference4(a.x, b.x, c.x, d.x), difference4(a.y, b.y, c.y, d.y),
            difference4(a.z, b.z, c.z, d.z), difference4(a.w, b.w, c.w, d.w)};
}

/* Along x, c is the vector at p. */
DI float4 after_x(const float *p, float4 c)
{
    const float a = __ldg(p - 1);
    const float2 b = __ldg((const float2 *)(p + 4));

    return {difference4(a, c.x, c.y, c.z), difference4(c.x, c.y, c.z, c.w),
            difference4(c.y, c.z, c.w, b.x), difference4(c.z, c.w, b.x, b.y)};
}

DI float4 before_x(const float *p, float4 c)
{
    const float2 a = __ldg((const float2 *)(p - 2));
    const float b = __ldg(p + 4);

    return {difference4(a.x, a.y, c.x, c.y), difference4(a.y, c.x, c.y, c.z),
            difference4(c.x, c.y, c.z, c.w), difference4(c.y, c.z, c.w, b)};
}

/* Along y, with the vector c at p. */
template <int Y> DI float4 after_y(const float *p, float4 c)
{
    return difference4(get4(p - Y), c, get4(p + Y), get4(p + 2 * Y));
}

template <int Y> DI float4 before_y(const float *p, float4 c)
{
    return difference4(get4(p - 2 * Y), get4(p - Y), c, get4(p + Y));
}

DI float4 reciprocal(float4 f)
{
    return {inverse(f.x), inverse(f.y), inverse(f.z), inverse(f.w)};
}

/* A vector and the point after it. */
struct five {
    float4 f;
    float last;
};

DI five get5(const float *p)
{
    return {get4(p), __ldg(p + 4)};
}

DI five reciprocal(five a)
{
    return {reciprocal(a.f), inverse(a.last)};
}

DI float4 next(five a)
{
    return {a.f.y, a.f.z, a.f.w, a.last};
}

/* Twice the mean of pairs along x, of vectors; of what four reciprocals are of. */
DI float4 pairs(five a)
{
    return a.f + next(a);
}

/* ---- two dimensions: R rows a work-item */

template <class G, int R> DI bool box_of(int &i)
{
    const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x),
              y = R * (blockIdx.y * blockDim.y + threadIdx.y);

    i = y * G::PITCH + x;
    return x < G::SIZE && y < G::SIZE;
}

template <class G, int R, int THREADS>
__global__ void __launch_bounds__(THREADS) velocities_box(const __grid_constant__ grids g)
{
    constexpr int Y = G::PITCH;
    float4 xy[R + 3], yy[R + 3];
    int i;

    if (!box_of<G, R>(i))
        return;
    five b = get5(g.b + i);
#pragma unroll
    for (int r = 0; r < R + 3; r++) {
        xy[r] = get4(g.s[SXY] + i + (r - 2) * Y);
        yy[r] = get4(g.s[SYY] + i + (r - 1) * Y);
    }
#pragma unroll
    for (int r = 0; r < R; r++, i += Y) {
        const five south = get5(g.b + i + Y);
        const float4 x = after_x(g.s[SXX] + i, get4(g.s[SXX] + i)) +
                         difference4(xy[r], xy[r + 1], xy[r + 2], xy[r + 3]);
        const float4 y = before_x(g.s[SXY] + i, xy[r + 2]) +
                         difference4(yy[r], yy[r + 1], yy[r + 2], yy[r + 3]);

        put4(g.w[VX] + i, once4(g.v[VX] + i) + .5f * pairs(b) * x);
        put4(g.w[VY] + i, once4(g.v[VY] + i) + .5f * (b.f + south.f) * y);
        b = south;
    }
}

template <class G, int R, int THREADS>
__global__ void __launch_bounds__(THREADS) stresses_box(const __grid_constant__ grids g)
{
    constexpr int Y = G::PITCH;
    float4 vx[R + 3], vy[R + 3];
    int i;

    if (!box_of<G, R>(i))
        return;
    five m = get5(g.mu + i), part = reciprocal(m);
#pragma unroll
    for (int r = 0; r < R + 3; r++) {
        vx[r] = get4(g.w[VX] + i + (r - 1) * Y);
        vy[r] = get4(g.w[VY] + i + (r - 2) * Y);
    }
#pragma unroll
    for (int r = 0; r < R; r++, i += Y) {
        const five south = get5(g.mu + i + Y), below = reciprocal(south);
        const float4 xx = before_x(g.w[VX] + i, vx[r + 1]),
                     yy = difference4(vy[r], vy[r + 1], vy[r + 2], vy[r + 3]),
                     xy = difference4(vx[r], vx[r + 1], vx[r + 2], vx[r + 3]) +
                          after_x(g.w[VY] + i, vy[r + 2]);
        const float4 volume = once4(g.lambda + i) * (xx + yy), twice = 2 * m.f;

        put4(g.t[SXX] + i, once4(g.s[SXX] + i) + volume + twice * xx);
        put4(g.t[SYY] + i, once4(g.s[SYY] + i) + volume + twice * yy);
        put4(g.t[SXY] + i,
             once4(g.s[SXY] + i) + 4 * reciprocal(pairs(part) + pairs(below)) * xy);
        m = south;
        part = below;
    }
}

/* ---- three dimensions: a column a work-item, of so many planes, or PLANES, unrolled */

template <class G> DI bool column_of(int chunk, int &i, int &planes)
{
    const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x),
              y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * chunk;

    i = z * G::PLANE + y * G::PITCH + x;
    planes = min(chunk, G::SIZE - z);
    return x < G::SIZE && y < G::SIZE;
}

/* Four values along z, the next one is read. */
template <int Z> struct window {
    float4 a, b, c, d;

    /* The last of them will be 'ahead' planes from p. */
    DI void begin(const float *p, int ahead)
    {
        b = get4(p + (ahead - 3) * Z);
        c = get4(p + (ahead - 2) * Z);
        d = get4(p + (ahead - 1) * Z);
    }
    DI void move(const float *p)
    {
        a = b;
        b = c;
        c = d;
        d = get4(p);
    }
    DI float4 slope() const
    {
        return difference4(a, b, c, d);
    }
};

template <class G, int THREADS, int GROUPS, int PLANES>
__global__ void __launch_bounds__(THREADS, GROUPS)
    velocities_column(const __grid_constant__ grids g, int chunk)
{
    constexpr int Y = G::PITCH, Z = G::PLANE, TURNS = PLANES ? PLANES : 1;
    window<Z> xz, yz, zz; /* the first two before, the last after */
    int i, planes;

    if (!column_of<G>(chunk, i, planes))
        return;
    xz.begin(g.s[SXZ] + i, 1);
    yz.begin(g.s[SYZ] + i, 1);
    zz.begin(g.s[SZZ] + i, 2);
    float4 b = get4(g.b + i);
#pragma unroll TURNS
    for (int k = 0; k < (PLANES ? PLANES : planes); k++, i += Z) {
        const float4 back = get4(g.b + i + Z), xy = get4(g.s[SXY] + i);
        const float last = __ldg(g.b + i + 4);

        xz.move(g.s[SXZ] + i + Z);
        yz.move(g.s[SYZ] + i + Z);
        zz.move(g.s[SZZ] + i + 2 * Z);
        const float4 x = after_x(g.s[SXX] + i, get4(g.s[SXX] + i)) +
                         before_y<Y>(g.s[SXY] + i, xy) + xz.slope();
        const float4 y = before_x(g.s[SXY] + i, xy) +
                         after_y<Y>(g.s[SYY] + i, get4(g.s[SYY] + i)) + yz.slope();
        const float4 z =
            before_x(g.s[SXZ] + i, xz.c) + before_y<Y>(g.s[SYZ] + i, yz.c) + zz.slope();

        put4(g.w[VX] + i, once4(g.v[VX] + i) + .5f * pairs({b, last}) * x);
        put4(g.w[VY] + i, once4(g.v[VY] + i) + .5f * (b + get4(g.b + i + Y)) * y);
        put4(g.w[VZ] + i, once4(g.v[VZ] + i) + .5f * (b + back) * z);
        b = back;
    }
}

/* Reciprocals of mu in a row and in the one after it. */
struct two_rows {
    five here, south;
};

template <int Y> DI two_rows parts_of(const float *mu, float4 &m)
{
    const five here = get5(mu);

    m = here.f;
    return {reciprocal(here), reciprocal(get5(mu + Y))};
}

template <class G, int THREADS, int GROUPS, int PLANES>
__global__ void __launch_bounds__(THREADS, GROUPS)
    stresses_column(const __grid_constant__ grids g, int chunk)
{
    constexpr int Y = G::PITCH, Z = G::PLANE, TURNS = PLANES ? PLANES : 1;
    window<Z> vx, vy, vz; /* the first two after, the last before */
    float4 m, deeper;
    int i, planes;

    if (!column_of<G>(chunk, i, planes))
        return;
    vx.begin(g.w[VX] + i, 2);
    vy.begin(g.w[VY] + i, 2);
    vz.begin(g.w[VZ] + i, 1);
    two_rows part = parts_of<Y>(g.mu + i, m);
#pragma unroll TURNS
    for (int k = 0; k < (PLANES ? PLANES : planes); k++, i += Z) {
        const two_rows back = parts_of<Y>(g.mu + i + Z, deeper);

        vx.move(g.w[VX] + i + 2 * Z);
        vy.move(g.w[VY] + i + 2 * Z);
        vz.move(g.w[VZ] + i + Z);
        const float4 xx = before_x(g.w[VX] + i, vx.b),
                     yy = before_y<Y>(g.w[VY] + i, vy.b), zz = vz.slope();
        const float4 xy = after_y<Y>(g.w[VX] + i, vx.b) + after_x(g.w[VY] + i, vy.b),
                     xz = vx.slope() + after_x(g.w[VZ] + i, vz.c),
                     yz = vy.slope() + after_y<Y>(g.w[VZ] + i, vz.c);
        const float4 volume = once4(g.lambda + i) * (xx + yy + zz), twice = 2 * m;
        const float4 row = pairs(part.here);

        put4(g.t[SXX] + i, once4(g.s[SXX] + i) + volume + twice * xx);
        put4(g.t[SYY] + i, once4(g.s[SYY] + i) + volume + twice * yy);
        put4(g.t[SZZ] + i, once4(g.s[SZZ] + i) + volume + twice * zz);
        put4(g.t[SXY] + i,
             once4(g.s[SXY] + i) + 4 * reciprocal(row + pairs(part.south)) * xy);
        put4(g.t[SXZ] + i,
             once4(g.s[SXZ] + i) + 4 * reciprocal(row + pairs(back.here)) * xz);
        put4(g.t[SYZ] + i,
             once4(g.s[SYZ] + i) +
                 4 * reciprocal(part.here.f + part.south.f + back.here.f + back.south.f) *
                     yz);
        part = back;
        m = deeper;
    }
}

/* ---- grids with halos */

/* Random values, in the halo zeros, or the values of the nearest points. */
template <class G>
__global__ void fill_grid(float *a, unsigned seed, float low, float high, bool border)
{
    const long c = blockIdx.x * (long)blockDim.x + threadIdx.x;
    const long at = c - G::ORIGIN + G::HALO + G::HALO * (long)G::PITCH +
                    (G::DEEP ? G::HALO * (long)G::PLANE : 0);
    const int x = (int)(at % G::PITCH) - G::HALO,
              y = (int)(at / G::PITCH % G::ROWS) - G::HALO,
              z = G::DEEP ? (int)(at / G::PLANE) - G::HALO : 0;
    const int i = min(max(x, 0), G::SIZE - 1), j = min(max(y, 0), G::SIZE - 1),
              k = G::DEEP ? min(max(z, 0), G::SIZE - 1) : 0;
    unsigned h = ((unsigned)(k * G::SIZE + j) * G::SIZE + i) * 2654435761u + seed;

    if (c >= G::CELLS)
        return;
    h ^= h >> 15;
    h *= 0x2c1b3c6d;
    h ^= h >> 12;
    a[c] = border || (i == x && j == y && k == z)
               ? low + (high - low) * ((h & 0xffffff) / 16777216.f)
               : 0;
}

template <class G> static float *grid(unsigned seed, float low, float high, bool border)
{
    float *p = take<float>(G::CELLS);

    launch(fill_grid<G>, dim3((G::CELLS + 255) / 256), dim3(256), 0, p, seed, low, high,
           border);
    return p + G::ORIGIN;
}

template <class G> static float *zeros()
{
    float *p = take<float>(G::CELLS);

    CHECK(cudaMemset(p, 0, G::CELLS * sizeof(float)));
    return p + G::ORIGIN;
}

/* ---- the table */

static const char *wanted_name = "";

template <class G> struct data {
    grids g, plain;
    traffic t;

    static bool there(int stress)
    {
        return G::DEEP || stress == SXX || stress == SYY || stress == SXY;
    }

    data(double copy)
    {
        g = {};
        g.b = grid<G>(1, .05f, .1f, true);
        g.lambda = grid<G>(2, .5f, 1, true);
        g.mu = grid<G>(3, .4f, .7f, true);
        for (int i = 0; i < (G::DEEP ? 3 : 2); i++)
            g.v[i] = grid<G>(4 + i, -1, 1, false);
        for (int i = 0; i < STRESSES; i++)
            if (there(i))
                g.s[i] = grid<G>(8 + i, -1, 1, false);
        plain = g;
        for (grids *p : {&g, &plain}) {
            for (int i = 0; i < (G::DEEP ? 3 : 2); i++)
                p->w[i] = zeros<G>();
            for (int i = 0; i < STRESSES; i++)
                if (there(i))
                    p->t[i] = zeros<G>();
        }
        t = {G::POINTS, G::DEEP ? 84. : 52., G::DEEP ? 120. : 72., copy};
    }

    ~data()
    {
        for (const float *p : {g.b, g.lambda, g.mu})
            CHECK(cudaFree((void *)(p - G::ORIGIN)));
        for (int i = 0; i < (G::DEEP ? 3 : 2); i++)
            for (const float *p :
                 {g.v[i], (const float *)g.w[i], (const float *)plain.w[i]})
                CHECK(cudaFree((void *)(p - G::ORIGIN)));
        for (int i = 0; i < STRESSES; i++)
            if (there(i))
                for (const float *p :
                     {g.s[i], (const float *)g.t[i], (const float *)plain.t[i]})
                    CHECK(cudaFree((void *)(p - G::ORIGIN)));
    }

    /* Halos, too: they must stay as they were. */
    float error() const
    {
        float e = 0;

        for (int i = 0; i < (G::DEEP ? 3 : 2); i++)
            e = std::max(
                e, difference(g.w[i] - G::ORIGIN, plain.w[i] - G::ORIGIN, G::CELLS));
        for (int i = 0; i < STRESSES; i++)
            if (there(i))
                e = std::max(
                    e, difference(g.t[i] - G::ORIGIN, plain.t[i] - G::ORIGIN, G::CELLS));
        return e;
    }
};

/* A row of the table: two kernels of the same groups, then what they take. */
template <class G, class K, class... A>
static void pair(data<G> &d, const char *name, K first, K second, dim3 grid, dim3 group,
                 A... args)
{
    const int threads = group.x * group.y;

    if (!strstr(name, wanted_name))
        return;
    row(
        name, d.t,
        [&] {
            launch(first, grid, group, 0, d.g, args...);
            launch(second, grid, group, 0, d.g, args...);
        },
        [&] { return d.error(); });
    print_kernel(first, threads, 0);
    print_kernel(second, threads, 0);
    printf("\n");
    fflush(stdout);
}

/* The results that are wanted, by plain kernels, which have a row, too. */
template <class G> static void begin(data<G> &d, const char *name)
{
    const dim3 grid((G::SIZE + 127) / 128, G::SIZE, G::DEEP ? G::SIZE : 1);

    printf("%s %d^%d; the device copies %.0f GB/s\n", name, G::SIZE, G::DEEP ? 3 : 2,
           d.t.copy);
    row(
        "plain", d.t,
        [&] {
            launch(velocities_plain<G>, grid, dim3(128), 0, d.plain);
            launch(stresses_plain<G>, grid, dim3(128), 0, d.plain);
        },
        [] { return 0.f; });
    print_kernel(velocities_plain<G>, 128, 0);
    print_kernel(stresses_plain<G>, 128, 0);
    printf("\n");
}

template <int R, int BX, int BY> static void box(data<flat> &d)
{
    const dim3 grid((flat::SIZE / 4 + BX - 1) / BX, (flat::SIZE + R * BY - 1) / (R * BY));
    char name[64];

    snprintf(name, sizeof name, "%dx%d, %d rows", BX, BY, R);
    pair(d, name, velocities_box<flat, R, BX * BY>, stresses_box<flat, R, BX * BY>, grid,
         dim3(BX, BY));
}

template <int BX, int BY, int GROUPS, int PLANES>
static void column(data<deep> &d, int chunk = PLANES)
{
    const dim3 grid((deep::SIZE / 4 + BX - 1) / BX, (deep::SIZE + BY - 1) / BY,
                    (deep::SIZE + chunk - 1) / chunk);
    char name[64];

    static_assert(PLANES == 0 || deep::SIZE % PLANES == 0, "whole columns");
    snprintf(name, sizeof name, "%dx%d, %d groups, %d %s", BX, BY, GROUPS, chunk,
             PLANES ? "unrolled" : "planes");
    pair(d, name, velocities_column<deep, BX * BY, GROUPS, PLANES>,
         stresses_column<deep, BX * BY, GROUPS, PLANES>, grid, dim3(BX, BY), chunk);
}

static void two_dimensions(double copy)
{
    data<flat> d(copy);

    begin(d, "elastic2d");
    box<1, 32, 8>(d);
    box<2, 32, 8>(d);
    box<4, 32, 4>(d);
    box<4, 32, 8>(d);
    box<4, 64, 2>(d);
    box<8, 32, 4>(d);
    box<8, 64, 2>(d);
}

static void three_dimensions(double copy)
{
    data<deep> d(copy);

    begin(d, "elastic3d");
    column<25, 5, 8, 1>(d);
    column<25, 10, 4, 1>(d);
    column<50, 5, 4, 1>(d);
    column<25, 5, 5, 2>(d);
    column<25, 10, 2, 2>(d);
    column<25, 5, 4, 4>(d);
    for (int chunk : {10, 25, 50, 100}) {
        column<25, 5, 4, 0>(d, chunk);
        column<25, 5, 5, 0>(d, chunk);
        column<25, 10, 2, 0>(d, chunk);
        column<50, 5, 2, 0>(d, chunk);
        column<100, 5, 1, 0>(d, chunk);
    }
}

int main(int count, char **args)
{
    const char *what = count > 1 ? args[1] : "all";
    const double copy = copy_speed();

    if (count > 2)
        wanted_name = args[2];
    if (!strcmp(what, "2d") || !strcmp(what, "all"))
        two_dimensions(copy);
    if (!strcmp(what, "3d") || !strcmp(what, "all"))
        three_dimensions(copy);
    return 0;
}
