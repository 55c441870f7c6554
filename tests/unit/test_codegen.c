/* Kernels against the interpreter: each term is generated, built and run on the device of
 * its dialect at small odd sizes, with outputs poisoned, and compared with its value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel_world.h"
#include "only.h"

static lift_nat N(struct world *w, int64_t v)
{
    return lift_nat_const(w->nats, v);
}

static lift_expr input(struct world *w, int dims, const int *sizes)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    lift_type t = w->f32;

    for (int i = dims - 1; i >= 0; i--)
        t = lift_type_array(w->ir, t, N(w, sizes[i]));
    return w->in[w->in_count] = lift_expr_free(w->ir, names[w->in_count], t),
           w->in[w->in_count++];
}

static lift_expr f(struct world *w, double v)
{
    return lift_expr_float(w->ir, LIFT_F32, v);
}

/* ---- terms ---- */

/* Nested maps of given kinds, outermost first, with a function of the innermost element.
 */
struct nest {
    struct world *w;
    const enum lift_op *ops;
    const int *dims;
    int depth;
    lift_body *body;
    void *user;
};

static lift_expr nest_body(struct lift_ir *ir, void *user, lift_expr x);

static lift_expr nest(struct nest n, lift_expr xs)
{
    struct nest inner = n;

    if (n.depth == 0)
        return n.body(n.w->ir, n.user, xs);
    inner.ops++;
    inner.dims++;
    inner.depth--;
    return lift_map_as(n.w->ir, n.ops[0], n.dims[0],
                       lift_lambda(n.w->ir, "x", xs->type->elem, nest_body, &inner), xs);
}

static lift_expr nest_body(struct lift_ir *ir, void *user, lift_expr x)
{
    (void)ir;
    return nest(*(struct nest *)user, x);
}

static lift_expr maps(struct world *w, int depth, const enum lift_op *ops,
                      lift_body *body, void *user, lift_expr xs)
{
    static const int down[] = {2, 1, 0};

    return nest((struct nest){w, ops, down + 3 - depth, depth, body, user}, xs);
}

static lift_expr at2(struct lift_ir *ir, lift_expr x, int i, int j)
{
    return lift_at(ir, j, lift_at(ir, i, x));
}

static lift_expr at3(struct lift_ir *ir, lift_expr x, int i, int j, int k)
{
    return lift_at(ir, k, at2(ir, x, i, j));
}

/* An asymmetric five-point function of a 3x3 window. */
static lift_expr five(struct lift_ir *ir, void *user, lift_expr x)
{
    static const int at[5][2] = {{0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 1}};
    lift_expr sum = NULL;

    (void)user;
    for (int i = 0; i < 5; i++) {
        lift_expr t = lift_call2(ir, LIFT_MUL, lift_expr_float(ir, LIFT_F32, i + 1.5),
                                 at2(ir, x, at[i][0], at[i][1]));

        sum = sum ? lift_call2(ir, LIFT_ADD, sum, t) : t;
    }
    return sum;
}

static lift_expr seven(struct lift_ir *ir, void *user, lift_expr x)
{
    static const int at[7][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1},
                                 {1, 1, 2}, {1, 2, 1}, {2, 1, 1}};
    lift_expr sum = NULL;

    (void)user;
    for (int i = 0; i < 7; i++) {
        lift_expr t = lift_call2(ir, LIFT_MUL, lift_expr_float(ir, LIFT_F32, i - 2.5),
                                 at3(ir, x, at[i][0], at[i][1], at[i][2]));

        sum = sum ? lift_call2(ir, LIFT_ADD, sum, t) : t;
    }
    return sum;
}

static lift_expr same(struct lift_ir *ir, void *user, lift_expr x)
{
    (void)ir, (void)user;
    return x;
}

static lift_expr windows2(struct world *w, enum lift_pad_kind kind, lift_expr x)
{
    lift_nat one[] = {N(w, 1), N(w, 1)}, three[] = {N(w, 3), N(w, 3)};

    return lift_slide_n(w->ir, 2, three, one, lift_pad_n(w->ir, 2, one, one, kind, x));
}

static lift_expr windows3(struct world *w, lift_expr x)
{
    lift_nat one[] = {N(w, 1), N(w, 1), N(w, 1)}, three[] = {N(w, 3), N(w, 3), N(w, 3)};

    return lift_slide_n(w->ir, 3, three, one,
                        lift_pad_const_n(w->ir, 3, one, one, f(w, 0.25), x));
}

static const int size2[] = {13, 17};
static const int size3[] = {7, 9, 11};

static lift_expr t_par_simd(struct world *w, int variant)
{
    static const enum lift_op ops[] = {LIFT_MAP_PAR, LIFT_MAP_SIMD};

    return maps(w, 2, ops, five, NULL,
                windows2(w, (enum lift_pad_kind)variant, input(w, 2, size2)));
}

static lift_expr t_task(struct world *w, int variant)
{
    static const enum lift_op ops[] = {LIFT_MAP_TASK, LIFT_MAP_SEQ};

    return maps(w, 2, ops, five, NULL,
                windows2(w, (enum lift_pad_kind)variant, input(w, 2, size2)));
}

static lift_expr t_glb(struct world *w, int variant)
{
    static const enum lift_op ops[] = {LIFT_MAP_GLB, LIFT_MAP_GLB};

    return maps(w, 2, ops, five, NULL,
                windows2(w, (enum lift_pad_kind)variant, input(w, 2, size2)));
}

static lift_expr t_glb3(struct world *w, int variant)
{
    static const enum lift_op ops[] = {LIFT_MAP_GLB, LIFT_MAP_GLB, LIFT_MAP_GLB};

    (void)variant;
    return maps(w, 3, ops, seven, NULL, windows3(w, input(w, 3, size3)));
}

static lift_expr t_seq3(struct world *w, int variant)
{
    static const enum lift_op ops[] = {LIFT_MAP_PAR, LIFT_MAP_SEQ, LIFT_MAP_SIMD};

    (void)variant;
    return maps(w, 3, ops, seven, NULL, windows3(w, input(w, 3, size3)));
}

/* Overlapped tiles with a tail: tiles of 4x5 points over 13x17, rounded up by a clamp. */
struct tile {
    struct world *w;
    const enum lift_op *outer, *inner;
    bool local;
};

static lift_expr tile_windows(struct lift_ir *ir, void *user, lift_expr copy)
{
    struct tile *t = user;
    lift_nat one[] = {N(t->w, 1), N(t->w, 1)}, three[] = {N(t->w, 3), N(t->w, 3)};
    lift_expr windows = lift_slide_n(ir, 2, three, one, copy);

    return maps(t->w, 2, t->inner, five, NULL, windows);
}

static lift_expr tile_body(struct lift_ir *ir, void *user, lift_expr x)
{
    struct tile *t = user;
    lift_expr copy;

    if (!t->local)
        return tile_windows(ir, t, x);
    copy = lift_call1(ir, LIFT_TO_LOCAL, maps(t->w, 2, t->inner, same, NULL, x));
    return lift_let(ir, copy, lift_lambda(ir, "tile", copy->type, tile_windows, t));
}

static lift_expr tiled(struct world *w, struct tile t)
{
    lift_nat zero[] = {N(w, 0), N(w, 0)}, one[] = {N(w, 1), N(w, 1)};
    lift_nat rest[] = {N(w, 16 - 13), N(w, 20 - 17)};
    lift_nat size[] = {N(w, 6), N(w, 7)}, step[] = {N(w, 4), N(w, 5)};
    lift_nat whole[] = {N(w, 13), N(w, 17)};
    lift_expr x = lift_pad_n(w->ir, 2, one, one, LIFT_PAD_MIRROR, input(w, 2, size2));

    x = lift_pad_n(w->ir, 2, zero, rest, LIFT_PAD_CLAMP, x);
    x = lift_slide_n(w->ir, 2, size, step, x);
    x = maps(w, 2, t.outer, tile_body, &t, x);
    return lift_take_n(w->ir, 2, whole, lift_untile_n(w->ir, 2, x));
}

static lift_expr t_tile_host(struct world *w, int variant)
{
    static const enum lift_op outer[] = {LIFT_MAP_PAR, LIFT_MAP_SEQ};
    static const enum lift_op inner[] = {LIFT_MAP_SEQ, LIFT_MAP_SIMD};

    return tiled(w, (struct tile){w, outer, inner, variant == 1});
}

static lift_expr t_tile_ocl(struct world *w, int variant)
{
    static const enum lift_op outer[] = {LIFT_MAP_WRG, LIFT_MAP_WRG};
    static const enum lift_op inner[] = {LIFT_MAP_LCL, LIFT_MAP_LCL};

    return tiled(w, (struct tile){w, outer, inner, variant == 1});
}

/* Streaming: the outermost dimension innermost, by mapSeqSlide. */
struct stream {
    struct world *w;
    enum lift_window window;
};

static lift_expr stream_body(struct lift_ir *ir, void *user, lift_expr column)
{
    struct stream *s = user;
    struct lift_prim_args a = {.nats = {N(s->w, 3), N(s->w, 1)}, .arg_count = 2};
    lift_type window = lift_type_array(ir, column->type->elem, N(s->w, 3));

    a.attrs.slide.window = s->window;
    a.args[0] = lift_lambda(ir, "win", window, seven, NULL);
    a.args[1] = column;
    return lift_expr_prim(ir, LIFT_MAP_SEQ_SLIDE, &a, NULL);
}

static lift_expr slide_plane(struct lift_ir *ir, void *user, lift_expr plane)
{
    struct world *w = user;
    lift_nat one[] = {N(w, 1), N(w, 1)}, three[] = {N(w, 3), N(w, 3)};

    return lift_slide_n(ir, 2, three, one, plane);
}

static lift_expr streamed(struct world *w, const enum lift_op *ops, int variant)
{
    struct stream s = {w, variant ? LIFT_WINDOW_UNROLL : LIFT_WINDOW_SHIFT};
    lift_nat one[] = {N(w, 1), N(w, 1), N(w, 1)};
    lift_expr x = lift_pad_const_n(w->ir, 3, one, one, f(w, 0.5), input(w, 3, size3));

    x = lift_map(w->ir, lift_lambda(w->ir, "p", x->type->elem, slide_plane, w), x);
    x = lift_rotate_n(w->ir, 3, x);
    return lift_unrotate_n(w->ir, 3, maps(w, 2, ops, stream_body, &s, x));
}

static lift_expr t_stream_host(struct world *w, int variant)
{
    static const enum lift_op ops[] = {LIFT_MAP_PAR, LIFT_MAP_SEQ};

    return streamed(w, ops, variant);
}

static lift_expr t_stream_ocl(struct world *w, int variant)
{
    static const enum lift_op ops[] = {LIFT_MAP_GLB, LIFT_MAP_GLB};

    return streamed(w, ops, variant);
}

/* Reductions over windows, with weights from an array of literals. */
static lift_expr weigh(struct lift_ir *ir, void *user, lift_expr pair)
{
    (void)user;
    return lift_call2(ir, LIFT_MUL, lift_get(ir, 0, pair), lift_get(ir, 1, pair));
}

static lift_expr weight(struct lift_ir *ir, void *user, lift_expr i)
{
    (void)user;
    return lift_call2(ir, LIFT_ADD, lift_call1(ir, LIFT_TO_F32, i),
                      lift_expr_float(ir, LIFT_F32, 0.75));
}

static lift_expr reduce_window(struct lift_ir *ir, void *user, lift_expr window)
{
    const enum lift_op *op = user;
    lift_type f32 = lift_type_scalar(ir, LIFT_F32), i32 = lift_type_scalar(ir, LIFT_I32);
    lift_expr weights =
        lift_array(ir, window->type->len, lift_lambda(ir, "i", i32, weight, NULL));
    lift_expr pairs = lift_call2(ir, LIFT_ZIP, window, weights);
    lift_expr products =
        lift_map(ir, lift_lambda(ir, "p", pairs->type->elem, weigh, NULL), pairs);

    return lift_call3(ir, *op, lift_fun_op(ir, LIFT_ADD, f32),
                      lift_expr_float(ir, LIFT_F32, 1.0), products);
}

static lift_expr t_reduce(struct world *w, int variant)
{
    static enum lift_op ops[] = {LIFT_REDUCE_SEQ, LIFT_REDUCE_UNROLL};
    static const enum lift_op par[] = {LIFT_MAP_PAR}, glb[] = {LIFT_MAP_GLB};
    int n = 29;
    lift_expr x = lift_pad(w->ir, N(w, 2), N(w, 2), LIFT_PAD_WRAP, input(w, 1, &n));

    return maps(w, 1, variant & 2 ? glb : par, reduce_window, &ops[variant & 1],
                lift_slide(w->ir, N(w, 5), N(w, 2), x));
}

/* Several outputs, members of tuples, a let, a choice by index. */
static lift_expr pair_body(struct lift_ir *ir, void *user, lift_expr p)
{
    lift_expr a = lift_get(ir, 0, p), b = lift_get(ir, 1, p);
    lift_expr sum = lift_fresh(ir, "sum", a->type);
    lift_expr both[] = {lift_call2(ir, LIFT_MUL, sum, sum),
                        lift_call2(ir, LIFT_SUB, a, sum)};

    (void)user;
    return lift_let(ir, lift_call2(ir, LIFT_ADD, a, b),
                    lift_fun(ir, lift_call(ir, LIFT_TUPLE, both, 2), sum));
}

static lift_expr t_tuples(struct world *w, int variant)
{
    static const enum lift_op par[] = {LIFT_MAP_PAR}, glb[] = {LIFT_MAP_GLB};
    int n = 31;
    lift_expr a = input(w, 1, &n), b = input(w, 1, &n);
    lift_expr m = maps(w, 1, variant ? glb : par, pair_body, NULL,
                       lift_call2(w->ir, LIFT_ZIP, a, b));

    return lift_call1(w->ir, LIFT_UNZIP, m);
}

/* A border kept around a computed interior, as concat of maps. */
static lift_expr t_concat(struct world *w, int variant)
{
    static const enum lift_op par[] = {LIFT_MAP_PAR}, glb[] = {LIFT_MAP_GLB};
    const enum lift_op *op = variant ? glb : par;
    enum lift_op sum = LIFT_REDUCE_UNROLL;
    int n = 23;
    lift_expr x = input(w, 1, &n);
    lift_expr inner =
        maps(w, 1, op, reduce_window, &sum, lift_slide(w->ir, N(w, 5), N(w, 1), x));
    lift_expr parts[] = {
        maps(w, 1, op, same, NULL, lift_call_nat(w->ir, LIFT_TAKE, N(w, 2), x)), inner,
        maps(w, 1, op, same, NULL, lift_call_nat(w->ir, LIFT_DROP, N(w, 21), x))};

    return lift_call(w->ir, LIFT_CONCAT, parts, 3);
}

/* Views that are read: inset, concat, drop, reorder, transpose, mirror. */
static lift_expr flip(struct lift_ir *ir, void *user, lift_expr i)
{
    return lift_call2(ir, LIFT_SUB, lift_expr_int(ir, *(int *)user - 1), i);
}

static lift_expr t_views(struct world *w, int variant)
{
    static const enum lift_op par[] = {LIFT_MAP_PAR, LIFT_MAP_SEQ};
    static const enum lift_op glb[] = {LIFT_MAP_GLB, LIFT_MAP_GLB};
    int inner[] = {5, 7}, outer[] = {9, 11}, rows = 9;
    lift_nat two[] = {N(w, 2), N(w, 2)};
    lift_expr border = input(w, 2, outer), x = input(w, 2, inner);
    lift_expr i = lift_inset_n(w->ir, 2, two, two, border, x), parts[2];

    i = lift_call2(
        w->ir, LIFT_REORDER,
        lift_lambda(w->ir, "i", lift_type_scalar(w->ir, LIFT_I32), flip, &rows), i);
    parts[0] = lift_call_nat(w->ir, LIFT_DROP, N(w, 4), i);
    parts[1] = lift_pad(w->ir, N(w, 3), N(w, 4), LIFT_PAD_MIRROR, border);
    i = lift_call1(w->ir, LIFT_TRANSPOSE, lift_call(w->ir, LIFT_CONCAT, parts, 2));
    return maps(w, 2, variant ? glb : par, same, NULL, i);
}

/* Private copies that become registers, and ones that stay arrays. */
static lift_expr sum_copy(struct lift_ir *ir, void *user, lift_expr copy)
{
    lift_type f32 = lift_type_scalar(ir, LIFT_F32);

    return lift_call3(ir, *(enum lift_op *)user, lift_fun_op(ir, LIFT_ADD, f32),
                      lift_expr_float(ir, LIFT_F32, 0), copy);
}

static lift_expr privately(struct lift_ir *ir, void *user, lift_expr window)
{
    bool unroll = *(enum lift_op *)user == LIFT_REDUCE_UNROLL;
    lift_expr id = lift_lambda(ir, "e", window->type->elem, same, NULL);
    lift_expr copy = lift_call1(
        ir, LIFT_TO_PRIVATE,
        lift_map_as(ir, unroll ? LIFT_MAP_UNROLL : LIFT_MAP_SEQ, 0, id, window));

    return lift_let(ir, copy, lift_lambda(ir, "reg", copy->type, sum_copy, user));
}

static lift_expr t_private(struct world *w, int variant)
{
    static enum lift_op ops[] = {LIFT_REDUCE_SEQ, LIFT_REDUCE_UNROLL};
    static const enum lift_op par[] = {LIFT_MAP_PAR}, glb[] = {LIFT_MAP_GLB};
    int n = 19;

    return maps(w, 1, variant & 2 ? glb : par, privately, &ops[variant & 1],
                lift_slide(w->ir, N(w, 4), N(w, 1), input(w, 1, &n)));
}

/* Two kernels with a temporary grid between them. */
static lift_expr second(struct lift_ir *ir, void *user, lift_expr temp)
{
    struct {
        struct world *w;
        const enum lift_op *ops;
    } *u = user;
    struct world *w = u->w;

    (void)ir;
    return maps(w, 2, u->ops, five, NULL, windows2(w, LIFT_PAD_CLAMP, temp));
}

static const enum lift_op temp_ops[][2] = {{LIFT_MAP_PAR, LIFT_MAP_SEQ},
                                           {LIFT_MAP_GLB, LIFT_MAP_GLB}};

static lift_expr temp_grid(struct world *w, const enum lift_op *ops)
{
    return lift_call1(
        w->ir, LIFT_TO_GLOBAL,
        maps(w, 2, ops, five, NULL, windows2(w, LIFT_PAD_WRAP, input(w, 2, size2))));
}

static lift_expr t_temp(struct world *w, int variant)
{
    struct {
        struct world *w;
        const enum lift_op *ops;
    } u = {w, temp_ops[variant]};
    lift_expr first = temp_grid(w, u.ops);

    return lift_let(w->ir, first, lift_lambda(w->ir, "temp", first->type, second, &u));
}

/* The same inside an expression that uses the grid twice. */
static lift_expr with_itself(struct lift_ir *ir, void *user, lift_expr temp)
{
    (void)user;
    return lift_zip_n(ir, 2, (lift_expr[]){temp, temp}, 2);
}

static lift_expr product(struct lift_ir *ir, void *user, lift_expr pair)
{
    (void)user;
    return lift_call2(ir, LIFT_MUL, lift_get(ir, 0, pair), lift_get(ir, 1, pair));
}

static lift_expr t_temp_inside(struct world *w, int variant)
{
    lift_expr grid = temp_grid(w, temp_ops[variant % 2]), pairs;

    pairs = variant < 2 ? lift_let(w->ir, grid,
                                   lift_lambda(w->ir, "temp", grid->type, with_itself, w))
                        : with_itself(w->ir, w, grid);
    return maps(w, 2, temp_ops[variant % 2], product, NULL, pairs);
}

/* Vector loads, arithmetic and stores. */
static lift_expr vector_body(struct lift_ir *ir, void *user, lift_expr v)
{
    struct world *w = user;

    return lift_call2(ir, LIFT_ADD, lift_call2(ir, LIFT_MUL, v, v),
                      lift_call_nat(ir, LIFT_SPLAT, N(w, 4), f(w, 0.125)));
}

static lift_expr t_vector(struct world *w, int variant)
{
    static const enum lift_op par[] = {LIFT_MAP_PAR}, glb[] = {LIFT_MAP_GLB};
    int n = 36;

    return lift_call1(
        w->ir, LIFT_AS_SCALAR,
        maps(w, 1, variant ? glb : par, vector_body, w,
             lift_call_nat(w->ir, LIFT_AS_VECTOR, N(w, 4), input(w, 1, &n))));
}

/* ---- running ---- */

typedef lift_expr term_fn(struct world *w, int variant);

static const int group_sizes[][3] = {{1, 1, 1}, {4, 2, 1}, {8, 4, 2}};

static void check(struct lift_device *dev, term_fn *term, int variant, const int local[3])
{
    struct world w = {.ir = lift_ir_create()};
    lift_expr e;

    w.nats = lift_ir_nats(w.ir);
    w.f32 = lift_type_scalar(w.ir, LIFT_F32);
    e = term(&w, variant);
    if (!e)
        fail_msg("the term is ill-typed: %s", lift_ir_error(w.ir));
    assert_computes(&w, e, dev, local);
    lift_ir_destroy(w.ir);
}

static struct {
    const char *device;
    term_fn *term;
    int first, variants;
} const cases[] = {
    {"host", t_par_simd, 0, 3},      {"host", t_seq3, 0, 1},
    {"host", t_task, 0, 1},          {"host", t_tile_host, 0, 2},
    {"host", t_stream_host, 0, 2},   {"host", t_reduce, 0, 2},
    {"host", t_tuples, 0, 1},        {"host", t_concat, 0, 1},
    {"host", t_views, 0, 1},         {"host", t_private, 0, 2},
    {"host", t_temp, 0, 1},          {"host", t_vector, 0, 1},
    {"host", t_temp_inside, 0, 1},   {"host", t_temp_inside, 2, 1},
    {"opencl", t_glb, 0, 3},         {"opencl", t_glb3, 0, 1},
    {"opencl", t_tile_ocl, 0, 2},    {"opencl", t_stream_ocl, 0, 2},
    {"opencl", t_reduce, 2, 2},      {"opencl", t_tuples, 1, 1},
    {"opencl", t_concat, 1, 1},      {"opencl", t_views, 1, 1},
    {"opencl", t_private, 2, 2},     {"opencl", t_temp, 1, 1},
    {"opencl", t_vector, 1, 1},      {"opencl", t_temp_inside, 1, 1},
    {"opencl", t_temp_inside, 3, 1},
};

static void check_device(const char *name)
{
    struct lift_device *dev = open_or_skip(name);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int v = 0; !strcmp(cases[i].device, name) && v < cases[i].variants; v++)
            for (size_t l = 0; l < (strcmp(name, "host") ? 3 : 1); l++)
                check(dev, cases[i].term, cases[i].first + v, group_sizes[l]);
    lift_device_close(dev);
}

static void test_host(void **state)
{
    (void)state;
    check_device("host");
}

static void test_opencl(void **state)
{
    (void)state;
    check_device("opencl");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_host),
                                       cmocka_unit_test(test_opencl)};

    only(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
