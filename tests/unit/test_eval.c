/* The interpreter: the meaning of each primitive, and errors of invalid terms. */
#include "eval_fixture.h"
#include <math.h>
#include <stdlib.h>

static bool covered[LIFT_OP_COUNT];

/* As 'gives', for a term that shows the meaning of 'op'. */
static void shows(struct fixture *f, enum lift_op op, lift_expr e, const char *expected)
{
    covered[op] = true;
    gives(f, e, expected);
}

static lift_expr vec4(struct fixture *f)
{
    return lift_expr_free(f->ir, "x", arr(f, f->f32, 4));
}

static lift_expr six(struct fixture *f)
{
    return lift_expr_free(f->ir, "six", arr(f, f->f32, 6));
}

static lift_expr grid(struct fixture *f)
{
    return lift_expr_free(f->ir, "m", arr(f, arr(f, f->f32, 3), 2));
}

static int setup(void **state)
{
    static const double one_to_six[] = {1, 2, 3, 4, 5, 6};
    struct fixture *f = malloc(sizeof *f);

    fixture_init(f);
    input(f, "x", arr(f, f->f32, 4), one_to_six);
    input(f, "six", arr(f, f->f32, 6), one_to_six);
    input(f, "m", arr(f, arr(f, f->f32, 3), 2), one_to_six);
    input(f, "none", arr(f, f->f32, 0), one_to_six);
    input(f, "rows", arr(f, arr(f, f->f32, 3), 0), one_to_six);
    *state = f;
    return 0;
}

/* fun(x => x * x) */
static lift_expr square(struct fixture *f)
{
    lift_expr x = lift_fresh(f->ir, "x", f->f32);

    return lift_fun(f->ir, lift_call2(f->ir, LIFT_MUL, x, x), x);
}

/* fun((a, x) => a - x): not associative, so that the order shows. */
static lift_expr minus(struct fixture *f)
{
    return lift_fun_op(f->ir, LIFT_SUB, f->f32);
}

static void test_functions(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr x = lift_fresh(ir, "x", f->f32), r = lift_fresh(ir, "r", arr(f, f->f32, 3));
    lift_expr none = lift_expr_free(ir, "none", arr(f, f->f32, 0));

    shows(f, LIFT_MAP, lift_map(ir, square(f), vec4(f)), "[1, 4, 9, 16]");
    gives(f, lift_map(ir, square(f), none), "[]");
    gives(f,
          lift_map(ir, lift_fun(ir, lift_reduce(ir, minus(f), flt(f, 0), r), r), grid(f)),
          "[-6, -15]");
    shows(f, LIFT_REDUCE, lift_reduce(ir, minus(f), flt(f, 0), vec4(f)), "-10");
    gives(f, lift_reduce(ir, minus(f), flt(f, 7), none), "7");
    shows(f, LIFT_ITERATE, prim(f, LIFT_ITERATE, num(f, 3), NULL, square(f), flt(f, 2)),
          "256");
    gives(f, prim(f, LIFT_ITERATE, num(f, 0), NULL, square(f), flt(f, 2)), "2");
    shows(
        f, LIFT_LET,
        lift_let(ir, flt(f, 3), lift_fun(ir, lift_call2(ir, LIFT_SUB, x, flt(f, 1)), x)),
        "2");
    shows(f, LIFT_ARRAY, lift_array(ir, num(f, 4), lift_fun_op(ir, LIFT_NEG, f->i32)),
          "[0, -1, -2, -3]");
}

/* Accumulators that are arrays or tuples: the state of each step is complete. */
static void test_structured_state(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_type row = arr(f, f->f32, 3),
              pair = lift_type_tuple(ir, (lift_type[]){f->f32, row}, 2);
    lift_expr a = lift_fresh(ir, "a", row), b = lift_fresh(ir, "b", row);
    lift_expr t =
        lift_fresh(ir, "t", lift_type_tuple(ir, (lift_type[]){f->f32, f->f32}, 2));
    lift_expr sum = lift_map(
        ir,
        lift_fun(ir, lift_call2(ir, LIFT_SUB, lift_get(ir, 0, t), lift_get(ir, 1, t)), t),
        lift_call2(ir, LIFT_ZIP, a, b));
    lift_expr s = lift_fresh(ir, "s", pair);
    lift_expr turned = lift_call2(
        ir, LIFT_TUPLE, lift_at(ir, 0, lift_get(ir, 1, s)),
        lift_call2(
            ir, LIFT_CONCAT, lift_call_nat(ir, LIFT_DROP, num(f, 1), lift_get(ir, 1, s)),
            lift_array(ir, num(f, 1),
                       lift_fun(ir, lift_get(ir, 0, s), lift_fresh(ir, "i", f->i32)))));
    lift_expr start = lift_call2(ir, LIFT_TUPLE, flt(f, 9), lift_at(ir, 0, grid(f)));

    gives(f, lift_reduce(ir, lift_fun2(ir, sum, a, b), lift_at(ir, 1, grid(f)), grid(f)),
          "[-1, -2, -3]");
    gives(f, prim(f, LIFT_ITERATE, num(f, 3), NULL, lift_fun(ir, turned, s), start),
          "(3, [9, 1, 2])");
    gives(f, prim(f, LIFT_ITERATE, num(f, 4000), NULL, lift_fun(ir, turned, s), start),
          "(9, [1, 2, 3])");
}

static void test_tuples(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr squares = lift_map(ir, square(f), vec4(f));
    lift_expr zipped = lift_call3(ir, LIFT_ZIP, vec4(f), squares, vec4(f));
    lift_expr t =
        lift_call3(ir, LIFT_TUPLE, flt(f, 1.5), integer(f, 2), lift_expr_bool(ir, true));

    shows(f, LIFT_ZIP, zipped, "[(1, 1, 1), (2, 4, 2), (3, 9, 3), (4, 16, 4)]");
    gives(f, lift_call1(ir, LIFT_ZIP, vec4(f)), "[(1), (2), (3), (4)]");
    shows(f, LIFT_UNZIP, lift_call1(ir, LIFT_UNZIP, zipped),
          "([1, 2, 3, 4], [1, 4, 9, 16], [1, 2, 3, 4])");
    shows(f, LIFT_TUPLE, t, "(1.5, 2, true)");
    shows(f, LIFT_GET, lift_get(ir, 1, t), "2");
}

static void test_views(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr split = lift_call_nat(ir, LIFT_SPLIT, num(f, 2), six(f));
    lift_expr rows = lift_expr_free(ir, "rows", arr(f, arr(f, f->f32, 3), 0));
    lift_expr i = lift_fresh(ir, "i", f->i32);

    shows(f, LIFT_AT, lift_at(ir, 2, vec4(f)), "3");
    shows(f, LIFT_SPLIT, split, "[[1, 2], [3, 4], [5, 6]]");
    shows(f, LIFT_JOIN, lift_call1(ir, LIFT_JOIN, grid(f)), "[1, 2, 3, 4, 5, 6]");
    gives(f, lift_call1(ir, LIFT_JOIN, rows), "[]");
    shows(f, LIFT_TRANSPOSE, lift_call1(ir, LIFT_TRANSPOSE, grid(f)),
          "[[1, 4], [2, 5], [3, 6]]");
    gives(f, lift_call1(ir, LIFT_TRANSPOSE, rows), "[[], [], []]");
    shows(f, LIFT_REORDER,
          prim(f, LIFT_REORDER, NULL, NULL,
               lift_fun(ir, lift_call2(ir, LIFT_SUB, integer(f, 3), i), i), vec4(f)),
          "[4, 3, 2, 1]");
    shows(f, LIFT_TAKE, lift_call_nat(ir, LIFT_TAKE, num(f, 4), six(f)), "[1, 2, 3, 4]");
    gives(f, lift_call_nat(ir, LIFT_TAKE, num(f, 0), six(f)), "[]");
    shows(f, LIFT_DROP, lift_call_nat(ir, LIFT_DROP, num(f, 4), six(f)), "[5, 6]");
    gives(f, lift_call_nat(ir, LIFT_DROP, num(f, 6), six(f)), "[]");
    shows(f, LIFT_CONCAT, lift_call3(ir, LIFT_CONCAT, vec4(f), six(f), vec4(f)),
          "[1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4]");
    shows(f, LIFT_INSET,
          prim(f, LIFT_INSET, num(f, 1), num(f, 1), lift_map(ir, square(f), six(f)),
               vec4(f)),
          "[1, 1, 2, 3, 4, 36]");
    shows(f, LIFT_INSET_BOX,
          inset_box(f, 2, (lift_nat[]){num(f, 0), num(f, 1), num(f, 0)}, grid(f),
                    lift_call_nat(ir, LIFT_SPLIT, num(f, 2), vec4(f))),
          "[[1, 1, 2], [4, 3, 4]]");
}

static lift_expr column(struct fixture *f, int n, lift_expr body, lift_expr p)
{
    lift_expr d = lift_fresh(f->ir, "d", f->i32);
    lift_expr row = lift_array(f->ir, num(f, 1), lift_fun(f->ir, body, d));
    return lift_array(f->ir, num(f, n), lift_fun(f->ir, row, p));
}

static void test_inject(void **state)
{
    struct fixture *f = *state;
    lift_expr p = lift_fresh(f->ir, "p", f->i32), k = lift_fresh(f->ir, "k", f->i32);
    lift_expr at = lift_call2(f->ir, LIFT_MUL, p, integer(f, 5));
    lift_expr w =
        lift_call2(f->ir, LIFT_ADD, lift_call1(f->ir, LIFT_TO_F32, k), flt(f, 1));
    lift_expr points =
        lift_call2(f->ir, LIFT_TUPLE, column(f, 2, at, p),
                   column(f, 2, lift_array(f->ir, num(f, 2), lift_fun(f->ir, w, k)), p));

    shows(f, LIFT_INJECT,
          lift_call3(f->ir, LIFT_INJECT, six(f), points,
                     lift_call_nat(f->ir, LIFT_TAKE, num(f, 2), vec4(f))),
          "[2, 4, 3, 4, 5, 8]");
}

static void test_slide(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    static const struct {
        int size, step;
        const char *expected;
    } rows[] = {
        {1, 1, "[[1], [2], [3], [4], [5], [6]]"},
        {3, 1, "[[1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6]]"},
        {3, 2, "[[1, 2, 3], [3, 4, 5]]"}, /* a rest of one */
        {2, 2, "[[1, 2], [3, 4], [5, 6]]"},
        {4, 3, "[[1, 2, 3, 4]]"}, /* a rest of two */
        {2, 3, "[[1, 2], [4, 5]]"},
        {1, 4, "[[1], [5]]"},
        {6, 1, "[[1, 2, 3, 4, 5, 6]]"},
        {6, 9, "[[1, 2, 3, 4, 5, 6]]"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        shows(f, LIFT_SLIDE,
              lift_slide(ir, num(f, rows[i].size), num(f, rows[i].step), six(f)),
              rows[i].expected);
}

static lift_expr shifted(struct fixture *f, int size, int step)
{
    return prim(f, LIFT_SLIDE_SHIFT, num(f, size), num(f, step), six(f), NULL);
}

/* Windows that are shifted inward, and tiles of them put together again. */
static void test_shift(void **state)
{
    struct fixture *f = *state;

    shows(f, LIFT_SLIDE_SHIFT, shifted(f, 4, 4), "[[1, 2, 3, 4], [3, 4, 5, 6]]");
    gives(f, shifted(f, 3, 2), "[[1, 2, 3], [3, 4, 5], [4, 5, 6]]");
    gives(f, shifted(f, 3, 3), "[[1, 2, 3], [4, 5, 6]]");
    gives(f, shifted(f, 6, 4), "[[1, 2, 3, 4, 5, 6]]");
    gives(f, shifted(f, 1, 4), "[[1], [5], [6]]");
    for (int k = 1; k <= 6; k++)
        gives(f, lift_call_nat(f->ir, LIFT_JOIN_SHIFT, num(f, 6), shifted(f, k, k)),
              "[1, 2, 3, 4, 5, 6]");
    shows(f, LIFT_JOIN_SHIFT, lift_call_nat(f->ir, LIFT_JOIN_SHIFT, num(f, 5), grid(f)),
          "[1, 2, 3, 5, 6]");
}

static void test_pad(void **state)
{
    struct fixture *f = *state;
    static const struct {
        enum lift_pad_kind kind;
        int l, r;
        const char *expected;
    } rows[] = {
        {LIFT_PAD_CLAMP, 0, 0, "[1, 2, 3, 4]"},
        {LIFT_PAD_CLAMP, 2, 3, "[1, 1, 1, 2, 3, 4, 4, 4, 4]"},
        {LIFT_PAD_CLAMP, 5, 0, "[1, 1, 1, 1, 1, 1, 2, 3, 4]"},
        {LIFT_PAD_MIRROR, 1, 2, "[1, 1, 2, 3, 4, 4, 3]"},
        {LIFT_PAD_MIRROR, 4, 4, "[4, 3, 2, 1, 1, 2, 3, 4, 4, 3, 2, 1]"},
        {LIFT_PAD_WRAP, 1, 2, "[4, 1, 2, 3, 4, 1, 2]"},
        {LIFT_PAD_WRAP, 4, 4, "[1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]"},
        {LIFT_PAD_ANY, 1, 2, "[nan, 1, 2, 3, 4, nan, nan]"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        shows(
            f, LIFT_PAD,
            lift_pad(f->ir, num(f, rows[i].l), num(f, rows[i].r), rows[i].kind, vec4(f)),
            rows[i].expected);
    gives(f,
          lift_pad(f->ir, num(f, 0), num(f, 0), LIFT_PAD_CLAMP,
                   lift_expr_free(f->ir, "none", arr(f, f->f32, 0))),
          "[]");
}

static void test_pad_value(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr i = lift_fresh(ir, "i", f->i32), n = lift_fresh(ir, "n", f->i32);
    lift_expr code =
        lift_call2(ir, LIFT_ADD, lift_call2(ir, LIFT_MUL, i, integer(f, 100)), n);
    lift_expr value = lift_fun2(ir, lift_call1(ir, LIFT_TO_F32, code), i, n);

    shows(f, LIFT_PAD_VALUE,
          prim(f, LIFT_PAD_VALUE, num(f, 2), num(f, 2), value, vec4(f)),
          "[-196, -96, 1, 2, 3, 4, 404, 504]");
    gives(f, lift_pad_const(ir, num(f, 1), num(f, 2), flt(f, -1), grid(f)),
          "[[-1, -1, -1], [1, 2, 3], [4, 5, 6], [-1, -1, -1], [-1, -1, -1]]");
}

/* The memory layout of values does not change them. */
static void test_layout(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr none = lift_expr_free(ir, "none", arr(f, f->f32, 0));

    shows(f, LIFT_PAD_STORED,
          prim(f, LIFT_PAD_STORED, num(f, 2), num(f, 1), flt(f, -1), vec4(f)),
          "[-1, -1, 1, 2, 3, 4, -1]");
    gives(f, prim(f, LIFT_PAD_STORED, num(f, 0), num(f, 2), flt(f, 3), none), "[3, 3]");
    shows(f, LIFT_ALIGN_ROWS,
          prim(f, LIFT_ALIGN_ROWS, num(f, 8), num(f, 1), vec4(f), NULL), "[1, 2, 3, 4]");
    shows(f, LIFT_APART, prim(f, LIFT_APART, num(f, 8), num(f, 1), vec4(f), NULL),
          "[1, 2, 3, 4]");
    shows(f, LIFT_PREFETCH, prim(f, LIFT_PREFETCH, num(f, 2), NULL, vec4(f), NULL),
          "[1, 2, 3, 4]");
    shows(f, LIFT_IN_PLACE,
          lift_call2(ir, LIFT_IN_PLACE, vec4(f), lift_map(ir, square(f), vec4(f))),
          "[1, 4, 9, 16]");
}

/* The meaning of a low-level form is that of the high-level one. */
static void test_low_level(void **state)
{
    static const enum lift_op maps[] = {LIFT_MAP_SEQ,  LIFT_MAP_UNROLL, LIFT_MAP_PAR,
                                        LIFT_MAP_SIMD, LIFT_MAP_GLB,    LIFT_MAP_WRG,
                                        LIFT_MAP_LCL,  LIFT_MAP_TASK};
    static const enum lift_op homes[] = {LIFT_TO_GLOBAL, LIFT_TO_LOCAL, LIFT_TO_PRIVATE};
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr w = lift_fresh(ir, "w", arr(f, f->f32, 3));
    lift_expr sum = lift_fun(ir, lift_reduce(ir, minus(f), flt(f, 0), w), w);

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        shows(f, maps[i], lift_map_as(ir, maps[i], 1, square(f), vec4(f)),
              "[1, 4, 9, 16]");
    shows(f, LIFT_MAP_VEC, prim(f, LIFT_MAP_VEC, num(f, 4), NULL, square(f), vec4(f)),
          "[1, 4, 9, 16]");
    shows(f, LIFT_REDUCE_SEQ,
          lift_call3(ir, LIFT_REDUCE_SEQ, minus(f), flt(f, 1), vec4(f)), "-9");
    shows(f, LIFT_REDUCE_UNROLL,
          lift_call3(ir, LIFT_REDUCE_UNROLL, minus(f), flt(f, 1), vec4(f)), "-9");
    shows(f, LIFT_MAP_SEQ_SLIDE,
          prim(f, LIFT_MAP_SEQ_SLIDE, num(f, 3), num(f, 1), sum, six(f)),
          "[-6, -9, -12, -15]");
    gives(f, prim(f, LIFT_MAP_SEQ_SLIDE, num(f, 3), num(f, 2), sum, six(f)), "[-6, -12]");
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        shows(f, homes[i], lift_call1(ir, homes[i], lift_map(ir, square(f), vec4(f))),
              "[1, 4, 9, 16]");
}

static void test_vectors(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr v = lift_call_nat(ir, LIFT_AS_VECTOR, num(f, 2), six(f));
    lift_expr x = lift_fresh(ir, "x", lift_type_vector(ir, LIFT_F32, 2));
    lift_expr half = lift_call_nat(ir, LIFT_SPLAT, num(f, 2), flt(f, 0.5));
    lift_expr body = lift_call1(ir, LIFT_NEG, lift_call2(ir, LIFT_MUL, x, half));

    shows(f, LIFT_AS_VECTOR, v, "[<1, 2>, <3, 4>, <5, 6>]");
    shows(f, LIFT_AS_SCALAR, lift_call1(ir, LIFT_AS_SCALAR, v), "[1, 2, 3, 4, 5, 6]");
    shows(f, LIFT_SPLAT, half, "<0.5, 0.5>");
    gives(f, lift_call1(ir, LIFT_AS_SCALAR, lift_map(ir, lift_fun(ir, body, x), v)),
          "[-0.5, -1, -1.5, -2, -2.5, -3]");
    gives(f, lift_map(ir, lift_fun_op(ir, LIFT_TO_I32, x->type), v),
          "[<1, 2>, <3, 4>, <5, 6>]");
}

static void test_floats(void **state)
{
    static const struct {
        enum lift_op op;
        double x, y, expected;
    } rows[] = {
        {LIFT_ADD, 0.1, 0.2, 0.1 + 0.2},
        {LIFT_SUB, 1, 3, -2},
        {LIFT_MUL, 1.5, -2, -3},
        {LIFT_DIV, 1, 3, 1.0 / 3},
        {LIFT_DIV, 1, 0, INFINITY},
        {LIFT_MIN, 2, -3, -3},
        {LIFT_MAX, 2, -3, 2},
        {LIFT_MIN, NAN, 1, 1},
        {LIFT_MIN, 1, NAN, 1},
        {LIFT_MAX, NAN, 1, 1},
        {LIFT_MAX, 1, NAN, 1},
        {LIFT_MIN, 0.0, -0.0, -0.0}, /* the second of equal ones */
        {LIFT_MIN, -0.0, 0.0, 0.0},
        {LIFT_MAX, 0.0, -0.0, -0.0},
        {LIFT_MAX, -0.0, 0.0, 0.0},
        {LIFT_ADD, -0.0, 0.0, 0.0},
        {LIFT_SUB, 0.0, 0.0, 0.0},
        {LIFT_NEG, 0.0, 0, -0.0},
        {LIFT_ABS, -0.0, 0, 0.0},
        {LIFT_POW, 2, 0.5, 0x1.6a09e667f3bcdp+0},
        {LIFT_NEG, 2, 0, -2},
        {LIFT_ABS, -2.5, 0, 2.5},
        {LIFT_SQRT, 2, 0, 0x1.6a09e667f3bcdp+0},
        {LIFT_EXP, 0, 0, 1},
        {LIFT_LOG, 1, 0, 0},
        {LIFT_SIN, 0, 0, 0},
        {LIFT_COS, 0, 0, 1},
        {LIFT_FLOOR, -1.5, 0, -2},
        {LIFT_FLOOR, 1.5, 0, 1},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lift_expr x = lift_expr_float(f->ir, LIFT_F64, rows[i].x);
        lift_expr y = lift_expr_float(f->ir, LIFT_F64, rows[i].y);
        bool two = lift_prim_info(rows[i].op)->expr_count == 2;
        lift_expr e =
            two ? lift_call2(f->ir, rows[i].op, x, y) : lift_call1(f->ir, rows[i].op, x);

        covered[rows[i].op] = true;
        assert_true(
            lift_value_same(value_of(f, e), lift_value_float(rows[i].expected), NULL));
    }
}

/* As lift/build.h says, so that only the end needs a check. */
static void test_nothing_of_nothing(void **state)
{
    struct fixture *f = *state;
    lift_expr x = lift_expr_float(f->ir, LIFT_F32, 1);
    lift_expr xs = lift_array(f->ir, lift_nat_const(lift_ir_nats(f->ir), 4),
                              lift_fun(f->ir, x, lift_expr_free(f->ir, "i", f->i32)));
    lift_nat one = lift_nat_const(lift_ir_nats(f->ir), 1);

    assert_non_null(xs);
    assert_null(lift_call1(f->ir, LIFT_NEG, NULL));
    assert_null(lift_call2(f->ir, LIFT_ADD, x, NULL));
    assert_null(lift_map(f->ir, NULL, xs));
    assert_null(lift_fun(f->ir, NULL, x));
    assert_null(lift_call_nat(f->ir, LIFT_TAKE, NULL, xs));
    assert_null(lift_slide(f->ir, NULL, one, xs));
    assert_null(lift_slide(f->ir, one, NULL, xs));
    assert_null(lift_pad(f->ir, one, NULL, LIFT_PAD_CLAMP, xs));
    assert_null(lift_array(f->ir, NULL, lift_fun_op(f->ir, LIFT_NEG, f->i32)));
    assert_null(lift_get(f->ir, 0, NULL));
    assert_null(lift_ir_error(f->ir));
    assert_null(lift_call(f->ir, LIFT_TUPLE, &x, -1));
    assert_non_null(strstr(lift_ir_error(f->ir), "negative"));
    lift_ir_clear_error(f->ir);
}

static void test_integers(void **state)
{
    static const struct {
        enum lift_op op;
        int64_t x, y, expected;
    } rows[] = {
        {LIFT_ADD, 2147483646, 1, 2147483647},
        {LIFT_SUB, -2147483647, 1, INT32_MIN},
        {LIFT_MUL, -65536, 32768, INT32_MIN},
        {LIFT_DIV, 7, 2, 3},
        {LIFT_DIV, -7, 2, -4},
        {LIFT_DIV, 7, -2, -4},
        {LIFT_DIV, -7, -2, 3},
        {LIFT_DIV, -8, 2, -4},
        {LIFT_MOD, 7, 3, 1},
        {LIFT_MOD, -7, 3, 2},
        {LIFT_MOD, 7, -3, -2},
        {LIFT_MOD, -6, 3, 0},
        {LIFT_MIN, -1, 1, -1},
        {LIFT_MAX, -1, 1, 1},
        {LIFT_NEG, 5, 0, -5},
        {LIFT_ABS, -5, 0, 5},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lift_expr x = integer(f, rows[i].x), y = integer(f, rows[i].y);
        bool two = lift_prim_info(rows[i].op)->expr_count == 2;
        lift_expr e =
            two ? lift_call2(f->ir, rows[i].op, x, y) : lift_call1(f->ir, rows[i].op, x);

        covered[rows[i].op] = true;
        assert_int_equal(value_of(f, e).u.integer, rows[i].expected);
    }
}

static void test_conditions(void **state)
{
    static const struct {
        enum lift_op op;
        bool below, equal, above;
    } rows[] = {{LIFT_LT, true, false, false},
                {LIFT_LE, true, true, false},
                {LIFT_EQ, false, true, false},
                {LIFT_NE, true, false, true}};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int y = 0; y < 3; y++) {
            bool expected = y == 2   ? rows[i].below
                            : y == 1 ? rows[i].equal
                                     : rows[i].above;

            shows(f, rows[i].op,
                  lift_call2(f->ir, rows[i].op, integer(f, 1), integer(f, y)),
                  expected ? "true" : "false");
            gives(f, lift_call2(f->ir, rows[i].op, flt(f, 1), flt(f, y)),
                  expected ? "true" : "false");
        }
}

static void test_logic(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;

    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2; y++) {
            lift_expr p = lift_expr_bool(ir, x), q = lift_expr_bool(ir, y);

            shows(f, LIFT_AND, lift_call2(ir, LIFT_AND, p, q), x && y ? "true" : "false");
            shows(f, LIFT_OR, lift_call2(ir, LIFT_OR, p, q), x || y ? "true" : "false");
            shows(f, LIFT_NOT, lift_call1(ir, LIFT_NOT, p), x ? "false" : "true");
            shows(f, LIFT_SELECT, lift_call3(ir, LIFT_SELECT, p, vec4(f), vec4(f)),
                  "[1, 2, 3, 4]");
            gives(f, lift_call3(ir, LIFT_SELECT, p, integer(f, 5), integer(f, 6)),
                  x ? "5" : "6");
        }
}

static void test_conversions(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_nat n = lift_nat_var(f->nats, "n", LIFT_VAR_SIZE, 1, 100);

    f->sizes = (struct lift_nat_env){(const char *[]){"n"}, (int64_t[]){17}, 1};
    shows(f, LIFT_TO_I32, lift_call1(ir, LIFT_TO_I32, flt(f, -2.75)), "-2");
    gives(f, lift_call1(ir, LIFT_TO_I32, flt(f, 2.75)), "2");
    shows(f, LIFT_TO_F32, lift_call1(ir, LIFT_TO_F32, integer(f, 3)), "3");
    shows(f, LIFT_TO_F64, lift_call1(ir, LIFT_TO_F64, flt(f, 0.25)), "0.25");
    shows(f, LIFT_TO_F16, lift_call1(ir, LIFT_TO_F16, flt(f, 1 + 0x1.8p-10)),
          "1.00195312"); /* a tie: to even */
    gives(f, lift_call1(ir, LIFT_TO_F16, flt(f, 1 + 0x1p-11)), "1");
    gives(f, lift_call1(ir, LIFT_TO_F16, flt(f, 65519)), "65504");
    gives(f, lift_call1(ir, LIFT_TO_F16, flt(f, -65520)), "-inf");
    shows(f, LIFT_TO_BF16, lift_call1(ir, LIFT_TO_BF16, flt(f, 1 + 0x1p-8)), "1");
    gives(f, lift_call1(ir, LIFT_TO_BF16, flt(f, 1 + 0x1.8p-7)), "1.015625");
    gives(f, lift_call1(ir, LIFT_TO_F32, lift_call1(ir, LIFT_TO_F16, flt(f, 0x1.8p-25))),
          "5.96046448e-08");
    shows(f, LIFT_NAT, prim(f, LIFT_NAT, lift_nat_mul_const(n, 2), NULL, NULL, NULL),
          "34");
}

static bool hypot_fun(void *user, const char *text, lift_type result,
                      const struct lift_value *args, int count, struct lift_value *out)
{
    (*(int *)user)++;
    if (!strstr(text, "hypot") || count != 2 || !lift_type_is_float(result))
        return false;
    *out = lift_value_float(hypot(args[0].u.number, args[1].u.number));
    return true;
}

static lift_expr user_call(struct fixture *f, const char *text)
{
    struct lift_prim_args a = {.text = lift_ir_name(f->ir, text),
                               .args = {flt(f, 3), flt(f, 4)},
                               .arg_count = 2};

    return must(f, lift_expr_prim(f->ir, LIFT_USER_FUN, &a, NULL));
}

static void test_user_fun(void **state)
{
    struct fixture *f = *state;
    lift_expr known =
        user_call(f, "f32 hypot(f32 x, f32 y) { return sqrt(x * x + y * y); }");
    int calls = 0;

    refuses(f, user_call(f, "f32 g(f32 x, f32 y) { return x; }"),
            "a C function is not run here: 'f32 g(f32 x, f32 y) { return x; }'");
    f->env.user_fun = hypot_fun;
    f->env.user_fun_user = &calls;
    shows(f, LIFT_USER_FUN, known, "5");
    refuses(f, user_call(f, "f32 g(f32 x, f32 y) { return x; }"),
            "the C function 'g' cannot be called");
    assert_int_equal(calls, 2);
}

/* Last: every line of prims.def has had its meaning shown. */
static void test_all_covered(void **state)
{
    (void)state;
    for (int op = 0; op < LIFT_OP_COUNT; op++)
        if (!covered[op])
            fail_msg("no test shows the meaning of '%s'",
                     lift_prim_info((enum lift_op)op)->name);
}

/* A value is computed once, however often and from wherever it is read. */
static bool count_call(void *user, const char *text, lift_type result,
                       const struct lift_value *args, int count, struct lift_value *out)
{
    (void)text, (void)result, (void)count;
    (*(int *)user)++;
    *out = args[0];
    return true;
}

static void test_computed_once(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr x = lift_fresh(ir, "x", f->f32), w = lift_fresh(ir, "w", arr(f, f->f32, 3));
    struct lift_prim_args a = {
        .text = "f32 id(f32 x) { return x; }", .args = {x}, .arg_count = 1};
    lift_expr once = lift_map(
        ir, lift_fun(ir, lift_expr_prim(ir, LIFT_USER_FUN, &a, NULL), x), six(f));
    lift_expr sums =
        lift_map(ir, lift_fun(ir, lift_reduce(ir, minus(f), flt(f, 0), w), w),
                 lift_slide(ir, num(f, 3), num(f, 1),
                            lift_pad(ir, num(f, 2), num(f, 2), LIFT_PAD_WRAP, once)));
    int calls = 0;

    f->env.user_fun = count_call;
    f->env.user_fun_user = &calls;
    value_of(f, sums);
    assert_int_equal(calls, 6);
    value_of(f, lift_at(ir, 2, once));
    assert_int_equal(calls, 7);
}

static lift_expr with_size(struct fixture *f, enum lift_op op, lift_nat k)
{
    return lift_call_nat(f->ir, op, k, six(f));
}

static void test_size_errors(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_nat k = lift_nat_var(f->nats, "k", LIFT_VAR_TUNABLE, -8, 64);
    const char *name = "k";
    int64_t value = 4;
    struct lift_nat_env known = {&name, &value, 1};

    refuses(f, with_size(f, LIFT_SPLIT, k), "size 'k' has no value");
    f->sizes = known;
    refuses(f, with_size(f, LIFT_SPLIT, k),
            "'split' of '6' elements by '4', which does not divide");
    value = 0;
    refuses(f, with_size(f, LIFT_SPLIT, k),
            "'split' of '6' elements by '0', which does not divide");
    value = 7;
    refuses(f, with_size(f, LIFT_AT, k), "'at' reads element '7' of '6'");
    refuses(f, with_size(f, LIFT_TAKE, k), "'take' of '7' of '6' elements");
    refuses(f, with_size(f, LIFT_DROP, k), "'drop' of '7' of '6' elements");
    refuses(f, lift_slide(ir, k, num(f, 1), six(f)),
            "'slide' with a window of '7' over '6' elements");
    refuses(f, lift_pad(ir, num(f, 0), k, LIFT_PAD_WRAP, six(f)),
            "'pad' by '7' is more than the array's '6' elements");
    refuses(f, lift_pad(ir, k, num(f, 0), LIFT_PAD_MIRROR, six(f)),
            "'pad' by '7' is more than the array's '6' elements");
    refuses(f, prim(f, LIFT_SLIDE_SHIFT, k, num(f, 1), six(f), NULL),
            "'slideShift' with a window of '7' over '6' elements");
    refuses(f, lift_call_nat(ir, LIFT_JOIN_SHIFT, k, grid(f)),
            "'joinShift' of '2' rows of '3' into '7' elements");
    value = -1;
    refuses(f, with_size(f, LIFT_AT, k), "'at' reads element '-1' of '6'");
    refuses(f, with_size(f, LIFT_TAKE, k), "'take' with a negative number '-1'");
    refuses(f, lift_slide(ir, num(f, 2), k, six(f)),
            "'slide' with a negative number '-1'");
    refuses(f, lift_pad(ir, num(f, 1), k, LIFT_PAD_CLAMP, six(f)),
            "'pad' with a negative number '-1'");
    refuses(f, prim(f, LIFT_ARRAY, k, NULL, lift_fun_op(ir, LIFT_NEG, f->i32), NULL),
            "'array' of '-1' elements");
    refuses(f, prim(f, LIFT_ITERATE, k, NULL, square(f), flt(f, 1)),
            "'iterate' of '-1' steps");
    refuses(f,
            lift_pad(ir, num(f, 1), num(f, 0), LIFT_PAD_CLAMP,
                     lift_expr_free(ir, "none", arr(f, f->f32, 0))),
            "'pad' of an empty array has no border to repeat");
}

static void test_scalar_errors(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;

    refuses(f, lift_call2(ir, LIFT_DIV, integer(f, 7), integer(f, 0)),
            "'div' of '7' by zero");
    refuses(f, lift_call2(ir, LIFT_MOD, integer(f, 7), integer(f, 0)),
            "'mod' of '7' by zero");
    refuses(f, lift_call2(ir, LIFT_ADD, integer(f, 2147483647), integer(f, 1)),
            "'add' overflows i32 with '2147483648'");
    refuses(f, lift_call1(ir, LIFT_NEG, integer(f, INT32_MIN)),
            "'neg' overflows i32 with '2147483648'");
    refuses(f, lift_call1(ir, LIFT_TO_I32, flt(f, 3e9)), "'i32' overflows with '3e+09'");
    refuses(f, lift_call1(ir, LIFT_TO_I32, flt(f, NAN)), "'i32' overflows with 'nan'");
}

/* Errors show if and only if the result needs the element. */
static void test_lazy_errors(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr i = lift_fresh(ir, "i", f->i32);
    lift_expr shift = lift_fun(ir, lift_call2(ir, LIFT_ADD, i, integer(f, 1)), i);
    lift_expr bad = prim(f, LIFT_REORDER, NULL, NULL, shift, six(f));
    lift_expr inverse = lift_fun(ir, lift_call2(ir, LIFT_DIV, integer(f, 6), i), i);
    lift_expr safe =
        lift_call3(ir, LIFT_SELECT, lift_call2(ir, LIFT_EQ, i, integer(f, 0)),
                   integer(f, 0), lift_call2(ir, LIFT_DIV, integer(f, 6), i));

    refuses(f, bad, "'reorder' reads element '6' of '6'");
    gives(f, lift_call_nat(ir, LIFT_TAKE, num(f, 5), bad), "[2, 3, 4, 5, 6]");
    refuses(f, lift_array(ir, num(f, 4), inverse), "'div' of '6' by zero");
    gives(f, lift_call_nat(ir, LIFT_DROP, num(f, 1), lift_array(ir, num(f, 4), inverse)),
          "[6, 3, 2]");
    gives(f, lift_array(ir, num(f, 4), lift_fun(ir, safe, i)), "[0, 6, 3, 2]");
}

static void test_input_errors(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;

    bind_value(f, "i", lift_value_int(3));
    bind_value(f, "big", lift_value_int(INT64_C(1) << 40));
    refuses(f, lift_expr_free(ir, "nobody", f->f32), "variable 'nobody' has no value");
    refuses(f, lift_expr_free(ir, "x", arr(f, f->f32, 3)),
            "variable 'x' has '4' items where its type says '3'");
    refuses(f, lift_expr_free(ir, "x", arr(f, f->i32, 4)),
            "variable 'x' has a value of another kind where its type says 'i32'");
    refuses(f, lift_expr_free(ir, "i", arr(f, f->i32, 4)),
            "variable 'i' has a value that does not fit its type");
    refuses(f, lift_expr_free(ir, "big", f->i32),
            "'big' overflows i32 with '1099511627776'");
}

static void test_budgets(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr e = flt(f, 1);

    f->env.max_steps = 1000;
    refuses(f,
            prim(f, LIFT_ITERATE, num(f, INT64_C(1) << 60), NULL, square(f), flt(f, 1)),
            "evaluation takes more than '1000' steps");
    f->env.max_steps = 0;
    refuses(f,
            lift_array(ir, num(f, INT64_C(1) << 40), lift_fun_op(ir, LIFT_NEG, f->i32)),
            "array of '1099511627776' elements is too large to evaluate");
    gives(f,
          lift_at(ir, 5,
                  lift_array(ir, num(f, 1 << 20), lift_fun_op(ir, LIFT_NEG, f->i32))),
          "-5");
    for (int i = 0; i < 400; i++)
        e = lift_call2(ir, LIFT_ADD, e, flt(f, i));
    gives(f, e, "79801");
}

/* A very deep term is rejected and does not crash. */
static void test_depth(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr e = flt(f, 1), x = lift_expr_bound(ir, 0, f->f32), body = x;

    for (int i = 0; i < 200000; i++) {
        e = lift_call2(ir, LIFT_ADD, e, flt(f, 1));
        body = lift_call2(ir, LIFT_ADD, body, x);
    }
    refuses(f, e, "term is too deep to evaluate");
    refuses(f, lift_map(ir, lift_expr_lambda(ir, &f->f32, 1, NULL, body), vec4(f)),
            "term is too deep to evaluate");
}

/* With round_f32 every operation is one of single precision. */
static void test_round(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr p, e;

    bind_value(f, "p", lift_value_float(0.1));
    p = lift_expr_free(ir, "p", f->f32);
    e = lift_call2(ir, LIFT_MUL, lift_call2(ir, LIFT_ADD, p, flt(f, 0.25)), p);
    assert_true(value_of(f, e).u.number == (0.1 + 0.25) * 0.1);
    f->env.round_f32 = true;
    assert_true(value_of(f, e).u.number == (double)((0.1f + 0.25f) * 0.1f));
    e = lift_call1(ir, LIFT_TO_F64, p);
    e = lift_call2(ir, LIFT_MUL, e, e);
    assert_true(value_of(f, e).u.number == (double)0.1f * (double)0.1f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_functions),     TEST(test_structured_state),
        TEST(test_tuples),        TEST(test_views),
        TEST(test_inject),        TEST(test_slide),
        TEST(test_shift),         TEST(test_pad),
        TEST(test_pad_value),     TEST(test_low_level),
        TEST(test_layout),        TEST(test_vectors),
        TEST(test_floats),        TEST(test_nothing_of_nothing),
        TEST(test_integers),      TEST(test_conditions),
        TEST(test_logic),         TEST(test_conversions),
        TEST(test_user_fun),      TEST(test_all_covered),
        TEST(test_computed_once), TEST(test_size_errors),
        TEST(test_scalar_errors), TEST(test_lazy_errors),
        TEST(test_input_errors),  TEST(test_budgets),
        TEST(test_depth),         TEST(test_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
