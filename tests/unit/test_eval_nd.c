/* The interpreter on whole stencils: the examples of Stoltzfus et al., Tiling
 * Optimizations for Stencil Computations Using Rewrite Rules in LIFT (TACO 2019), and the
 * n-dimensional forms of lift/build.h against index formulas, for random sizes. */
#include "eval_fixture.h"
#include <math.h>
#include <stdlib.h>

/* -- The examples of the paper -- */

static const double letters[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static void test_paper_pad(void **state)
{
    struct fixture *f = *state;
    lift_expr xs = input(f, "xs", arr(f, f->f32, 2), letters);
    lift_expr m = input(f, "m", arr(f, arr(f, f->f32, 2), 2), letters);
    lift_nat one[] = {num(f, 1), num(f, 1)};

    gives(f, lift_pad(f->ir, num(f, 2), num(f, 3), LIFT_PAD_CLAMP, xs),
          "[1, 1, 1, 2, 2, 2, 2]");
    gives(f, lift_pad_n(f->ir, 2, one, one, LIFT_PAD_CLAMP, m),
          "[[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4]]");
}

static void test_paper_slide(void **state)
{
    struct fixture *f = *state;
    lift_expr m = input(f, "m", arr(f, arr(f, f->f32, 3), 3), letters);
    lift_nat two[] = {num(f, 2), num(f, 2)}, one[] = {num(f, 1), num(f, 1)};

    gives(f, lift_slide_n(f->ir, 2, two, one, m),
          "[[[[1, 2], [4, 5]], [[2, 3], [5, 6]]], [[[4, 5], [7, 8]], [[5, 6], [8, 9]]]]");
}

/* fun(nbh => reduce(add, 0, nbh)) */
static lift_expr sum_nbh(struct fixture *f, int64_t size)
{
    lift_expr nbh = lift_fresh(f->ir, "nbh", arr(f, f->f32, size));

    return lift_fun(
        f->ir, lift_reduce(f->ir, lift_fun_op(f->ir, LIFT_ADD, f->f32), flt(f, 0), nbh),
        nbh);
}

/* Listing 1. */
static void jacobi3_loop(int n, const double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        for (int j = -1; j <= 1; j++) {
            int pos = i + j < 0 ? 0 : i + j > n - 1 ? n - 1 : i + j;

            b[i] += a[pos];
        }
    }
}

static void equals(struct fixture *f, struct lift_value v, const double *expected,
                   double bound)
{
    int64_t count = lift_value_scalars(v);
    double *flat = malloc((size_t)count * sizeof *flat);

    (void)f;
    lift_value_flatten(v, flat);
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(flat[i] - expected[i]) <= bound))
            fail_msg("scalar %lld is %.17g, not %.17g", (long long)i, flat[i],
                     expected[i]);
    free(flat);
}

static void random_doubles(struct lift_rng *rng, double *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = 2 * lift_rng_unit(rng) - 1;
}

/* Listing 2, and Listing 4: the same by overlapped tiles of 5, where 3 divides n. */
static void test_paper_jacobi(void **state)
{
    enum { N = 27 };
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    double a[N], b[N];
    struct lift_rng rng;
    lift_expr A, padded, tile, inside;

    lift_rng_seed(&rng, 1);
    random_doubles(&rng, a, N);
    jacobi3_loop(N, a, b);
    A = input(f, "A", arr(f, f->f32, N), a);
    padded = lift_pad(ir, num(f, 1), num(f, 1), LIFT_PAD_CLAMP, A);
    equals(f,
           value_of(f, lift_map(ir, sum_nbh(f, 3),
                                lift_slide(ir, num(f, 3), num(f, 1), padded))),
           b, 1e-15);
    tile = lift_fresh(ir, "tile", arr(f, f->f32, 5));
    inside = lift_map(ir, sum_nbh(f, 3), lift_slide(ir, num(f, 3), num(f, 1), tile));
    equals(f,
           value_of(f, lift_map(ir, lift_fun(ir, inside, tile),
                                lift_slide(ir, num(f, 5), num(f, 3), padded))),
           b, 1e-15);
}

/* Listing 3: a wave in a room; the walls are the border of the grid, and zero lies
 * outside. */
enum { NZ = 4, NY = 5, NX = 6 };
static const double L2 = 1.0 / 3, LOSS1 = 0.9971216, LOSS2 = 0.9971133;

struct room {
    double prev[NZ][NY][NX], cur[NZ][NY][NX], next[NZ][NY][NX];
};

static double room_at(const struct room *r, int z, int y, int x)
{
    return z < 0 || y < 0 || x < 0 || z >= NZ || y >= NY || x >= NX ? 0 : r->cur[z][y][x];
}

static double room_step(const struct room *r, int z, int y, int x)
{
    int n = (z > 0) + (z < NZ - 1) + (y > 0) + (y < NY - 1) + (x > 0) + (x < NX - 1);
    double cf1 = n < 6 ? LOSS1 : 1, cf2 = n < 6 ? LOSS2 : 1;
    double sum = room_at(r, z - 1, y, x) + room_at(r, z, y - 1, x) +
                 room_at(r, z, y, x - 1) + room_at(r, z, y, x + 1) +
                 room_at(r, z, y + 1, x) + room_at(r, z + 1, y, x);

    return cf1 * ((2 - L2 * n) * r->cur[z][y][x] + L2 * sum - cf2 * r->prev[z][y][x]);
}

static void room_loop(struct room *r)
{
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                r->next[z][y][x] = room_step(r, z, y, x);
}

static lift_expr add(struct fixture *f, lift_expr a, lift_expr b)
{
    return lift_call2(f->ir, LIFT_ADD, a, b);
}

static lift_expr mul(struct fixture *f, lift_expr a, lift_expr b)
{
    return lift_call2(f->ir, LIFT_MUL, a, b);
}

static lift_expr f64(struct fixture *f, double x)
{
    return lift_expr_float(f->ir, LIFT_F64, x);
}

/* Element [z][y][x] of a window. */
static lift_expr at3(struct fixture *f, int z, int y, int x, lift_expr w)
{
    return lift_at(f->ir, x, lift_at(f->ir, y, lift_at(f->ir, z, w)));
}

/* 1 if the index has neighbours on both sides along an axis of 'n', otherwise 0. */
static lift_expr sides(struct fixture *f, lift_expr i, int n)
{
    struct lift_ir *ir = f->ir;
    lift_expr one = integer(f, 1), zero = integer(f, 0);

    return add(f,
               lift_call3(ir, LIFT_SELECT, lift_call2(ir, LIFT_LT, zero, i), one, zero),
               lift_call3(ir, LIFT_SELECT, lift_call2(ir, LIFT_LT, i, integer(f, n - 1)),
                          one, zero));
}

static lift_expr neighbours(struct fixture *f)
{
    lift_expr i[3] = {lift_fresh(f->ir, "z", f->i32), lift_fresh(f->ir, "y", f->i32),
                      lift_fresh(f->ir, "x", f->i32)};
    lift_nat n[3] = {num(f, NZ), num(f, NY), num(f, NX)};
    lift_expr count =
        add(f, add(f, sides(f, i[0], NZ), sides(f, i[1], NY)), sides(f, i[2], NX));

    return lift_array_n(f->ir, 3, n, lift_expr_abstract(f->ir, i, 3, count));
}

static lift_expr loss(struct fixture *f, lift_expr n, double value)
{
    return lift_call3(f->ir, LIFT_SELECT, lift_call2(f->ir, LIFT_LT, n, integer(f, 6)),
                      f64(f, value), f64(f, 1));
}

/* m is (the point before, the window now, its neighbours). */
static lift_expr wave(struct fixture *f, lift_expr m)
{
    struct lift_ir *ir = f->ir;
    lift_expr before = lift_get(ir, 0, m), w = lift_get(ir, 1, m), n = lift_get(ir, 2, m);
    lift_expr sum = at3(f, 0, 1, 1, w), middle;

    sum = add(f, add(f, sum, at3(f, 1, 0, 1, w)), at3(f, 1, 1, 0, w));
    sum = add(f, add(f, sum, at3(f, 1, 1, 2, w)), at3(f, 1, 2, 1, w));
    sum = add(f, sum, at3(f, 2, 1, 1, w));
    middle = lift_call2(ir, LIFT_SUB, f64(f, 2),
                        mul(f, f64(f, L2), lift_call1(ir, LIFT_TO_F64, n)));
    middle = add(f, mul(f, middle, at3(f, 1, 1, 1, w)), mul(f, f64(f, L2), sum));
    return mul(f, loss(f, n, LOSS1),
               lift_call2(ir, LIFT_SUB, middle, mul(f, loss(f, n, LOSS2), before)));
}

static void test_paper_acoustic(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    static struct room r;
    struct lift_rng rng;
    lift_type t = arr(f, arr(f, arr(f, lift_type_scalar(ir, LIFT_F64), NX), NY), NZ);
    lift_nat one[3] = {num(f, 1), num(f, 1), num(f, 1)};
    lift_nat three[3] = {num(f, 3), num(f, 3), num(f, 3)};
    lift_expr parts[3], zipped, m;

    lift_rng_seed(&rng, 3);
    random_doubles(&rng, r.prev[0][0], NZ * NY * NX);
    random_doubles(&rng, r.cur[0][0], NZ * NY * NX);
    room_loop(&r);
    parts[0] = input(f, "prev", t, r.prev[0][0]);
    parts[1] = lift_slide_n(
        ir, 3, three, one,
        lift_pad_const_n(ir, 3, one, one, f64(f, 0), input(f, "cur", t, r.cur[0][0])));
    parts[2] = neighbours(f);
    zipped = must(f, lift_zip_n(ir, 3, parts, 3));
    m = lift_fresh(ir, "m", lift_type_base(zipped->type));
    equals(f, value_of(f, lift_map_n(ir, 3, lift_fun(ir, wave(f, m), m), zipped)),
           r.next[0][0], 1e-14);
}

/* -- A grid of the size that kernels are verified at -- */

static int clamp(int i, int n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

static double star(int nz, int ny, int nx, const double *u, const int at[3])
{
    static const double c[7] = {.161, .162, .163, .164, .165, .166, -1.67};
    static const int d[7][3] = {{0, 0, 1}, {0, 0, -1}, {0, 1, 0}, {0, -1, 0},
                                {1, 0, 0}, {-1, 0, 0}, {0, 0, 0}};
    double sum = 0;

    for (int k = 0; k < 7; k++) {
        int z = clamp(at[0] + d[k][0], nz), y = clamp(at[1] + d[k][1], ny);

        sum += c[k] * u[(z * ny + y) * nx + clamp(at[2] + d[k][2], nx)];
    }
    return sum;
}

static lift_expr star_fun(struct fixture *f, lift_type window)
{
    static const double c[7] = {.161, .162, .163, .164, .165, .166, -1.67};
    static const int at[7][3] = {{1, 1, 2}, {1, 1, 0}, {1, 2, 1}, {1, 0, 1},
                                 {2, 1, 1}, {0, 1, 1}, {1, 1, 1}};
    lift_expr w = lift_fresh(f->ir, "w", window), sum = f64(f, 0);

    for (int k = 0; k < 7; k++)
        sum = add(f, sum, mul(f, f64(f, c[k]), at3(f, at[k][0], at[k][1], at[k][2], w)));
    return lift_fun(f->ir, sum, w);
}

static void test_jacobi3d7(void **state)
{
    enum { Z = 33, Y = 47, X = 61 };
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    double *u = malloc(sizeof *u * Z * Y * X), *v = malloc(sizeof *v * Z * Y * X);
    lift_nat one[3] = {num(f, 1), num(f, 1), num(f, 1)};
    lift_nat three[3] = {num(f, 3), num(f, 3), num(f, 3)};
    struct lift_rng rng;
    lift_expr windows;

    lift_rng_seed(&rng, 4);
    random_doubles(&rng, u, Z * Y * X);
    for (int i = 0; i < Z * Y * X; i++)
        v[i] = star(Z, Y, X, u, (int[]){i / (Y * X), i / X % Y, i % X});
    windows = must(
        f, lift_slide_n(
               ir, 3, three, one,
               lift_pad_n(
                   ir, 3, one, one, LIFT_PAD_CLAMP,
                   input(f, "u",
                         arr(f, arr(f, arr(f, lift_type_scalar(ir, LIFT_F64), X), Y), Z),
                         u))));
    equals(f,
           value_of(f, lift_map_n(ir, 3, star_fun(f, windows->type->elem->elem->elem),
                                  windows)),
           v, 1e-14);
    free(u);
    free(v);
}

/* -- The n-dimensional forms, for random sizes -- */

enum { MAX_RANK = 6, POINTS = 4096, ROUNDS = 60 };

/* A random grid of d dimensions with elements 1, 2, 3, ..., and the read of a form. */
struct grid {
    int d;
    int64_t n[3], a[3], b[3];
    lift_nat an[3], bn[3];
    lift_expr x;
};

static int64_t pick(struct lift_rng *rng, int64_t lo, int64_t hi)
{
    return lift_rng_range(rng, lo, hi);
}

static lift_type grid_type(struct fixture *f, lift_type base, int d, const int64_t *n)
{
    for (int i = d - 1; i >= 0; i--)
        base = arr(f, base, n[i]);
    return base;
}

/* An input of the extents g->n, under the name 'name'. */
static lift_expr grid_input(struct fixture *f, const struct grid *g, const char *name,
                            double first)
{
    double data[POINTS];
    int64_t count = 1;

    for (int i = 0; i < g->d; i++)
        count *= g->n[i];
    assert_true(count <= POINTS);
    for (int64_t i = 0; i < count; i++)
        data[i] = first + (double)i;
    return input(f, name, grid_type(f, f->f32, g->d, g->n), data);
}

/* 'pick_ab' draws a and b of one dimension of extent n, which it may change. */
typedef void pick_ab(struct lift_rng *rng, int64_t *n, int64_t *a, int64_t *b);

static struct grid grid_make(struct fixture *f, struct lift_rng *rng, pick_ab *ab)
{
    struct grid g = {.d = (int)pick(rng, 1, 3)};

    for (int i = 0; i < g.d; i++) {
        g.n[i] = pick(rng, 1, 7);
        if (ab)
            ab(rng, &g.n[i], &g.a[i], &g.b[i]);
        g.an[i] = num(f, g.a[i]);
        g.bn[i] = num(f, g.b[i]);
    }
    f->env.value_count = 0;
    g.x = grid_input(f, &g, "x", 1);
    return g;
}

/* Where in the grid element 'at' of the result comes from: the number there. */
typedef double source(const struct grid *g, const int64_t *at);

static double grid_at(const struct grid *g, const int64_t *at)
{
    int64_t flat = 0;

    for (int i = 0; i < g->d; i++) {
        assert_true(at[i] >= 0 && at[i] < g->n[i]);
        flat = flat * g->n[i] + at[i];
    }
    return 1 + (double)flat;
}

static void walk_value(const struct grid *g, struct lift_value v, source *from,
                       int64_t *at, int depth)
{
    if (v.kind == LIFT_VALUE_ARRAY) {
        if (depth >= MAX_RANK)
            fail_msg("more than %d dimensions", MAX_RANK);
        for (int64_t i = 0; depth < MAX_RANK && i < v.count; i++) {
            at[depth] = i;
            walk_value(g, v.u.items[i], from, at, depth + 1);
        }
        return;
    }
    assert_int_equal(v.kind, LIFT_VALUE_FLOAT);
    if (v.u.number != from(g, at))
        fail_msg("%dd: [%d][%d].. is %g, not %g", g->d, (int)at[0], (int)at[1],
                 v.u.number, from(g, at));
}

/* 'e' has the type 'dims' of 'rank', and each element has the value of 'from'. */
static void reads(struct fixture *f, const struct grid *g, lift_expr e, int rank,
                  const int64_t *dims, source *from)
{
    int64_t at[MAX_RANK] = {0};

    assert_ptr_equal(must(f, e)->type, grid_type(f, f->f32, rank, dims));
    walk_value(g, value_of(f, e), from, at, 0);
}

static void pick_window(struct lift_rng *rng, int64_t *n, int64_t *a, int64_t *b)
{
    *a = pick(rng, 1, *n);
    *b = pick(rng, 1, 3);
}

static double from_window(const struct grid *g, const int64_t *at)
{
    int64_t src[3];

    for (int i = 0; i < g->d; i++)
        src[i] = at[i] * g->b[i] + at[g->d + i];
    return grid_at(g, src);
}

static void test_slide_n(void **state)
{
    struct fixture *f = *state;
    struct lift_rng rng;

    lift_rng_seed(&rng, 10);
    for (int round = 0; round < ROUNDS; round++) {
        struct grid g = grid_make(f, &rng, pick_window);
        int64_t dims[MAX_RANK];

        for (int i = 0; i < g.d; i++) {
            dims[i] = (g.n[i] - g.a[i]) / g.b[i] + 1;
            dims[g.d + i] = g.a[i];
        }
        reads(f, &g, lift_slide_n(f->ir, g.d, g.an, g.bn, g.x), 2 * g.d, dims,
              from_window);
    }
}

static void pick_pad(struct lift_rng *rng, int64_t *n, int64_t *a, int64_t *b)
{
    *a = pick(rng, 0, *n);
    *b = pick(rng, 0, *n);
}

static double from_clamp(const struct grid *g, const int64_t *at)
{
    int64_t src[3];

    for (int i = 0; i < g->d; i++)
        src[i] = clamp((int)(at[i] - g->a[i]), (int)g->n[i]);
    return grid_at(g, src);
}

/* Periodic with period 2n: n forwards, n backwards. */
static double from_mirror(const struct grid *g, const int64_t *at)
{
    int64_t src[3];

    for (int i = 0; i < g->d; i++) {
        int64_t period = 2 * g->n[i], k = (at[i] - g->a[i] + period) % period;

        src[i] = k < g->n[i] ? k : period - 1 - k;
    }
    return grid_at(g, src);
}

static double from_wrap(const struct grid *g, const int64_t *at)
{
    int64_t src[3];

    for (int i = 0; i < g->d; i++)
        src[i] = (at[i] - g->a[i] + g->n[i]) % g->n[i];
    return grid_at(g, src);
}

static double from_const(const struct grid *g, const int64_t *at)
{
    int64_t src[3];

    for (int i = 0; i < g->d; i++) {
        src[i] = at[i] - g->a[i];
        if (src[i] < 0 || src[i] >= g->n[i])
            return -0.5;
    }
    return grid_at(g, src);
}

static void test_pad_n(void **state)
{
    static source *const from[] = {[LIFT_PAD_CLAMP] = from_clamp,
                                   [LIFT_PAD_MIRROR] = from_mirror,
                                   [LIFT_PAD_WRAP] = from_wrap};
    struct fixture *f = *state;
    struct lift_rng rng;

    lift_rng_seed(&rng, 11);
    for (int round = 0; round < ROUNDS; round++) {
        struct grid g = grid_make(f, &rng, pick_pad);
        int64_t dims[MAX_RANK];

        for (int i = 0; i < g.d; i++)
            dims[i] = g.a[i] + g.n[i] + g.b[i];
        for (int kind = LIFT_PAD_CLAMP; kind <= LIFT_PAD_WRAP; kind++)
            reads(f, &g,
                  lift_pad_n(f->ir, g.d, g.an, g.bn, (enum lift_pad_kind)kind, g.x), g.d,
                  dims, from[kind]);
        reads(f, &g, lift_pad_const_n(f->ir, g.d, g.an, g.bn, flt(f, -0.5), g.x), g.d,
              dims, from_const);
    }
}

static void pick_tile(struct lift_rng *rng, int64_t *n, int64_t *a, int64_t *b)
{
    *a = *b = pick(rng, 1, 4);
    *n = *a * pick(rng, 1, 3);
}

static void test_tile_n(void **state)
{
    struct fixture *f = *state;
    struct lift_rng rng;

    lift_rng_seed(&rng, 12);
    for (int round = 0; round < ROUNDS; round++) {
        struct grid g = grid_make(f, &rng, pick_tile);
        int64_t dims[MAX_RANK];
        lift_expr tiles = lift_tile_n(f->ir, g.d, g.an, g.x);

        for (int i = 0; i < g.d; i++) {
            dims[i] = g.n[i] / g.a[i];
            dims[g.d + i] = g.a[i];
        }
        reads(f, &g, tiles, 2 * g.d, dims, from_window);
        reads(f, &g, lift_untile_n(f->ir, g.d, tiles), g.d, g.n, grid_at);
    }
}

static double from_rotated(const struct grid *g, const int64_t *at)
{
    int64_t src[3] = {at[g->d - 1]};

    for (int i = 1; i < g->d; i++)
        src[i] = at[i - 1];
    return grid_at(g, src);
}

static void test_rotate_n(void **state)
{
    struct fixture *f = *state;
    struct lift_rng rng;

    lift_rng_seed(&rng, 13);
    for (int round = 0; round < ROUNDS; round++) {
        struct grid g = grid_make(f, &rng, NULL);
        lift_expr rotated = lift_rotate_n(f->ir, g.d, g.x);
        int64_t dims[3];

        for (int i = 0; i < g.d; i++)
            dims[i] = g.n[(i + 1) % g.d];
        reads(f, &g, rotated, g.d, dims, from_rotated);
        reads(f, &g, lift_unrotate_n(f->ir, g.d, rotated), g.d, g.n, grid_at);
    }
}

static void pick_part(struct lift_rng *rng, int64_t *n, int64_t *a, int64_t *b)
{
    *a = pick(rng, 1, *n);
    *b = 0;
}

static void test_take_n(void **state)
{
    struct fixture *f = *state;
    struct lift_rng rng;

    lift_rng_seed(&rng, 14);
    for (int round = 0; round < ROUNDS; round++) {
        struct grid g = grid_make(f, &rng, pick_part);

        reads(f, &g, lift_take_n(f->ir, g.d, g.an, g.x), g.d, g.a, grid_at);
    }
}

/* The border numbers its points from -1000 on. */
static double from_inset(const struct grid *g, const int64_t *at)
{
    int64_t src[3], flat = 0;
    bool inside = true;

    for (int i = 0; i < g->d; i++) {
        src[i] = at[i] - g->a[i];
        inside = inside && src[i] >= 0 && src[i] < g->n[i];
        flat = flat * (g->a[i] + g->n[i] + g->b[i]) + at[i];
    }
    return inside ? grid_at(g, src) : -20000 + (double)flat;
}

static void pick_border(struct lift_rng *rng, int64_t *n, int64_t *a, int64_t *b)
{
    (void)n;
    *a = pick(rng, 0, 3);
    *b = pick(rng, 0, 3);
}

static void test_inset_n(void **state)
{
    struct fixture *f = *state;
    struct lift_rng rng;

    lift_rng_seed(&rng, 15);
    for (int round = 0; round < ROUNDS; round++) {
        struct grid g = grid_make(f, &rng, pick_border), outer = g;
        lift_expr border;

        for (int i = 0; i < g.d; i++)
            outer.n[i] = g.a[i] + g.n[i] + g.b[i];
        border = grid_input(f, &outer, "border", -20000);
        reads(f, &g, lift_inset_n(f->ir, g.d, g.an, g.bn, border, g.x), g.d, outer.n,
              from_inset);
    }
}

static double from_pair(const struct grid *g, const int64_t *at)
{
    return grid_at(g, at) - 3 * (grid_at(g, at) + 99);
}

/* map_n over zip_n. */
static void test_zip_n(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    struct lift_rng rng;

    lift_rng_seed(&rng, 16);
    for (int round = 0; round < ROUNDS; round++) {
        struct grid g = grid_make(f, &rng, NULL);
        lift_expr xs[2] = {g.x, grid_input(f, &g, "y", 100)};
        lift_expr zipped = must(f, lift_zip_n(ir, g.d, xs, 2));
        lift_expr t = lift_fresh(ir, "t", lift_type_base(zipped->type));
        lift_expr body = lift_call2(ir, LIFT_SUB, lift_get(ir, 0, t),
                                    mul(f, flt(f, 3), lift_get(ir, 1, t)));

        reads(f, &g, lift_map_n(ir, g.d, lift_fun(ir, body, t), zipped), g.d, g.n,
              from_pair);
    }
}

static double from_indices(const struct grid *g, const int64_t *at)
{
    double code = 0;

    for (int i = 0; i < g->d; i++)
        code = code * 10 + (double)at[i];
    return code;
}

static void test_array_n(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    struct lift_rng rng;

    lift_rng_seed(&rng, 17);
    for (int round = 0; round < ROUNDS; round++) {
        struct grid g = grid_make(f, &rng, NULL);
        lift_expr index[3], code = integer(f, 0);
        lift_nat n[3];

        for (int i = 0; i < g.d; i++) {
            n[i] = num(f, g.n[i]);
            index[i] = lift_fresh(ir, "i", f->i32);
            code = add(f, mul(f, code, integer(f, 10)), index[i]);
        }
        code = lift_call1(ir, LIFT_TO_F32, code);
        reads(f, &g, lift_array_n(ir, g.d, n, lift_expr_abstract(ir, index, g.d, code)),
              g.d, g.n, from_indices);
    }
}

/* The same terms with sizes given by the environment only. */
static void test_symbolic_sizes(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_nat n = lift_nat_var(f->nats, "n", LIFT_VAR_SIZE, 1, 1000);
    lift_nat k = lift_nat_var(f->nats, "k", LIFT_VAR_TUNABLE, 1, 64);
    const char *names[] = {"n", "k"};
    int64_t values[2];
    double data[24], expected[24];
    lift_type t = lift_type_array(ir, f->f32, n);
    lift_expr x = lift_expr_free(ir, "x", t);
    lift_expr tile =
        lift_fresh(ir, "tile", lift_type_array(ir, f->f32, lift_nat_add_const(k, 2)));
    lift_expr inside =
        lift_map(ir, sum_nbh(f, 3), lift_slide(ir, num(f, 3), num(f, 1), tile));
    lift_expr tiled = lift_call1(
        ir, LIFT_JOIN,
        lift_map(ir, lift_fun(ir, inside, tile),
                 lift_slide(ir, lift_nat_add_const(k, 2), k,
                            lift_pad(ir, num(f, 1), num(f, 1), LIFT_PAD_CLAMP, x))));

    f->sizes = (struct lift_nat_env){names, values, 2};
    for (int i = 0; i < 24; i++)
        data[i] = i * i;
    jacobi3_loop(24, data, expected);
    for (values[0] = 24, values[1] = 1; values[1] <= 24; values[1]++) {
        if (values[0] % values[1])
            continue;
        f->env.value_count = 0;
        input(f, "x", t, data);
        equals(f, value_of(f, tiled), expected, 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_paper_pad),      TEST(test_paper_slide),    TEST(test_paper_jacobi),
        TEST(test_paper_acoustic), TEST(test_jacobi3d7),      TEST(test_slide_n),
        TEST(test_pad_n),          TEST(test_tile_n),         TEST(test_rotate_n),
        TEST(test_take_n),         TEST(test_inset_n),        TEST(test_zip_n),
        TEST(test_array_n),        TEST(test_symbolic_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
