/* Acoustic waves with a tilted axis (programs/acoustic_tti.lift) on a GPU by hand: a
 * semi-stencil along z, fed by copies of boxes into rings of planes in shared memory.
 *
 *   nvcc -O3 -std=c++17 -arch=sm_90 -o tti bench/hand/tti.cu
 *   ./tti [part of a name]
 *
 * A plane that comes is added to what waits for it (backward) and begins the sum of its
 * own output from the four planes before (forward), after Sai et al., "Using the
 * Semi-Stencil Algorithm to Accelerate High-Order Stencils on GPUs". So a work-item keeps
 * four sums a field and direction, and of planes five are in shared memory. Its own grids
 * come by asynchronous copies, too. The azimuth is one number, so that the horizontal
 * derivatives of a plane make two sums, and its mixed derivatives with z one. The layer
 * is part of the same kernel. Results are compared with a plain kernel's. */
#include "boxes.cuh"
#ifndef TTI_X
#define TTI_X 512
#define TTI_Y 512
#define TTI_Z 512
#define TTI_W 16
#endif
constexpr int NX = TTI_X, NY = TTI_Y, NZ = TTI_Z, W = TTI_W;
constexpr float HX = 10, HY = 12.5f, HZ = 8;
constexpr float KX = 1 / (HX * HX), KY = 1 / (HY * HY), KZ = 1 / (HZ * HZ);
constexpr float D = 2.f / 3, D2 = -1.f / 8; /* first differences are in units of D */
static_assert(NX % 4 == 0 && W % 4 == 0, "vectors are of the layer or not");

DI bool within(int i, int n)
{
    return i >= W && i < n - W;
}

/* Second difference by distance. */
DI constexpr float along(int m)
{
    return m == 0   ? -205.f / 72
           : m == 1 ? 8.f / 5
           : m == 2 ? -1.f / 5
           : m == 3 ? 8.f / 315
                    : -1.f / 560;
}

/* What a work-item reads at its own points only. */
enum { PB, QB, VP, EPSILON, DELTA, TILT, OWN };

/* Coefficients of horizontal derivatives, which the azimuth decides. */
struct azimuth {
    float xx, yy, xy, xz, yz;
};

struct grids {
    const float *p, *q, *own[OWN], *eta, *phi, *chi;
    float *pn, *qn, *phin, *chin;
    float east, north;
    azimuth a;
    int chunk; /* planes of a group */
};

#include "tti_plain.cuh"

/* ---- the semi-stencil */

/* A tile: four points along x a work-item, S planes of p and q in a ring. */
template <int TX, int TY, int S, bool ZEROS> struct tile {
    static constexpr int R = 4, LX = TX, LY = TY, SLOTS = S, VX = LX / 4;
    static constexpr bool STORED = ZEROS; /* zeros inside, as the program has them */
    static constexpr int THREADS = VX * LY, WARPS = THREADS / 32;
    static constexpr int PITCH = LX + 2 * R, PLANE = PITCH * (LY + 2 * R);
    static constexpr int BARS = 128, RING = 2 * 4 * S * PLANE;
    static constexpr int BYTES = BARS + RING + 16 * OWN * THREADS;
    static_assert(4 * PLANE % 128 == 0 && S >= 6, "boxes, one plane ahead");
};

/* What waits for planes, the first for the next plane that leaves. */
struct sums {
    float4 zz[4], mixed[4];
};

/* Derivatives of a field at a vector of points. */
struct derivatives {
    float4 zz, mixed; /* mixed: of z and the horizontal direction of the axis */
    float4 flat;      /* horizontal, along that direction */
};

struct place {
    int x, y, z0, z1, mine; /* the first point, planes, where it is in a plane */
    int i;                  /* in the grids, of plane z0 - 4 */
    bool inside, layer;     /* of the grid; of the layer, whatever z is */
};

template <class C> DI place place_of(const grids &g)
{
    const int vx = threadIdx.x % C::VX, vy = threadIdx.x / C::VX;
    place p;

    p.x = blockIdx.x * C::LX + 4 * vx;
    p.y = blockIdx.y * C::LY + vy;
    p.z0 = blockIdx.z * g.chunk;
    p.z1 = min(p.z0 + g.chunk, NZ);
    p.mine = (vy + C::R) * C::PITCH + 4 * vx + C::R;
    p.i = ((p.z0 - C::R) * NY + p.y) * NX + p.x;
    p.inside = p.x < NX && p.y < NY;
    p.layer = !within(p.x, NX) || !within(p.y, NY);
    return p;
}

/* Elements 2 to 9 are a vector's with two on each side. */
DI void line(float x[12], const float *row)
{
    const float4 a = load4(row - 4), c = load4(row), b = load4(row + 4);
    const float v[12] = {a.x, a.y, a.z, a.w, c.x, c.y, c.z, c.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 12; i++)
        x[i] = v[i];
}

/* A first difference from elements m - 2 to m + 2. */
DI float slope(const float *x, int m)
{
    return x[m + 1] - x[m - 1] + D2 * (x[m + 2] - x[m - 2]);
}

/* A plane comes whose values are v: 'past' are places of the three before it and of the
 * one that leaves, the nearest first. */
DI void advance_zz(sums &s, float4 v, const float *const past[4], derivatives &d)
{
    float4 forward = {0, 0, 0, 0};

    add4(forward, along(0), v);
    d.zz = s.zz[0];
    add4(d.zz, along(4), v);
#pragma unroll
    for (int m = 1; m <= 3; m++) {
        s.zz[m - 1] = s.zz[m];
        add4(s.zz[m - 1], along(4 - m), v);
        add4(forward, along(m), load4(past[m - 1]));
    }
    add4(forward, along(4), load4(past[3]));
    s.zz[3] = forward;
}

/* The slope along the horizontal direction in the plane two after that which leaves. */
template <int PITCH>
DI void advance_mixed(sums &s, const float *p, const azimuth &a, derivatives &d)
{
    float x[12];
    float4 slopes, y[4];

    line(x, p);
    y[0] = load4(p - 2 * PITCH);
    y[1] = load4(p - PITCH);
    y[2] = load4(p + PITCH);
    y[3] = load4(p + 2 * PITCH);
#pragma unroll
    for (int i = 0; i < 4; i++)
        at(slopes, i) =
            a.xz * slope(x, 4 + i) +
            a.yz * (at(y[2], i) - at(y[1], i) + D2 * (at(y[3], i) - at(y[0], i)));
    d.mixed = s.mixed[0];
    add4(d.mixed, D2, slopes);
    s.mixed[0] = s.mixed[1];
    add4(s.mixed[0], 1, slopes);
    s.mixed[1] = s.mixed[2];
    s.mixed[2] = s.mixed[3];
    add4(s.mixed[2], -1, slopes);
    s.mixed[3] = {0, 0, 0, 0};
    add4(s.mixed[3], -D2, slopes);
}

/* Horizontal derivatives in the plane that leaves; the field's part of the Laplacian of
 * both. */
template <int PITCH>
DI void planar(const float *p, const azimuth &a, derivatives &d, float4 &laplacian)
{
    float x[12], y[12] = {}, f[12];
    float4 yy = {0, 0, 0, 0};

    line(x, p);
#pragma unroll
    for (int m = 1; m <= 4; m++) /* both sides of the row */
#pragma unroll
        for (int side = -1; side <= 1; side += 2) {
            if (m <= 2) {
                line(f, p + side * m * PITCH);
#pragma unroll
                for (int i = 2; i < 10; i++)
                    y[i] += side * (m == 1 ? 1.f : D2) * f[i];
                add4(yy, along(m), {f[4], f[5], f[6], f[7]});
            } else {
                add4(yy, along(m), load4(p + side * m * PITCH));
            }
        }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float xx = along(0) * x[4 + i];

        at(yy, i) += xx;
#pragma unroll
        for (int m = 1; m <= 4; m++)
            xx += along(m) * (x[4 + i - m] + x[4 + i + m]);
        at(d.flat, i) = a.xx * xx + a.yy * at(yy, i) + a.xy * slope(y, 4 + i);
        at(laplacian, i) += KX * xx + KY * at(yy, i) + KZ * at(d.zz, i);
    }
}

/* Sine and cosine of angles that are small beside 10^5, by polynomials after Moshier's
 * Cephes. */
DI void turn(float t, float &s, float &c)
{
    const float n = rintf(t * 0.636619772f);
    const float r =
        fmaf(n, -7.5497899e-8f, fmaf(n, -4.837513e-4f, fmaf(n, -1.5703125f, t)));
    const float q = r * r;
    const float a =
        fmaf(r * q, fmaf(q, fmaf(q, -1.9515296e-4f, 8.3321609e-3f), -0.16666655f), r);
    const float b = fmaf(
        q, fmaf(q, fmaf(q, fmaf(q, 2.4433157e-5f, -1.3887316e-3f), 4.1666646e-2f), -0.5f),
        1);
    const int quarter = (int)n;

    s = quarter & 1 ? b : a;
    c = quarter & 1 ? a : b;
    s = quarter & 2 ? -s : s;
    c = (quarter + 1) & 2 ? -c : c;
}

/* What changes p and q: results in the places of the mixed derivatives. */
template <class C>
DI void combine(derivatives &p, derivatives &q, float4 laplacian, const float4 *own)
{
    const float4 tilt = own[TILT * C::THREADS], delta = own[DELTA * C::THREADS],
                 epsilon = own[EPSILON * C::THREADS];
    const float t[] = {tilt.x, tilt.y, tilt.z, tilt.w};
    const float de[] = {delta.x, delta.y, delta.z, delta.w};
    const float ep[] = {epsilon.x, epsilon.y, epsilon.z, epsilon.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float s, c;

        turn(t[i], s, c);
        const float ss = s * s, sc = s * c, cc = KZ * c * c;
        const float ap = ss * at(p.flat, i) + cc * at(p.zz, i) + sc * at(p.mixed, i);
        const float aq = ss * at(q.flat, i) + cc * at(q.zz, i) + sc * at(q.mixed, i);
        const float rest = at(laplacian, i) - (ap + aq);

        at(p.mixed, i) = (1 + 2 * de[i]) * rest + ap;
        at(q.mixed, i) = 2 * (ep[i] - de[i]) * rest;
    }
}

/* ---- the layer */

struct slopes4 {
    float4 x, y, z, eta;
};

/* Differences of eta, which goes on as at the border. */
DI slopes4 slopes_of(const float *eta, const place &p, int z)
{
    const float4 e = load4(eta), n = load4(eta - (p.y > 0 ? NX : 0)),
                 s = load4(eta + (p.y < NY - 1 ? NX : 0)),
                 d = load4(eta - (z > 0 ? NX * NY : 0)),
                 u = load4(eta + (z < NZ - 1 ? NX * NY : 0));
    const float x[] = {p.x > 0 ? eta[-1] : e.x,    e.x, e.y, e.z, e.w,
                       p.x < NX - 4 ? eta[4] : e.w};
    slopes4 f;

    f.eta = e;
#pragma unroll
    for (int i = 0; i < 4; i++)
        at(f.x, i) = KX / 4 * (x[i + 2] - x[i]);
    f.y = {KY / 4 * (s.x - n.x), KY / 4 * (s.y - n.y), KY / 4 * (s.z - n.z),
           KY / 4 * (s.w - n.w)};
    f.z = {KZ / 4 * (u.x - d.x), KZ / 4 * (u.y - d.y), KZ / 4 * (u.z - d.z),
           KZ / 4 * (u.w - d.w)};
    return f;
}

/* A field at points of the layer: its change, and its own grid, whose new values are the
 * result. The plane before is no longer in the ring. */
template <int PITCH>
DI float4 damp(const slopes4 &e, float4 d, const float *here, const float *up,
               float4 &change, float4 own)
{
    const float4 n = load4(here - PITCH), s = load4(here + PITCH), c = load4(here),
                 u = load4(up);
    const float x[] = {here[-1], c.x, c.y, c.z, c.w, here[4]};
    const float y[] = {s.x - n.x, s.y - n.y, s.z - n.z, s.w - n.w};
    const float z[] = {u.x - d.x, u.y - d.y, u.z - d.z, u.w - d.w};
    const float eta[] = {e.eta.x, e.eta.y, e.eta.z, e.eta.w};
    const float ex[] = {e.x.x, e.x.y, e.x.z, e.x.w}, ey[] = {e.y.x, e.y.y, e.y.z, e.y.w},
                ez[] = {e.z.x, e.z.y, e.z.z, e.z.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        at(change, i) += at(own, i);
        at(own, i) = __fdividef(at(own, i) - ex[i] * (x[i + 2] - x[i]) - ey[i] * y[i] -
                                    ez[i] * z[i],
                                1 + eta[i]);
    }
    return own;
}

/* The new values of a field in the layer, where e is eta. */
DI float4 renewed(float4 now, float4 before, float4 vp, float4 change, float4 e)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float keep = 2 - at(e, i) * at(e, i) + 2 * at(e, i);

        at(change, i) =
            __fdividef(keep * at(now, i) - at(before, i) + at(vp, i) * at(change, i),
                       1 + 2 * at(e, i));
    }
    return change;
}

DI float4 renewed_inside(float4 now, float4 before, float4 vp, float4 change)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        at(change, i) = 2 * at(now, i) - at(before, i) + at(vp, i) * at(change, i);
    return change;
}

/* ---- a step of a group: planes o to o + 4 are in the ring when plane o leaves */

template <class C> DI float *plane_of(unsigned char *shared, int field, int slot)
{
    return (float *)(shared + C::BARS) + (2 * slot + field) * C::PLANE;
}

DI void *bar_full(unsigned char *shared, int slot)
{
    return shared + 8 * slot;
}

DI void *bar_read(unsigned char *shared, int slot)
{
    return shared + 64 + 8 * slot;
}

/* Number k of the planes of a group comes when all have read what was in its place. */
template <class C>
DI void fetch(const CUtensorMap *mp, const CUtensorMap *mq, unsigned char *shared, int z0,
              int k)
{
    const int slot = k % C::SLOTS, turn = k / C::SLOTS;
    const int x = blockIdx.x * C::LX - C::R, y = blockIdx.y * C::LY - C::R,
              z = z0 - C::R + k;

    if (turn > 0)
        bar_wait(bar_read(shared, slot), (turn - 1) & 1);
    reads_done();
    bar_expect(bar_full(shared, slot), 2 * 4 * C::PLANE);
    box(plane_of<C>(shared, 0, slot), mp, x, y, z, bar_full(shared, slot));
    box(plane_of<C>(shared, 1, slot), mq, x, y, z, bar_full(shared, slot));
}

/* The vectors of a work-item of its own for the next plane; those of the layer come to
 * the L2 cache. */
template <class C>
DI void fetch_own(const grids &g, const place &p, float4 *own, int i, int z)
{
    if (!p.inside)
        return;
#pragma unroll
    for (int a = 0; a < OWN; a++)
        copy16(own + a * C::THREADS, g.own[a] + i);
    if (p.layer || !within(z, NZ)) {
        early(g.phi + i);
        early(g.chi + i);
        early(g.eta + i + (z < NZ - 1 ? NX * NY : 0));
    }
}

template <class C>
DI void store_layer(const grids &g, const place &p, derivatives d[2], const float4 *own,
                    const float *const here[4], int i)
{
    const int z = i / (NX * NY);
    const slopes4 e = slopes_of(g.eta + i, p, z);
    float4 phi = load4(g.phi + i), chi = load4(g.chi + i), down = {0, 0, 0, 0},
           down_q = down;

    if (z > 0) {
        down = load4(g.p + i - NX * NY);
        down_q = load4(g.q + i - NX * NY);
    }
    phi = damp<C::PITCH>(e, down, here[0], here[1], d[0].mixed, phi);
    chi = damp<C::PITCH>(e, down_q, here[2], here[3], d[1].mixed, chi);
    __stcs((float4 *)(g.phin + i), phi);
    __stcs((float4 *)(g.chin + i), chi);
    __stcs((float4 *)(g.pn + i), renewed(load4(here[0]), own[PB * C::THREADS],
                                         own[VP * C::THREADS], d[0].mixed, e.eta));
    __stcs((float4 *)(g.qn + i), renewed(load4(here[2]), own[QB * C::THREADS],
                                         own[VP * C::THREADS], d[1].mixed, e.eta));
}

template <class C>
DI void store_inside(const grids &g, derivatives d[2], const float4 *own,
                     const float *const here[4], int i)
{
    const float4 none = {0, 0, 0, 0}, vp = own[VP * C::THREADS];

    __stcs((float4 *)(g.pn + i),
           renewed_inside(load4(here[0]), own[PB * C::THREADS], vp, d[0].mixed));
    __stcs((float4 *)(g.qn + i),
           renewed_inside(load4(here[2]), own[QB * C::THREADS], vp, d[1].mixed));
    if (C::STORED) {
        __stcs((float4 *)(g.phin + i), none);
        __stcs((float4 *)(g.chin + i), none);
    }
}

/* Both fields advance; slot: of the plane that leaves. */
template <class C>
DI void advance(unsigned char *shared, const place &p, const azimuth &a, int slot,
                sums s[2], derivatives d[2])
{
    int slots[5];
#pragma unroll
    for (int m = 0; m < 5; m++)
        slots[m] = slot + m - (slot + m >= C::SLOTS ? C::SLOTS : 0);
#pragma unroll
    for (int f = 0; f < 2; f++) {
        const float *past[4];
#pragma unroll
        for (int m = 0; m < 4; m++)
            past[m] = plane_of<C>(shared, f, slots[3 - m]) + p.mine;
        advance_zz(s[f], load4(plane_of<C>(shared, f, slots[4]) + p.mine), past, d[f]);
        advance_mixed<C::PITCH>(s[f], past[1], a, d[f]);
    }
}

template <class C>
__global__ void __launch_bounds__(C::THREADS, 512 / C::THREADS)
    tti_semi(const __grid_constant__ CUtensorMap mp,
             const __grid_constant__ CUtensorMap mq, const __grid_constant__ grids g)
{
    SHARED;
    unsigned char *const shared = shared_memory;
    const place p = place_of<C>(g);
    float4 *const own = (float4 *)(shared + C::BARS + C::RING) + threadIdx.x;
    const int steps = p.z1 - p.z0 + C::R; /* of these, R before the first result */
    sums s[2] = {};
    int i = p.i, slot = 0;

    if (threadIdx.x == 0) {
        for (int k = 0; k < C::SLOTS; k++) {
            bar_init(bar_full(shared, k), 1);
            bar_init(bar_read(shared, k), C::WARPS);
        }
        bar_inits_done();
        for (int k = 0; k < C::R + 1; k++)
            fetch<C>(&mp, &mq, shared, p.z0, k);
    }
    __syncthreads();
    for (int k = 0; k < C::R; k++)
        bar_wait(bar_full(shared, k), 0);
#pragma unroll 1
    for (int k = 0; k < steps; k++, i += NX * NY) {
        const int newest = k + C::R, z = p.z0 - C::R + k;
        derivatives d[2];

        if (threadIdx.x == 0 && k + 1 < steps)
            fetch<C>(&mp, &mq, shared, p.z0, newest + 1);
        bar_wait(bar_full(shared, newest % C::SLOTS), newest / C::SLOTS & 1);
        advance<C>(shared, p, g.a, slot, s, d);
        if (k >= C::R) {
            const int next = slot + 1 == C::SLOTS ? 0 : slot + 1;
            const float *const here[] = {plane_of<C>(shared, 0, slot) + p.mine,
                                         plane_of<C>(shared, 0, next) + p.mine,
                                         plane_of<C>(shared, 1, slot) + p.mine,
                                         plane_of<C>(shared, 1, next) + p.mine};

            float4 laplacian = {0, 0, 0, 0};

            planar<C::PITCH>(here[0], g.a, d[0], laplacian);
            planar<C::PITCH>(here[2], g.a, d[1], laplacian);
            copies_done();
            combine<C>(d[0], d[1], laplacian, own);
            if (p.inside && (p.layer || !within(z, NZ)))
                store_layer<C>(g, p, d, own, here, i);
            else if (p.inside)
                store_inside<C>(g, d, own, here, i);
        }
        if (k >= C::R - 1 && k + 1 < steps)
            fetch_own<C>(g, p, own, i + NX * NY, z + 1);
        slot = slot + 1 == C::SLOTS ? 0 : slot + 1;
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            bar_arrive(bar_read(shared, k % C::SLOTS));
    }
}

/* ---- the table */

struct data {
    grids g;
    float *wanted[4], *out[4];
    traffic t;
};

static const char *wanted_name = "";

template <class C> static void run(data &d, int chunk)
{
    const CUtensorMap mp = map_of(d.g.p, NX, NY, NZ, C::PITCH, C::LY + 2 * C::R),
                      mq = map_of(d.g.q, NX, NY, NZ, C::PITCH, C::LY + 2 * C::R);
    const dim3 grid((NX + C::LX - 1) / C::LX, (NY + C::LY - 1) / C::LY,
                    (NZ + chunk - 1) / chunk);
    const long n = (long)NX * NY * NZ;
    const double layer = 1 - (NX - 2. * W) / NX * (NY - 2. * W) / NY * (NZ - 2. * W) / NZ;
    char name[64];

    snprintf(name, sizeof name, "%dx%d S%d %s, %d planes", C::LX, C::LY, C::SLOTS,
             C::STORED ? "zeros" : "layer", chunk);
    if (!strstr(name, wanted_name))
        return;
    d.g.chunk = chunk;
    d.t.moved = 4 * (10 + 3 * layer + 2 * (C::STORED ? 1 : layer));
    for (int i = 0; i < 4; i++) /* phi and chi are zero inside from the beginning on */
        CHECK(cudaMemset(d.out[i], i < 2 || C::STORED ? 0xff : 0, n * sizeof(float)));
    CHECK(cudaFuncSetAttribute((const void *)tti_semi<C>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, C::BYTES));
    CHECK(cudaFuncSetAttribute((const void *)tti_semi<C>,
                               cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared));
    row(
        name, d.t,
        [&] { launch(tti_semi<C>, grid, dim3(C::THREADS), C::BYTES, mp, mq, d.g); },
        [&] {
            float e = 0;

            for (int i = 0; i < 4; i++)
                e = std::max(e, difference(d.out[i], d.wanted[i], n));
            return e;
        });
    print_kernel(tti_semi<C>, C::THREADS, C::BYTES);
    printf("\n");
    fflush(stdout);
}

int main(int count, char **args)
{
    const long n = (long)NX * NY * NZ;
    data d = {};

    if (count > 1)
        wanted_name = args[1];
    d.g.p = random_grid(n, 1, -1, 1);
    d.g.q = random_grid(n, 2, -1, 1);
    d.g.own[PB] = random_grid(n, 3, -1, 1);
    d.g.own[QB] = random_grid(n, 4, -1, 1);
    d.g.own[VP] = random_grid(n, 5, 4, 9);
    d.g.own[EPSILON] = random_grid(n, 6, .1f, .3f);
    d.g.own[DELTA] = random_grid(n, 7, 0, .1f);
    d.g.own[TILT] = random_grid(n, 8, -3, 3);
    d.g.eta = random_grid(n, 9, 0, .2f);
    d.g.phi = random_grid(n, 10, -.1f, .1f);
    d.g.chi = random_grid(n, 11, -.1f, .1f);
    d.g.east = .8f;
    d.g.north = .6f;
    const float e = d.g.east / HX, north = d.g.north / HY;

    d.g.a = {e * e, north * north, 2 * D * D * e * north, 2 * D * D * e / HZ,
             2 * D * D * north / HZ};
    for (int i = 0; i < 4; i++) {
        d.wanted[i] = take<float>(n);
        d.out[i] = take<float>(n);
    }
    d.t = {(double)n, 60, 60, copy_speed()};
    printf("acoustic_tti %d x %d x %d, layer of %d; the device copies %.0f GB/s\n", NX,
           NY, NZ, W, d.t.copy);
    grids plain = d.g;
    float **const results[] = {&plain.pn, &plain.qn, &plain.phin, &plain.chin},
                  **const outs[] = {&d.g.pn, &d.g.qn, &d.g.phin, &d.g.chin};

    for (int i = 0; i < 4; i++) {
        *results[i] = d.wanted[i];
        *outs[i] = d.out[i];
    }
    row(
        "plain", d.t,
        [&] { launch(tti_plain, dim3((NX + 127) / 128, NY, NZ), dim3(128), 0, plain); },
        [] { return 0.f; });
    print_kernel(tti_plain, 128, 0);
    printf("\n");
    for (int chunk : {NZ, NZ / 2, NZ / 4}) {
        run<tile<64, 16, 6, true>>(d, chunk);
        run<tile<64, 16, 6, false>>(d, chunk);
        run<tile<64, 32, 6, false>>(d, chunk);
        run<tile<64, 32, 7, true>>(d, chunk);
        run<tile<64, 32, 7, false>>(d, chunk);
        run<tile<128, 16, 6, false>>(d, chunk);
    }
    return 0;
}
