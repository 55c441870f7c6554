/* Texts and the terms and programs that they mean, and the messages of malformed ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/sizes.h"
#include "ir/spine.h"
#include "ir/text/syntax_decl.h"
#include "lift/build.h"
#include "lift/parse.h"
#include "lift/program.h"
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A context with some variables. */
struct world {
    struct lift_ir *ir;
    struct lift_nats *nats;
    lift_type f32, f64, i32;
    lift_nat n, k;
    lift_expr vars[8];
    struct lift_scope scope;
};

static lift_expr add_var(struct world *w, const char *name, lift_type t)
{
    return w->vars[w->scope.var_count++] = lift_expr_free(w->ir, name, t);
}

static void world_init(struct world *w)
{
    *w = (struct world){.ir = lift_ir_create()};
    w->nats = lift_ir_nats(w->ir);
    w->f32 = lift_type_scalar(w->ir, LIFT_F32);
    w->f64 = lift_type_scalar(w->ir, LIFT_F64);
    w->i32 = lift_type_scalar(w->ir, LIFT_I32);
    w->n = lift_nat_var(w->nats, "n", LIFT_VAR_SIZE, 1, LIFT_NAT_MAX);
    w->k = lift_nat_var(w->nats, "k", LIFT_VAR_TUNABLE, 2, 64);
    add_var(w, "x", lift_type_array(w->ir, w->f32, w->n));
    add_var(w, "y", lift_type_array(w->ir, w->f64, w->n));
    add_var(w, "i", w->i32);
    add_var(w, "s", w->f32);
    add_var(w, "d", w->f64);
    add_var(w, "c", lift_type_scalar(w->ir, LIFT_BOOL));
    add_var(w, "grid",
            lift_type_array(w->ir, lift_type_array(w->ir, w->f32, w->n),
                            lift_nat_const(w->nats, 8)));
    add_var(w, "p", lift_type_tuple(w->ir, (lift_type[]){w->f32, w->i32}, 2));
    w->scope.vars = w->vars;
    w->scope.nats = lift_arena_copy(lift_ir_arena(w->ir), (lift_nat[]){w->n, w->k},
                                    2 * sizeof(lift_nat));
    w->scope.nat_count = 2;
}

static lift_expr try_parse(struct world *w, const char *text, struct lift_str *message)
{
    struct lift_source source = {"t", text, strlen(text)};
    struct lift_error errors = {0};
    lift_expr e = lift_expr_parse(w->ir, &w->scope, &source, &errors);

    assert_int_equal(lift_error_count(&errors), e ? 0 : 1);
    if (!e)
        lift_str_add(message, lift_str_get(&errors.text));
    lift_error_fini(&errors);
    return e;
}

static lift_expr parse(struct world *w, const char *text)
{
    struct lift_str message = {0};
    lift_expr e = try_parse(w, text, &message);

    if (!e)
        fail_msg("'%s': %s", text, lift_str_get(&message));
    return e;
}

/* Pairs of texts for one term: sugar on the left, primitives in full on the right. */
static const struct {
    const char *sugar, *plain;
} same[] = {
    /* numbers and their conversions */
    {"s * 2", "s * 2.0f"},
    {"d * 2", "d * 2.0d"},
    {"d * 0.1", "d * 0.1d"},
    {"s * 0.1", "s * 0.1f"},
    {"d * (1.0 / 3.0)", "d * (1.0d / 3.0d)"},
    {"i * 2", "i * 2i"},
    {"i * 2.0", "f32(i) * 2.0f"},
    {"i * s", "mul(f32(i), s)"},
    {"s * d", "mul(f64(s), d)"},
    {"i + d", "add(f64(i), d)"},
    {"(1 / 2) * s", "f32(div(1, 2)) * s"},
    {"sqrt(2)", "sqrt(2.0f)"},
    {"sqrt(i)", "sqrt(f32(i))"},
    {"pow(d, 2)", "pow(d, 2.0d)"},
    {"min(s, 0)", "min(s, 0.0f)"},
    {"max(i, s)", "max(f32(i), s)"},
    {"if c then 1 else s", "select(c, 1.0f, s)"},
    {"c ? 1 : 0", "select(c, 1i, 0i)"},
    {"-2.0 * s", "mul(-2.0f, s)"},
    {"-s * s", "mul(neg(s), s)"},
    {"f64(0.1)", "0.1d"},
    {".5e1 + s", "5.0f + s"},
    {"n * s", "f32(nat(n)) * s"},
    {"i < n", "lt(i, nat(n))"},
    {"inf * d", "f64(inf) * d"},
    /* precedence */
    {"1.0f - s - s * s / s", "sub(sub(1.0f, s), div(mul(s, s), s))"},
    {"!c || c && c", "or(not(c), and(c, c))"},
    {"i % 2 * i + 1", "add(mul(mod(i, 2), i), 1)"},
    {"s >= 1 && s > 2", "and(le(1.0f, s), lt(2.0f, s))"},
    {"c ? 1 : c ? 2 : 3", "select(c, 1, select(c, 2, 3))"},
    /* functions */
    {"map(sqrt, x)", "map(fun(a => sqrt(a)), x)"},
    {"map(a => a * 2, x)", "map(fun(a => a * 2), x)"},
    {"map(a -> { val b = a * a; return b + b }, x)",
     "map(fun(a => let b = a * a; b + b), x)"},
    {"map(a -> { val b = a.0\n val q = b b }, zip(x))", "map(fun(a => a.0), zip(x))"},
    {"map(a -> { val b = a * a return b + 1 }, x)", "map(fun(a => a * a + 1), x)"},
    {"reduce(add, 0, x)", "reduce(fun(a, b => a + b), 0.0f, x)"},
    {"reduce((+), 0, x)", "reduce(add, 0.0f, x)"},
    {"reduce(fun(acc, a => acc + a), 0, y)", "reduce(add, 0.0d, y)"},
    {"map(fun((a, b) => a * b), zip(x, x))", "map(fun(t => t.0 * t.1), zip(x, x))"},
    {"map((a, b) => a * b, zip(x, x))", "map(fun(t => t.0 * t.1), zip(x, x))"},
    {"map(fun((a, (b, e)) => a + b + e), zip(x, zip(x, x)))",
     "map(fun(t => t.0 + t.1.0 + t.1.1), zip(x, zip(x, x)))"},
    {"map(transpose, slide(3, 1, slide(3, 1, x)))",
     "map(fun(a => transpose(a)), slide(3, 1, slide(3, 1, x)))"},
    {"map(slide(3, 1), grid)", "map(fun(a => slide(3, 1, a)), grid)"},
    {"map(map(mul(2)), grid)", "map(fun(a => map(fun(b => mul(2, b)), a)), grid)"},
    {"grid |> join |> slide(3, 1) |> map(reduce(add, 0))",
     "map(fun(w => reduce(add, 0.0f, w)), slide(3, 1, join(grid)))"},
    {"map(slide(3, 1) >> map(reduce(max, 0)) >> take(2), grid)",
     "map(fun(r => take(2, map(fun(w => reduce(max, 0.0f, w)), slide(3, 1, r)))), grid)"},
    {"(sqrt >> neg)(s)", "neg(sqrt(s))"},
    {"slide(3, 1)(x)", "slide(3, 1, x)"},
    {"(fun(f, a => f(f(a))))(sqrt, s)", "sqrt(sqrt(s))"},
    {"(let t = s * s; t + t, s)", "(let t = s * s in t + t, s)"},
    {"let (a, b) = p; a * b", "let t = p; t.0 * t.1"},
    {"let f = fun(a => a * 2); (f(s), f(d), f(i))", "(s * 2, d * 2, i * 2)"},
    {"iterate(3, a => a * 0.5, s)", "iterate(3, fun(a => a * 0.5f), s)"},
    /* sizes */
    {"take(n - 1, x)", "take(-1 + n, x)"},
    {"x[n - 1]", "at(n - 1, x)"},
    {"take(min(n, 4), x)", "take(min(4, n), x)"},
    {"split(ceil(n / k), array(n * ceil(n / k), fun(j => j)))",
     "split((n + k - 1) / k, array(((n + k - 1) / k) * n, fun(j => j)))"},
    {"take(7 % 4 + 9 / 2, grid)", "take(7, grid)"},
    {"p.1", "get(1, p)"},
    /* pads and borders */
    {"pad(1, 2, constant 3, x)", "padValue(1, 2, fun(j, m => 3.0f), x)"},
    {"pad(1, 2, constant s, grid)",
     "padValue(1, 2, fun(j, m => array(n, fun(q => s))), grid)"},
    {"pad(1, 2, value fun(j, m => j * s), x)",
     "padValue(1, 2, fun(j, m => f32(j) * s), x)"},
    {"inset(1, 2, fill 0, x)", "inset(1, 2, array(n + 3, fun(j => 0.0f)), x)"},
    /* several dimensions */
    {"map2(sqrt, grid)", "map(map(sqrt), grid)"},
    {"zip2(grid, grid)", "map(fun(r => zip(r.0, r.1)), zip(grid, grid))"},
    {"pad2(1, 2, clamp, grid)", "map(pad(1, 2, clamp), pad(1, 2, clamp, grid))"},
    {"pad2((1, 2), 3, mirror, grid)", "map(pad(2, 3, mirror), pad(1, 3, mirror, grid))"},
    {"slide2((3, 5), (1, 2), grid)",
     "map(transpose, slide(3, 1, map(slide(5, 2), grid)))"},
    {"take2((2, 1), grid)", "map(take(1), take(2, grid))"},
    {"tile2((2, n), grid)", "map(transpose, split(2, map(split(n), grid)))"},
    {"untile2(tile2((2, n), grid))",
     "map(join, join(map(transpose, tile2((2, n), grid))))"},
    {"array2(n, k, fun(a, b => a * b))", "array(n, fun(a => array(k, fun(b => a * b))))"},
    {"unzip2(zip2(grid, grid))", "unzip(map(unzip, zip2(grid, grid)))"},
    {"inset2(1, 1, fill 0, grid)",
     "inset2(1, 1, array2(10, n + 2, fun(a, b => 0.0f)), grid)"},
    {"map2(w => w[1][1], slide2(3, 1, pad2(1, 1, constant 0, grid)))",
     "grid |> pad2(1, 1, constant 0) |> slide2(3, 1) |> map2(fun(w => w[1][1]))"},
    /* low level */
    {"mapGlb(0, sqrt, x)", "mapGlb(0, fun(a => sqrt(a)), x)"},
    {"toLocal(x) |> mapSeq(neg)", "mapSeq(fun(a => -a), toLocal(x))"},
    {"userFun(\"f32 f(f32 a, i32 b) { return a; }\", 1, 2)",
     "userFun(\"f32 f(f32 a, i32 b) { return a; }\", 1.0f, 2i)"},
};

static void test_same_terms(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (parse(&w, same[i].sugar) != parse(&w, same[i].plain)) {
            struct lift_str a = {0}, b = {0};

            lift_expr_print(parse(&w, same[i].sugar), &a);
            lift_expr_print(parse(&w, same[i].plain), &b);
            fail_msg("'%s' is\n%s\nnot\n%s", same[i].sugar, lift_str_get(&a),
                     lift_str_get(&b));
        }
    lift_ir_destroy(w.ir);
}

/* Terms that differ only in options have different hashes: databases identify terms by
 * hash. */
static void test_hashes_of_options(void **state)
{
    static const char *const copies[] = {"plain", "async", "tensor"};
    static const char *const barriers[] = {"whole", "split"};
    lift_expr all[2 * 3 * 3 * 2 * 2];
    struct world w;
    int count = 0;

    (void)state;
    world_init(&w);
    for (int i = 0; i < 2 * 3 * 3 * 2 * 2; i++) {
        char text[200];

        snprintf(text, sizeof text,
                 "mapSeqSlide[window=%s, prefetch=%d, copy=%s, barrier=%s, beside=%s]"
                 "(fun(v => v[0]), 1, 1, grid)",
                 i % 2 ? "unroll" : "shift", i / 2 % 3, copies[i / 6 % 3],
                 barriers[i / 18 % 2], i / 36 ? "asked" : "loaded");
        all[count] = parse(&w, text);
        for (int k = 0; k < count; k++)
            assert_false(lift_hash_equal(all[k]->hash, all[count]->hash));
        count++;
    }
    lift_ir_destroy(w.ir);
}

static lift_expr count_changes(void *user, lift_expr e, lift_expr to)
{
    (void)e;
    ++*(int *)user;
    return to;
}

static lift_expr minus_for_plus(void *user, lift_expr e, lift_expr to)
{
    (void)e;
    return lift_call2(user, LIFT_SUB, lift_expr_arg(to, 0), lift_expr_arg(to, 1));
}

/* A node that others share is changed once: here there are 2^60 ways to the last one. */
static void test_shared_nodes(void **state)
{
    struct world w;
    lift_expr e, to;
    int count = 0;

    (void)state;
    world_init(&w);
    e = lift_expr_free(w.ir, "s", w.f32);
    for (int i = 0; i < 60; i++)
        e = lift_call2(w.ir, LIFT_ADD, e, e);
    assert_ptr_equal(
        lift_expr_mapped(&(struct lift_expr_map){w.ir, &count, NULL, count_changes}, e),
        e);
    assert_int_equal(count, 60);
    to = lift_expr_mapped(&(struct lift_expr_map){w.ir, w.ir, NULL, minus_for_plus}, e);
    assert_false(lift_expr_mentions(to, LIFT_ADD));
    lift_ir_destroy(w.ir);
}

/* Text and the builder give the same terms. */
static void test_builder(void **state)
{
    struct world w;
    lift_nat three[2], one[2];
    lift_expr grid, sum, zero, windows, window;

    (void)state;
    world_init(&w);
    for (int i = 0; i < 2; i++) {
        three[i] = lift_nat_const(w.nats, 3);
        one[i] = lift_nat_const(w.nats, 1);
    }
    grid = w.vars[6];
    windows = lift_slide_n(w.ir, 2, three, one,
                           lift_pad_n(w.ir, 2, one, one, LIFT_PAD_WRAP, grid));
    window = lift_fresh(w.ir, "w", windows->type->elem->elem);
    zero = lift_expr_float(w.ir, LIFT_F32, 0);
    sum = lift_reduce(w.ir, lift_fun_op(w.ir, LIFT_ADD, w.f32), zero,
                      lift_call1(w.ir, LIFT_JOIN, window));
    assert_ptr_equal(
        lift_map_n(w.ir, 2, lift_fun(w.ir, sum, window), windows),
        parse(&w, "map2(join >> reduce(add, 0), slide2(3, 1, pad2(1, 1, wrap, grid)))"));
    assert_null(lift_ir_error(w.ir));
    lift_ir_destroy(w.ir);
}

/* Messages of expressions; those of programs are in tests/errors. */
static const struct {
    const char *text, *message;
} wrong[] = {
    {"", "expected an expression, but got the end of the text"},
    {"x x", "expected the end of the text, but got 'x'"},
    {"x[", "expected an expression, but got the end of the text"},
    {"x.y", "expected the number of a member after '.', but got 'y'"},
    {"p . .1", "expected the number of a member after '.', but got '.'"},
    {"p.2", "'get' asks for member 2 of a tuple of 2"},
    {"p.99999999999", "'get' asks for member 2147483647 of a tuple of 2"},
    {"s.0", "'get' expects a tuple, but got 'f32'"},
    {"2147483648 + i", "integer does not fit in i32"},
    {"s + 1e39", "number too large for f32"},
    {"1e999", "number too large"},
    {"3x", "malformed number"},
    {"1.5i", "malformed number"},
    {"fun(a => a)", "expected a parameter with its type"},
    {"map", "expected data, but got a function"},
    {"map(sqrt)", "expected data, but got a function"},
    {"s(1)", "expected a function, but this is data"},
    {"s |> s", "'|>' expects a function on its right side"},
    {"s >> sqrt", "'>>' expects a function on either side"},
    {"(>)", "'>' and '>=' have no function; exchange the arguments of 'lt' or 'le'"},
    {"map(s, x)", "'map' expects a function, but got 'f32'"},
    {"map(add, x)", "'add' expects 2 arguments, but got 1"},
    {"map(fun(a, b => a), x)", "a function of 2 arguments is given 1"},
    {"reduce(fun((a, b) => a), 0, x)", "a function of 1 argument is given 2"},
    {"map2(sqrt, x)", "'map2' expects an array of 2 dimensions, but got '[f32]n'"},
    {"slide2((3, 3, 3), 1, grid)", "expected 2 sizes, one for each dimension, but got 3"},
    {"slide(0, 1, x)", "'slide' expects a number >= 1: '0' and '0'"},
    {"slide(3, 0, x)", "'slide' expects a number >= 1: '0' and '0'"},
    {"slide(s, 1, x)", "expected a size, but 's' is none"},
    {"slide(1.5, 1, x)", "expected a size, which is known before the program runs"},
    {"take(9, grid)", "'take' asks for more than there is (number, length): '9' and '8'"},
    {"insetBox(4, 0, 0, 0, grid, grid)", "'insetBox' has 1 to 3 dimensions, not 4"},
    {"insetBox(2, 0, 0, 0, grid, x)",
     "'insetBox' expects arrays of as many dimensions, but got '[f32]n'"},
    {"insetBox(1, 2, 0, 0, grid, take(7, grid))",
     "'insetBox' has a box beyond the border (length, end): '8' and '9'"},
    {"take(n * 99999999 * 99999999, x)", "a size that is too large"},
    {"take(1 / 0, x)", "division by a size that is not positive"},
    {"take(5 % (1 - 1), x)", "division by a size that is not positive"},
    {"take(n < 3, x)", "sizes know + - * / % min max ceil only"},
    {"take(foo(n), x)",
     "expected a size: min(a, b), max(a, b) or ceil(a / b), not this call"},
    {"array(n, fun(a => nat(4000000000)))", "a size that does not fit in i32"},
    {"padValue(1, 1, fun(a, b => true), x)", "'padValue' expects a function that returns "
                                             "'f32', as in argument 4, but got 'bool'"},
    {"pad2(1, 1, value fun(a, b => s), grid)", "'value' pads one dimension; use 'pad'"},
    {"mapGlb(x, sqrt, x)", "'dim' expects a small number"},
    {"mapSeqSlide[window=roll](w => w[0], 3, 1, x)", "expected one of shift, unroll"},
    {"userFun(\"int f(int a) { return a; }\", 1)",
     "expected the text of a C function, \"f32 name(f32 a, ...) { ... }\""},
    {"userFun(\"f32 f(f32 a) { return a; }\", 1, 2)",
     "the C function expects 1 argument, but got 2"},
    {"let a = s a", "expected ';' or 'in', but got 'a'"},
    {"if c then s", "expected 'else', but got the end of the text"},
    {"c ? s", "expected ':', but got the end of the text"},
    {"if c then s else x", "'select' expects 'f32', as in argument 2, but got '[f32]n'"},
    {"c + s", "'add' expects a number, but got 'bool'"},
    {"x + s", "'add' expects a number, but got '[f32]n'"},
    {"-sqrt", "expected data, but got a function"},
    {"fun(a b => a)", "expected '=>', but got 'b'"},
    {"fun(a: [f32] => a)", "expected the length of the array, but got '=>'"},
    {"(s => s.0.0)(p)", "'get' expects a tuple, but got 'f32'"},
};

static void test_messages(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct lift_str message = {0};

        if (try_parse(&w, wrong[i].text, &message))
            fail_msg("'%s' is accepted", wrong[i].text);
        assert_string_equal(lift_str_get(&message), wrong[i].message);
        lift_str_fini(&message);
    }
    lift_ir_destroy(w.ir);
}

static void test_types_and_sizes(void **state)
{
    static const char *const types[] = {
        "f32",
        "f64<8>",
        "[i32]n",
        "[[bool]4](n + 2)",
        "([f32]n, (i32), [[f64]k]n)",
        "(f32, [f32]n) -> f32",
        "[f32](n / k)",
        "[f32](n % k)",
        "[f32]min(k, n)",
    };
    struct world w;

    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct lift_source source = {"t", types[i], strlen(types[i])};
        struct lift_error errors = {0};
        struct lift_str text = {0};
        lift_type t = lift_type_parse(w.ir, &w.scope, &source, &errors);

        lift_error_print(&errors, stderr);
        assert_non_null(t);
        lift_type_print(t, &text);
        assert_string_equal(lift_str_get(&text), types[i]);
        lift_str_fini(&text);
    }
    lift_ir_destroy(w.ir);
}

/* Programs. */

static const struct lift_program *load_with(struct lift_ir *ir, const char *text,
                                            const struct lift_program_options *options,
                                            struct lift_str *message)
{
    struct lift_source source = {"dir/demo.v2.lift", text, strlen(text)};
    struct lift_error errors = {0};
    const struct lift_program *p = lift_program_load(ir, &source, options, &errors);

    assert_int_equal(lift_error_count(&errors), p ? 0 : 1);
    if (!p)
        lift_error_format(&errors, message);
    lift_error_fini(&errors);
    return p;
}

static const struct lift_program *load(struct lift_ir *ir, const char *text)
{
    struct lift_str message = {0};
    const struct lift_program *p = load_with(ir, text, NULL, &message);

    if (!p)
        fail_msg("%s", lift_str_get(&message));
    return p;
}

static const char wave[] =
    "exact size nx = 8, ny = nx * 2;\n"
    "const third = 1.0 / 3.0 const two = 1 + 1\n"
    "param a : Double = third /* in the way */ param b : f32 = -0.5; param m : Int = "
    "two\n"
    "type grid = [[Double]nx]ny\n"
    "stencil wave(u: grid, v: grid, q: grid) -> (u2, v2) =\n"
    "  map2(fun((x, y, z) => (x + y * a * m, y - third * z)), zip2(u, v, q))\n"
    "time (u, v) <- (u2, v2)\n";

static void test_program(void **state)
{
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program *p = load(ir, wave);

    (void)state;
    assert_string_equal(p->name, "wave");
    assert_true(p->exact);
    assert_true(p->iterative);
    assert_int_equal(p->size_count, 2);
    assert_string_equal(p->sizes[1].name, "ny");
    assert_int_equal(p->sizes[1].value, 16);
    assert_int_equal(p->param_count, 3);
    assert_true(p->params[0].value == 1.0 / 3.0);
    assert_int_equal(p->params[0].scalar, LIFT_F64);
    assert_true(p->params[1].value == -0.5);
    assert_true(p->params[2].value == 2);
    assert_int_equal(p->input_count, 3);
    assert_int_equal(p->output_count, 2);
    assert_int_equal(p->inputs[0].next, LIFT_NEXT_OUTPUT);
    assert_int_equal(p->inputs[1].next_index, 1);
    assert_int_equal(p->inputs[2].next, LIFT_NEXT_SAME);
    assert_ptr_equal(p->outputs[1].type, p->inputs[1].type);
    assert_true(lift_expr_is(p->body, LIFT_UNZIP));
    lift_ir_destroy(ir);
}

static void test_overrides(void **state)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_size_setting set[] = {{"nx", 5}, {"zz", 1}};
    struct lift_program_options options = {.sizes = set, .size_count = 1};
    struct lift_str message = {0};
    const struct lift_program *p = load_with(ir, wave, &options, &message);

    (void)state;
    assert_int_equal(p->sizes[0].value, 5);
    assert_int_equal(p->sizes[0].fallback, 8);
    assert_int_equal(p->sizes[1].value, 10);
    assert_true(lift_nat_is(p->inputs[0].type->elem->len, 5));
    options.size_count = 2;
    assert_null(load_with(ir, wave, &options, &message));
    assert_string_equal(lift_str_get(&message),
                        "error: program 'wave' has no size 'zz' (it has: nx, ny)\n");
    set[0].value = 0;
    lift_str_clear(&message);
    assert_null(load_with(ir, wave, &options, &message));
    assert_non_null(
        strstr(lift_str_get(&message), "size 'nx' is 0, which is not from 1"));
    lift_str_fini(&message);
    lift_ir_destroy(ir);
}

static void test_symbolic(void **state)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_program_options options = {.symbolic = true};
    const struct lift_program *p =
        load_with(ir, "size n stencil f(x: [f32]n) = slide(3, 1, x)", &options, NULL);

    (void)state;
    assert_string_equal(lift_nat_is_var(p->inputs[0].type->len, NULL), "n");
    assert_int_equal(lift_nat_lo(p->inputs[0].type->len), 1);
    assert_int_equal(p->sizes[0].value, 0);
    assert_string_equal(p->outputs[0].name, "out");
    lift_ir_destroy(ir);
}

static void test_size_list(void **state)
{
    static const char *const bad[] = {"",
                                      "nx",
                                      "nx=",
                                      "nx=a",
                                      "=3",
                                      "nx=3,",
                                      "nx=3,nx=4",
                                      "nx=3 ny=4",
                                      "3=3",
                                      "nx=99999999999999999999",
                                      "{",
                                      "{},",
                                      "{\"nx\":3",
                                      "{\"nx\":}",
                                      "{\"nx\":3}}",
                                      "{\"nx\":3},",
                                      "{\"nx:3}",
                                      "{nx\":3}",
                                      "{\"nx\"=3}",
                                      "{\"nx\":3,\"nx\":4}",
                                      "nx=3}"};
    struct lift_arena *arena = lift_arena_create();
    const struct lift_size_setting *sizes;
    struct lift_error errors = {0};
    int count;

    (void)state;
    assert_true(lift_sizes_parse(arena, "nx=256,n_y2=7", &sizes, &count, &errors));
    assert_int_equal(count, 2);
    assert_string_equal(sizes[1].name, "n_y2");
    assert_int_equal(sizes[1].value, 7);
    assert_true(
        lift_sizes_parse(arena, "{\"nx\":256,\"n_y2\":7}", &sizes, &count, &errors));
    assert_int_equal(count, 2);
    assert_string_equal(sizes[0].name, "nx");
    assert_int_equal(sizes[1].value, 7);
    assert_true(lift_sizes_parse(arena, "{}", &sizes, &count, &errors));
    assert_int_equal(count, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(lift_sizes_parse(arena, bad[i], &sizes, &count, &errors));
    assert_int_equal(lift_error_count(&errors), sizeof bad / sizeof *bad);
    lift_error_fini(&errors);
    lift_arena_destroy(arena);
}

/* The listings of Stoltzfus et al., TACO 2019, as they are printed but for the
 * subscripts, the sizes, and the boundary of listing 3, which the paper leaves out. */

static const char listing2[] = "size n = 1024\n"
                               "val sumNbh = fun(nbh => reduce(add, 0.0f, nbh))\n"
                               "val stencil = fun( A: [Float]n) =>\n"
                               "    map(sumNbh,           // (c)\n"
                               "        slide(3, 1,      // (a)\n"
                               "            pad(1, 1, clamp, A))) // (b)\n";

static const char listing3[] =
    "size m = 12, n = 10, o = 8\n"
    "const CSTl2 = 1.0 / 3.0 const CSTloss1 = 0.9 const CSTloss2 = 0.8\n"
    "fun one(i, n) = (i > 0 ? 1 : 0) + (i < n - 1 ? 1 : 0)\n"
    "fun computeNumNeighbors(i, j, k) = one(i, o) + one(j, n) + one(k, m)\n"
    "fun getCF(neighbors, cst, free) = neighbors < 6 ? cst : free\n"
    "acousticStencil(grid1:[[[Float]m]n]o, grid:[[[Float]m]n]o) {\n"
    "  map3(m -> {\n"
    "    val sumGrid = m.1[0][1][1] + m.1[1][0][1] + m.1[1][1][0] +\n"
    "                      m.1[1][1][2] + m.1[1][2][1] + m.1[2][1][1]\n"
    "    val numNeighbor = m.2\n"
    "    return getCF(m.2, CSTloss1, 1.0f) * ((2.0f - CSTl2 * numNeighbor) * "
    "m.1[1][1][1] +\n"
    "     CSTl2 * sumGrid - getCF(m.2, CSTloss2, 1.0f) * m.0) },\n"
    "    zip3(grid1, slide3(3, 1, pad3(1, 1, constant 0, grid)),\n"
    "        array3(o, n, m, computeNumNeighbors))) }\n";

static const char listing4[] = "size n = 1024\n"
                               "fun sumNbh(nbh) = reduce(add, 0.0f, nbh)\n"
                               "fun( A: [Float]n =>\n"
                               "  join(map(tile =>\n"
                               "    map(sumNbh, slide(3,1, tile)),\n"
                               "    slide(5,3,\n"
                               "      pad(1,1, clamp, A)))))\n";

static void test_listings(void **state)
{
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program *p = load(ir, listing2);
    struct lift_str text = {0};

    (void)state;
    lift_expr_print(p->body, &text);
    assert_string_equal(lift_str_get(&text),
                        "map(reduce(add, 0.0f), slide(3, 1, pad(1, 1, clamp, A)))");
    assert_string_equal(p->name, "demo");
    assert_ptr_equal(p->outputs[0].type, p->inputs[0].type);
    p = load(ir, listing3);
    assert_string_equal(p->name, "acousticStencil");
    assert_ptr_equal(p->outputs[0].type, p->inputs[0].type);
    p = load(ir, listing4);
    lift_str_clear(&text);
    lift_expr_print(p->body, &text);
    assert_string_equal(
        lift_str_get(&text),
        "join(map(fun(tile => map(reduce(add, 0.0f), slide(3, 1, tile))), "
        "slide(5, 3, pad(1, 1, clamp, A))))");
    lift_str_fini(&text);
    lift_ir_destroy(ir);
}

/* Terms on their own. */

static void test_terms(void **state)
{
    static const char text[] = "tunable k in 2..64;\n"
                               "size n in 4..1024;\n"
                               "tunable j in ..-1; size m;\n"
                               "input x : [f32](n*k); param a : f32;\n"
                               "fun twice(z) = 2 * z\n"
                               "join(map(mapSeq(fun(z => twice(z) * a)), split(k, x)))";
    struct lift_source source = {"t", text, strlen(text)};
    struct lift_ir *ir = lift_ir_create();
    struct lift_error errors = {0};
    struct lift_str printed = {0};
    lift_expr e = lift_term_parse(ir, &source, &errors);

    (void)state;
    lift_error_print(&errors, stderr);
    assert_non_null(e);
    lift_term_print(e, &printed);
    assert_string_equal(lift_str_get(&printed),
                        "tunable k in 2..64;\n"
                        "size n in 4..1024;\n"
                        "param a: f32;\n"
                        "input x: [f32](k*n);\n"
                        "join(map(mapSeq(fun(z => 2.0f * z * a)), split(k, x)))\n");
    source = (struct lift_source){"t", "tunable k in 2..32; nat(k)", 26};
    assert_null(lift_term_parse(ir, &source, &errors));
    assert_string_equal(lift_str_get(&errors.text), "'k' is known with another range");
    lift_error_fini(&errors);
    lift_str_fini(&printed);
    lift_ir_destroy(ir);
}

/* Rule files rely on this: an expression ends at the first token that cannot continue it.
 */
static void test_syntax(void **state)
{
    static const char text[] =
        "rule f: map(f, join(x)) ~> join(map(map(f), x)) where k > 1";
    struct lift_source source = {"r", text, strlen(text)};
    struct lift_arena *arena = lift_arena_create();
    struct lift_error errors = {0};
    jmp_buf failed;
    struct syntax_parser *p = syntax_open(arena, &source, &errors, &failed);
    const struct syntax_node *left, *right, *condition;

    (void)state;
    assert_true(syntax_accept_word(p, "rule"));
    assert_string_equal(syntax_expect_name(p, "a name", NULL), "f");
    syntax_expect(p, TOKEN_COLON, "':'");
    left = syntax_expr(p);
    assert_true(syntax_accept(p, TOKEN_REWRITE));
    right = syntax_expr(p);
    assert_true(syntax_accept_word(p, "where"));
    condition = syntax_expr(p);
    assert_int_equal(syntax_peek(p)->kind, TOKEN_END);
    assert_int_equal(left->kind, NODE_CALL);
    assert_int_equal(left->arg_count, 3);
    assert_string_equal(left->args[1]->text, "f");
    assert_int_equal(left->span.begin, 8);
    assert_int_equal(left->span.end, 23);
    assert_int_equal(right->args[1]->kind, NODE_CALL);
    assert_int_equal(condition->op, TOKEN_GT);
    if (!setjmp(failed)) {
        syntax_expr(p);
        fail();
    }
    assert_int_equal(lift_error_count(&errors), 1);
    lift_error_fini(&errors);
    lift_arena_destroy(arena);
}

/* Terms, and the same terms with values in global memory named at the root. */
static const struct {
    const char *term, *hoisted;
} stored[] = {
    {"map(neg, let t = toGlobal(map(sqrt, x)); pad(1, 1, clamp, t))",
     "let t = toGlobal(map(sqrt, x)); map(neg, pad(1, 1, clamp, t))"},
    {"zip(toGlobal(map(sqrt, x)), toGlobal(map(sqrt, x)))",
     "let t = toGlobal(map(sqrt, x)); zip(t, t)"},
    /* one in the other; the value of a root's let */
    {"map(neg, let t = toGlobal(map(neg, toGlobal(map(sqrt, x)))); take(1, t))",
     "let s = toGlobal(map(sqrt, x)); let t = toGlobal(map(neg, s)); map(neg, take(1, "
     "t))"},
    {"let s = map(neg, x); map(neg, toGlobal(map(sqrt, s)))",
     "let s = map(neg, x); let t = toGlobal(map(sqrt, s)); map(neg, t)"},
    {"let s = toGlobal(map(neg, toGlobal(map(sqrt, x)))); map(neg, s)",
     "let t = toGlobal(map(sqrt, x)); let s = toGlobal(map(neg, t)); map(neg, s)"},
    {"map(e => e + toGlobal(map(sqrt, x))[0], x)",
     "let t = toGlobal(map(sqrt, x)); map(e => e + t[0], x)"},
    {"alignRows(8, 0, map(neg, toGlobal(map(sqrt, x))))",
     "alignRows(8, 0, let t = toGlobal(map(sqrt, x)); map(neg, t))"},
    /* an existing value, a result, and an unchanged value */
    {"alignRows(8, 0, let t = toGlobal(map(sqrt, x)); map(neg, t))",
     "alignRows(8, 0, let t = toGlobal(map(sqrt, x)); map(neg, t))"},
    {"toGlobal(map(sqrt, x))", "map(sqrt, x)"},
    {"map(r => toGlobal(map(sqrt, r)), grid)", "map(r => toGlobal(map(sqrt, r)), grid)"},
    {"if c then map(neg, toGlobal(map(sqrt, x))) else x",
     "if c then map(neg, toGlobal(map(sqrt, x))) else x"},
};

static void test_stored(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
        lift_expr e = lift_hoist_globals(w.ir, parse(&w, stored[i].term));
        struct lift_str text = {0};

        lift_expr_print(e, &text);
        if (e != parse(&w, stored[i].hoisted))
            fail_msg("'%s' becomes\n%s", stored[i].term, lift_str_get(&text));
        lift_str_fini(&text);
    }
    lift_ir_destroy(w.ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_terms),   cmocka_unit_test(test_hashes_of_options),
        cmocka_unit_test(test_shared_nodes), cmocka_unit_test(test_builder),
        cmocka_unit_test(test_messages),     cmocka_unit_test(test_types_and_sizes),
        cmocka_unit_test(test_program),      cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_symbolic),     cmocka_unit_test(test_size_list),
        cmocka_unit_test(test_listings),     cmocka_unit_test(test_terms),
        cmocka_unit_test(test_syntax),       cmocka_unit_test(test_stored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
