#include "gen.h"
#include "base/bug.h"
#include "ir/expr.h"
#include <stdio.h>
#include <string.h>

enum { MAX_SCOPE = 200 };

static int below(struct gen *g, int n)
{
    return (int)lift_rng_below(g->rng, (uint64_t)n);
}

static lift_nat num(struct gen *g, int64_t n)
{
    return lift_nat_const(lift_ir_nats(g->ir), n);
}

void tgen_init(struct gen *g, struct lift_ir *ir, struct lift_rng *rng,
               const struct gen_options *options)
{
    *g = (struct gen){.ir = ir, .rng = rng, .options = *options};
    if (!g->options.budget)
        g->options.budget = 40;
}

/* Types. */

static lift_nat gen_length(struct gen *g)
{
    struct lift_nats *nats = lift_ir_nats(g->ir);
    lift_nat n, k;

    if (!g->options.symbolic || below(g, 2))
        return num(g, 1 + below(g, 6));
    n = lift_nat_var(nats, "n", LIFT_VAR_SIZE, 1, LIFT_NAT_MAX);
    k = lift_nat_var(nats, "k", LIFT_VAR_TUNABLE, 2, 64);
    switch (below(g, 6)) {
    case 0:
        return n;
    case 1:
        return k;
    case 2:
        return lift_nat_mul(n, k);
    case 3:
        return lift_nat_add_const(lift_nat_mod(n, k), 1);
    case 4:
        return lift_nat_ceil_div(n, k);
    default:
        return lift_nat_min(lift_nat_add_const(n, 1 + below(g, 5)), k);
    }
}

static lift_type gen_scalar(struct gen *g)
{
    static const enum lift_scalar scalars[] = {LIFT_F32, LIFT_F32,  LIFT_F32, LIFT_F64,
                                               LIFT_I32, LIFT_BOOL, LIFT_F16, LIFT_BF16};

    return lift_type_scalar(g->ir, scalars[below(g, 8)]);
}

lift_type tgen_type(struct gen *g, int depth)
{
    lift_type members[3];
    int kind = below(g, 9);

    if (depth > 0 && kind < 4)
        return lift_type_array(g->ir, tgen_type(g, depth - 1), gen_length(g));
    if (depth > 0 && kind == 4) {
        int count = 1 + below(g, 3);

        for (int i = 0; i < count; i++)
            members[i] = tgen_type(g, depth - 1);
        return lift_type_tuple(g->ir, members, count);
    }
    if (g->options.low_level && kind == 5)
        return lift_type_vector(g->ir, (enum lift_scalar)below(g, 3),
                                1 << (1 + below(g, 3)));
    return gen_scalar(g);
}

/* Leaves. */

static lift_expr gen(struct gen *g, lift_type t);

static lift_expr bound_of(struct gen *g, lift_type t)
{
    int start = g->depth ? below(g, g->depth) : 0;

    for (int i = 0; i < g->depth; i++) {
        int at = (start + i) % g->depth;

        if (g->scope[at] == t)
            return lift_expr_bound(g->ir, g->depth - 1 - at, t);
    }
    return NULL;
}

static lift_expr literal(struct gen *g, lift_type t)
{
    static const double floats[] = {0, -0.0, 1, 0.1, -2.5, 1e-30, 3.4e38, 123456789, 0.5};

    if (t->scalar == LIFT_BOOL)
        return lift_expr_bool(g->ir, below(g, 2));
    if (t->scalar == LIFT_I32)
        return lift_expr_int(g->ir, below(g, 20) ? below(g, 19) - 9 : INT32_MIN);
    if (below(g, 2))
        return lift_expr_float(g->ir, t->scalar, floats[below(g, 9)]);
    return lift_expr_float(g->ir, t->scalar, lift_rng_unit(g->rng) * 4 - 2);
}

/* One of two free variables of the type. */
static lift_expr free_of(struct gen *g, lift_type t)
{
    uint64_t key = lift_hash_combine(t->hash, t->hash).lo;
    char name[32];

    snprintf(name, sizeof name, "x%08x_%d", (unsigned)key, below(g, 2));
    return lift_expr_free(g->ir, name, t);
}

static lift_expr leaf(struct gen *g, lift_type t)
{
    lift_expr e = below(g, 4) ? bound_of(g, t) : NULL;

    if (e)
        return e;
    if (t->kind == LIFT_TYPE_SCALAR && below(g, 3))
        return literal(g, t);
    return free_of(g, t);
}

/* Functions: a body under parameters. */
static lift_expr function(struct gen *g, const lift_type *params, int count,
                          lift_type result)
{
    static const char *const hints[] = {"x", "acc", "row", "map", "n", "fun", "t", "x_1"};
    lift_type scope[MAX_SCOPE];
    const lift_type *outer = g->scope;
    const char *names[LIFT_MAX_PARAMS];
    lift_expr body;

    LIFT_ASSERT(g->depth + count <= MAX_SCOPE);
    if (g->depth)
        memcpy(scope, outer, sizeof *scope * (size_t)g->depth);
    for (int i = 0; i < count; i++) {
        scope[g->depth + i] = params[i];
        names[i] = hints[below(g, 8)];
    }
    g->scope = scope;
    g->depth += count;
    body = gen(g, result);
    g->depth -= count;
    g->scope = outer;
    return lift_expr_lambda(g->ir, params, count, names, body);
}

static lift_expr function1(struct gen *g, lift_type param, lift_type result)
{
    return function(g, &param, 1, result);
}

static lift_expr prim(struct gen *g, enum lift_op op, const struct lift_prim_args *args)
{
    struct lift_type_error error = {0};
    lift_expr e = lift_expr_prim(g->ir, op, args, &error);

    if (!e)
        LIFT_BUG("generated an ill-typed term: %s", error.text);
    return e;
}

static lift_expr prim1(struct gen *g, enum lift_op op, lift_expr a)
{
    struct lift_prim_args args = {.args = {a}, .arg_count = 1};

    return prim(g, op, &args);
}

static lift_expr prim2(struct gen *g, enum lift_op op, lift_expr a, lift_expr b)
{
    struct lift_prim_args args = {.args = {a, b}, .arg_count = 2};

    return prim(g, op, &args);
}

/* Terms of any type. Each of the makers below answers NULL where it does not fit. */
typedef lift_expr maker(struct gen *g, lift_type t);

static lift_type small_type(struct gen *g)
{
    return tgen_type(g, below(g, 3));
}

static lift_expr make_let(struct gen *g, lift_type t)
{
    lift_type v = small_type(g);
    lift_expr value = gen(g, v);

    return prim2(g, LIFT_LET, value, function1(g, v, t));
}

static lift_expr make_select(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {.arg_count = 3};

    args.args[0] = gen(g, lift_type_scalar(g->ir, LIFT_BOOL));
    args.args[1] = gen(g, t);
    args.args[2] = gen(g, t);
    return prim(g, LIFT_SELECT, &args);
}

static lift_expr make_get(struct gen *g, lift_type t)
{
    lift_type members[3];
    int count = 1 + below(g, 3), k = below(g, count);
    struct lift_prim_args args = {.arg_count = 1};

    args.attrs.get.k = k;
    for (int i = 0; i < count; i++)
        members[i] = i == k ? t : small_type(g);
    args.args[0] = gen(g, lift_type_tuple(g->ir, members, count));
    return prim(g, LIFT_GET, &args);
}

static lift_expr make_at(struct gen *g, lift_type t)
{
    int n = 1 + below(g, 5);
    struct lift_prim_args args = {.nats = {num(g, below(g, n))}, .arg_count = 1};

    args.args[0] = gen(g, lift_type_array(g->ir, t, num(g, n)));
    return prim(g, LIFT_AT, &args);
}

static lift_expr make_reduce(struct gen *g, lift_type t)
{
    static const enum lift_op ops[] = {LIFT_REDUCE, LIFT_REDUCE_SEQ, LIFT_REDUCE_UNROLL};
    lift_type elem = small_type(g);
    lift_type params[] = {t, elem};
    struct lift_prim_args args = {.arg_count = 3};

    args.args[1] = gen(g, t);
    args.args[2] = gen(g, lift_type_array(g->ir, elem, gen_length(g)));
    args.args[0] = function(g, params, 2, t);
    return prim(g, ops[g->options.low_level ? below(g, 3) : 0], &args);
}

static lift_expr make_iterate(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {.nats = {num(g, below(g, 4))}, .arg_count = 2};

    args.args[0] = function1(g, t, t);
    args.args[1] = gen(g, t);
    return prim(g, LIFT_ITERATE, &args);
}

static lift_expr make_placed(struct gen *g, lift_type t)
{
    static const enum lift_op ops[] = {LIFT_TO_GLOBAL,  LIFT_TO_LOCAL, LIFT_TO_PRIVATE,
                                       LIFT_ALIGN_ROWS, LIFT_APART,    LIFT_IN_PLACE};
    struct lift_prim_args args = {.arg_count = 1};
    enum lift_op op = ops[below(g, 6)];

    if (!g->options.low_level)
        return NULL;
    if (op == LIFT_ALIGN_ROWS || op == LIFT_APART) {
        args.nats[0] = num(g, 1 + below(g, 32));
        args.nats[1] = num(g, below(g, 3));
    }
    args.args[0] = gen(g, t);
    if (op == LIFT_IN_PLACE)
        args.args[args.arg_count++] = gen(g, t);
    return prim(g, op, &args);
}

/* Terms of arrays. */

static lift_expr make_map(struct gen *g, lift_type t)
{
    static const enum lift_op ops[] = {
        LIFT_MAP,     LIFT_MAP_SEQ, LIFT_MAP_UNROLL, LIFT_MAP_PAR,  LIFT_MAP_SIMD,
        LIFT_MAP_GLB, LIFT_MAP_WRG, LIFT_MAP_LCL,    LIFT_MAP_TASK, LIFT_MAP_VEC};
    enum lift_op op = ops[g->options.low_level ? below(g, 10) : 0];
    lift_type elem = small_type(g);
    struct lift_prim_args args = {.arg_count = 2};

    if (lift_prim_info(op)->attr_count)
        args.attrs.at[0] = below(g, op == LIFT_MAP_VEC ? 2 : 3);
    if (lift_prim_info(op)->nat_count)
        args.nats[0] = num(g, 1 << below(g, 5));
    args.args[0] = function1(g, elem, t->elem);
    args.args[1] = gen(g, lift_type_array(g->ir, elem, t->len));
    if (op == LIFT_MAP_VEC) {
        struct lift_prim_args ahead = {.nats = {num(g, below(g, 3))}, .arg_count = 1};

        args.attrs.at[1] = below(g, 2);
        ahead.args[0] = args.args[1];
        args.args[1] = below(g, 2) ? prim(g, LIFT_PREFETCH, &ahead) : ahead.args[0];
    }
    return prim(g, op, &args);
}

static lift_expr make_zip(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {0};

    if (t->elem->kind != LIFT_TYPE_TUPLE)
        return NULL;
    args.arg_count = t->elem->count;
    for (int i = 0; i < args.arg_count; i++)
        args.args[i] = gen(g, lift_type_array(g->ir, t->elem->parts[i], t->len));
    return prim(g, LIFT_ZIP, &args);
}

/* Splits, windows and vectors: arrays of arrays and of vectors from flat ones. */
static lift_expr make_split(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {.arg_count = 1};

    if (t->elem->kind != LIFT_TYPE_ARRAY || lift_nat_lo(t->elem->len) < 1)
        return NULL;
    args.nats[0] = t->elem->len;
    args.args[0] =
        gen(g, lift_type_array(g->ir, t->elem->elem, lift_nat_mul(t->len, t->elem->len)));
    return lift_expr_prim(g->ir, LIFT_SPLIT, &args, NULL);
}

static lift_expr make_slide(struct gen *g, lift_type t)
{
    int64_t step = 1 + below(g, 3);
    struct lift_prim_args args = {.nats = {NULL, num(g, step)}, .arg_count = 1};
    lift_nat len;

    if (t->elem->kind != LIFT_TYPE_ARRAY || lift_nat_lo(t->elem->len) < 1 ||
        lift_nat_lo(t->len) < 1)
        return NULL;
    args.nats[0] = t->elem->len;
    len = lift_nat_add(lift_nat_mul_const(lift_nat_add_const(t->len, -1), step),
                       t->elem->len);
    args.args[0] = gen(g, lift_type_array(g->ir, t->elem->elem,
                                          lift_nat_add_const(len, below(g, (int)step))));
    return prim(g, LIFT_SLIDE, &args);
}

static lift_expr make_slide_shift(struct gen *g, lift_type t)
{
    int64_t step = 1 + below(g, 3);
    struct lift_prim_args args = {.nats = {NULL, num(g, step)}, .arg_count = 1};
    lift_nat len;

    if (!g->options.low_level || t->elem->kind != LIFT_TYPE_ARRAY ||
        lift_nat_lo(t->elem->len) < 1 || lift_nat_lo(t->len) < 2)
        return NULL;
    args.nats[0] = t->elem->len;
    len = lift_nat_add(lift_nat_mul_const(lift_nat_add_const(t->len, -1), step),
                       t->elem->len);
    len = lift_nat_add_const(len, -below(g, (int)step));
    args.args[0] = gen(g, lift_type_array(g->ir, t->elem->elem, len));
    return prim(g, LIFT_SLIDE_SHIFT, &args);
}

/* Rows that agree where they overlap. */
static lift_expr make_join_shift(struct gen *g, lift_type t)
{
    struct lift_prim_args rows = {.arg_count = 1}, args = {.arg_count = 1};
    int64_t n;

    if (!g->options.low_level || !lift_nat_is_const(t->len, &n) || n < 1)
        return NULL;
    rows.nats[0] = rows.nats[1] = num(g, 1 + below(g, n < 4 ? (int)n : 4));
    rows.args[0] = gen(g, t);
    args.nats[0] = t->len;
    args.args[0] = prim(g, LIFT_SLIDE_SHIFT, &rows);
    return args.args[0] ? prim(g, LIFT_JOIN_SHIFT, &args) : NULL;
}

static lift_expr make_map_seq_slide(struct gen *g, lift_type t)
{
    int64_t size = 1 + below(g, 4), step = 1 + below(g, 3);
    struct lift_prim_args args = {.nats = {num(g, size), num(g, step)},
                                  .attrs = {{[0] = below(g, 2)}}, /* window */
                                  .arg_count = 2};
    lift_type elem = small_type(g);
    lift_nat len;

    if (!g->options.low_level || lift_nat_lo(t->len) < 1)
        return NULL;
    len = lift_nat_add_const(lift_nat_mul_const(t->len, step), size - step);
    args.args[0] = function1(g, lift_type_array(g->ir, elem, num(g, size)), t->elem);
    args.args[1] = gen(g, lift_type_array(g->ir, elem, len));
    return prim(g, LIFT_MAP_SEQ_SLIDE, &args);
}

static lift_expr make_as_vector(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {.arg_count = 1};
    lift_type scalar;

    if (t->elem->kind != LIFT_TYPE_VECTOR)
        return NULL;
    scalar = lift_type_scalar(g->ir, t->elem->scalar);
    args.nats[0] = num(g, t->elem->count);
    args.args[0] = gen(
        g, lift_type_array(g->ir, scalar, lift_nat_mul_const(t->len, t->elem->count)));
    return prim(g, LIFT_AS_VECTOR, &args);
}

/* Flat arrays of known length from arrays of arrays and of vectors. */
static lift_expr make_join(struct gen *g, lift_type t)
{
    int64_t n;
    int inner = 1 + below(g, 4);
    lift_type row;

    if (!lift_nat_is_const(t->len, &n) || n % inner)
        return NULL;
    if (g->options.low_level && t->elem->kind == LIFT_TYPE_SCALAR && inner > 1 &&
        t->elem->scalar != LIFT_BOOL)
        row = lift_type_vector(g->ir, t->elem->scalar, inner);
    else
        row = lift_type_array(g->ir, t->elem, num(g, inner));
    return prim1(g, row->kind == LIFT_TYPE_VECTOR ? LIFT_AS_SCALAR : LIFT_JOIN,
                 gen(g, lift_type_array(g->ir, row, num(g, n / inner))));
}

static lift_expr make_transpose(struct gen *g, lift_type t)
{
    if (t->elem->kind != LIFT_TYPE_ARRAY)
        return NULL;
    return prim1(
        g, LIFT_TRANSPOSE,
        gen(g, lift_type_array(g->ir, lift_type_array(g->ir, t->elem->elem, t->len),
                               t->elem->len)));
}

static lift_expr make_take(struct gen *g, lift_type t)
{
    bool take = below(g, 2);
    int64_t rest = below(g, 3);
    struct lift_prim_args args = {.nats = {take ? t->len : num(g, rest)}, .arg_count = 1};

    args.args[0] =
        gen(g, lift_type_array(g->ir, t->elem, lift_nat_add_const(t->len, rest)));
    return prim(g, take ? LIFT_TAKE : LIFT_DROP, &args);
}

static lift_expr make_pad(struct gen *g, lift_type t)
{
    int l = below(g, 2), r = below(g, 2);
    struct lift_prim_args args = {.nats = {num(g, l), num(g, r)}};
    lift_nat len = lift_nat_add_const(t->len, -l - r);
    lift_type i32 = lift_type_scalar(g->ir, LIFT_I32), xs;
    lift_type params[] = {i32, i32};

    if (lift_nat_lo(len) < 1)
        return NULL;
    xs = lift_type_array(g->ir, t->elem, len);
    if (below(g, 2)) {
        args.attrs.at[0] = below(g, 3);
        args.args[0] = gen(g, xs);
        args.arg_count = 1;
        return prim(g, LIFT_PAD, &args);
    }
    args.arg_count = 2;
    if (g->options.low_level && below(g, 2)) {
        args.args[0] = gen(g, t->elem);
        args.args[1] = gen(g, xs);
        return prim(g, LIFT_PAD_STORED, &args);
    }
    args.args[0] = function(g, params, 2, t->elem);
    args.args[1] = gen(g, xs);
    return prim(g, LIFT_PAD_VALUE, &args);
}

/* A box of one dimension, or of two. */
static lift_expr make_inset_box(struct gen *g, lift_type t)
{
    bool two = t->elem->kind == LIFT_TYPE_ARRAY && below(g, 2);
    struct lift_prim_args args = {.arg_count = 2};
    lift_type box = two ? t->elem->elem : t->elem;

    args.attrs.box.dims = 1 + two;
    for (int k = two; k >= 0; k--) {
        lift_nat len = lift_nat_add_const(k ? t->elem->len : t->len, -below(g, 2));

        if (lift_nat_lo(len) < 0)
            return NULL;
        box = lift_type_array(g->ir, box, len);
    }
    for (int k = 0; k < LIFT_MAX_NATS; k++)
        args.nats[k] = num(g, 0);
    args.args[0] = gen(g, t);
    args.args[1] = gen(g, box);
    return prim(g, LIFT_INSET_BOX, &args);
}

static lift_expr make_inset(struct gen *g, lift_type t)
{
    int l = below(g, 2), r = below(g, 2);
    struct lift_prim_args args = {.nats = {num(g, l), num(g, r)}, .arg_count = 2};
    lift_nat len = lift_nat_add_const(t->len, -l - r);

    if (g->options.low_level && below(g, 2))
        return make_inset_box(g, t);
    if (lift_nat_lo(len) < 0)
        return NULL;
    args.args[0] = gen(g, t);
    args.args[1] = gen(g, lift_type_array(g->ir, t->elem, len));
    return prim(g, LIFT_INSET, &args);
}

static lift_expr make_concat(struct gen *g, lift_type t)
{
    int64_t n;
    int first;

    if (!lift_nat_is_const(t->len, &n) || n < 1)
        return NULL;
    first = below(g, (int)n + 1);
    return prim2(g, LIFT_CONCAT, gen(g, lift_type_array(g->ir, t->elem, num(g, first))),
                 gen(g, lift_type_array(g->ir, t->elem, num(g, n - first))));
}

/* reorder(fun(i => n - 1 - i), x): the length as a value. */
static lift_expr make_reorder(struct gen *g, lift_type t)
{
    static const char *const name[] = {"i"};
    lift_type i32 = lift_type_scalar(g->ir, LIFT_I32);
    struct lift_prim_args nat = {.nats = {lift_nat_add_const(t->len, -1)}};
    lift_expr i = lift_expr_bound(g->ir, 0, i32);
    lift_expr body = below(g, 2) ? i : prim2(g, LIFT_SUB, prim(g, LIFT_NAT, &nat), i);

    return prim2(g, LIFT_REORDER, lift_expr_lambda(g->ir, &i32, 1, name, body),
                 gen(g, t));
}

static lift_expr make_inject(struct gen *g, lift_type t)
{
    lift_type s = lift_type_base(t), i32 = lift_type_scalar(g->ir, LIFT_I32);
    lift_nat d = num(g, lift_type_rank(t)), n = num(g, below(g, 3));
    lift_type row = lift_type_array(g->ir, s, num(g, 1 + below(g, 2)));

    if (!lift_type_is_float(s) || lift_type_rank(t) > LIFT_MAX_DIMS)
        return NULL;
    i32 = lift_type_array(g->ir, lift_type_array(g->ir, i32, d), n);
    row = lift_type_array(g->ir, lift_type_array(g->ir, row, d), n);
    return lift_call3(g->ir, LIFT_INJECT, gen(g, t),
                      prim2(g, LIFT_TUPLE, gen(g, i32), gen(g, row)),
                      gen(g, lift_type_array(g->ir, s, n)));
}

static lift_expr make_array(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {.nats = {t->len}, .arg_count = 1};

    args.args[0] = function1(g, lift_type_scalar(g->ir, LIFT_I32), t->elem);
    return prim(g, LIFT_ARRAY, &args);
}

/* Terms of tuples. */

static lift_expr make_tuple(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {.arg_count = t->count};

    for (int i = 0; i < t->count; i++)
        args.args[i] = gen(g, t->parts[i]);
    return prim(g, LIFT_TUPLE, &args);
}

static lift_expr make_unzip(struct gen *g, lift_type t)
{
    lift_type elems[3];

    for (int i = 0; i < t->count; i++) {
        if (t->parts[i]->kind != LIFT_TYPE_ARRAY || t->parts[i]->len != t->parts[0]->len)
            return NULL;
        elems[i] = t->parts[i]->elem;
    }
    return prim1(g, LIFT_UNZIP,
                 gen(g, lift_type_array(g->ir, lift_type_tuple(g->ir, elems, t->count),
                                        t->parts[0]->len)));
}

/* Terms of numbers. */

static lift_expr make_arithmetic(struct gen *g, lift_type t)
{
    static const enum lift_op any[] = {LIFT_ADD, LIFT_SUB, LIFT_MUL, LIFT_ADD,
                                       LIFT_MIN, LIFT_MAX, LIFT_NEG, LIFT_ABS};
    static const enum lift_op floats[] = {LIFT_DIV, LIFT_SQRT, LIFT_EXP,   LIFT_LOG,
                                          LIFT_SIN, LIFT_COS,  LIFT_FLOOR, LIFT_POW};
    enum lift_op op = any[below(g, 8)];

    if (t->scalar == LIFT_BOOL || lift_scalar_is_storage(t->scalar))
        return NULL;
    if (lift_type_is_float(t) && !below(g, 3))
        op = floats[below(g, 8)];
    if (lift_prim_info(op)->expr_count == 1)
        return prim1(g, op, gen(g, t));
    return prim2(g, op, gen(g, t), gen(g, t));
}

/* Division of integers by a literal, which is not 0. */
static lift_expr make_division(struct gen *g, lift_type t)
{
    if (!lift_type_is_scalar(t, LIFT_I32))
        return NULL;
    return prim2(g, below(g, 2) ? LIFT_DIV : LIFT_MOD, gen(g, t),
                 lift_expr_int(g->ir, 1 + below(g, 7)));
}

static lift_expr make_condition(struct gen *g, lift_type t)
{
    static const enum lift_op compare[] = {LIFT_LT, LIFT_LE, LIFT_EQ, LIFT_NE};
    lift_type operand = lift_type_scalar(g->ir, (enum lift_scalar)below(g, 3));

    if (!lift_type_is_scalar(t, LIFT_BOOL))
        return NULL;
    switch (below(g, 6)) {
    case 0:
        return prim1(g, LIFT_NOT, gen(g, t));
    case 1:
        return prim2(g, LIFT_AND, gen(g, t), gen(g, t));
    case 2:
        return prim2(g, LIFT_OR, gen(g, t), gen(g, t));
    default:
        return prim2(g, compare[below(g, 4)], gen(g, operand), gen(g, operand));
    }
}

static lift_expr make_conversion(struct gen *g, lift_type t)
{
    static const enum lift_op ops[] = {
        [LIFT_F32] = LIFT_TO_F32, [LIFT_F64] = LIFT_TO_F64,   [LIFT_I32] = LIFT_TO_I32,
        [LIFT_F16] = LIFT_TO_F16, [LIFT_BF16] = LIFT_TO_BF16,
    };
    lift_type from = lift_type_scalar(g->ir, (enum lift_scalar)below(g, 3));

    /* floats to i32 may overflow */
    if (t->kind != LIFT_TYPE_SCALAR || t->scalar == LIFT_BOOL ||
        (t->scalar == LIFT_I32 && from->scalar != LIFT_I32))
        return NULL;
    if (lift_scalar_is_storage(t->scalar))
        from = lift_type_scalar(g->ir, LIFT_F32);
    else if (t->scalar == LIFT_F32 && below(g, 3) == 0)
        from = lift_type_scalar(g->ir, below(g, 2) ? LIFT_F16 : LIFT_BF16);
    return prim1(g, ops[t->scalar], gen(g, from));
}

static lift_expr make_nat(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {.nats = {gen_length(g)}};

    return lift_type_is_scalar(t, LIFT_I32) ? prim(g, LIFT_NAT, &args) : NULL;
}

static lift_expr make_splat(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {.arg_count = 1};

    if (t->kind != LIFT_TYPE_VECTOR)
        return NULL;
    args.nats[0] = num(g, t->count);
    args.args[0] = gen(g, lift_type_scalar(g->ir, t->scalar));
    return prim(g, LIFT_SPLAT, &args);
}

static lift_expr make_user_fun(struct gen *g, lift_type t)
{
    struct lift_prim_args args = {
        .text = "f32 mix(f32 a, i32 n) { return n > 0 ? a : \"\\n\"[0]; }",
        .arg_count = 2};

    if (!g->options.user_funs || !lift_type_is_scalar(t, LIFT_F32))
        return NULL;
    args.args[0] = gen(g, t);
    args.args[1] = gen(g, lift_type_scalar(g->ir, LIFT_I32));
    return prim(g, LIFT_USER_FUN, &args);
}

static maker *const any_makers[] = {make_let,    make_select,  make_get,   make_at,
                                    make_reduce, make_iterate, make_placed};
static maker *const array_makers[] = {
    make_map,   make_map,         make_map,        make_zip,           make_split,
    make_slide, make_slide_shift, make_join_shift, make_map_seq_slide, make_as_vector,
    make_join,  make_transpose,   make_take,       make_pad,           make_pad,
    make_inset, make_concat,      make_reorder,    make_array,         make_inject,
};
static maker *const tuple_makers[] = {make_tuple, make_tuple, make_unzip};
static maker *const value_makers[] = {
    make_arithmetic, make_arithmetic, make_arithmetic, make_arithmetic, make_division,
    make_condition,  make_conversion, make_nat,        make_splat,      make_user_fun,
};

#define PICK(g, makers) makers[below(g, (int)(sizeof makers / sizeof *makers))]

static maker *pick(struct gen *g, lift_type t)
{
    if (!below(g, 5))
        return PICK(g, any_makers);
    if (t->kind == LIFT_TYPE_ARRAY)
        return PICK(g, array_makers);
    return t->kind == LIFT_TYPE_TUPLE ? PICK(g, tuple_makers) : PICK(g, value_makers);
}

static lift_expr gen(struct gen *g, lift_type t)
{
    if (g->budget-- <= 0 || g->depth + 2 > MAX_SCOPE)
        return leaf(g, t);
    for (int tries = 0; tries < 4; tries++) {
        lift_expr e = below(g, 6) ? pick(g, t)(g, t) : leaf(g, t);

        if (e)
            return e;
    }
    return leaf(g, t);
}

lift_expr tgen_term_of(struct gen *g, lift_type type)
{
    g->budget = 1 + below(g, g->options.budget);
    return gen(g, type);
}

lift_expr tgen_term(struct gen *g)
{
    return tgen_term_of(g, tgen_type(g, 3));
}
