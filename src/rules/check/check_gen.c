#include "rules/check/check_gen.h"
#include "base/bug.h"
#include "rules/nd.h"
#include <string.h>

int gen_below(struct check_gen *g, int n)
{
    return (int)lift_rng_below(g->rng, (uint64_t)n);
}

int gen_between(struct check_gen *g, int lo, int hi)
{
    return (int)lift_rng_range(g->rng, lo, hi < lo ? lo : hi);
}

bool gen_chance(struct check_gen *g, int percent)
{
    return gen_below(g, 100) < percent;
}

int gen_next_size(struct check_gen *g, int lo)
{
    enum { SIZES = 6 };
    int size = lo + (int)(g->code % SIZES);

    if (g->code < 0)
        return -1;
    g->code /= SIZES;
    return size;
}

lift_nat gen_nat(struct check_gen *g, int64_t value)
{
    return lift_nat_const(lift_ir_nats(g->ir), value);
}

lift_nat gen_size(struct check_gen *g, int64_t value)
{
    static const char *const names[GEN_MAX_SIZES] = {"n", "m"};
    int k = g->size_count++;

    LIFT_ASSERT(k < GEN_MAX_SIZES);
    g->size_values[k] = value;
    return g->sizes[k] = lift_nat_var(lift_ir_nats(g->ir), names[k], LIFT_VAR_SIZE, 1,
                                      LIFT_NAT_MAX);
}

lift_type gen_f32(struct check_gen *g)
{
    return lift_type_scalar(g->ir, LIFT_F32);
}

int64_t gen_len(lift_type t)
{
    int64_t n = 1;

    if (t->kind == LIFT_TYPE_ARRAY)
        lift_nat_is_const(t->len, &n);
    return n;
}

/* Draws a length that usually has divisors. */
static int64_t draw_len(struct check_gen *g, int max)
{
    int a = gen_between(g, 1, max), b;

    if (gen_chance(g, 40) || max < 4)
        return a;
    a = gen_between(g, 2, 4);
    b = gen_between(g, 1, max / a);
    return (int64_t)a * b;
}

/* Draws a length. If lengths may be large, some draws return a length next to a number of
 * the rule. */
static int64_t marked_len(struct check_gen *g, int max)
{
    enum { LARGE = 12 };
    int64_t len =
        max >= LARGE && gen_chance(g, 15) ? check_marks_length(g->marks, g->rng) : 0;

    return len > 0 ? len : draw_len(g, max);
}

void gen_init(struct check_gen *g, struct lift_ir *ir, struct lift_rng *rng,
              const struct check_marks *marks, int max_len, int fuel)
{
    *g = (struct check_gen){.ir = ir,
                            .rng = rng,
                            .marks = marks,
                            .max_len = max_len,
                            .fuel = fuel,
                            .code = -1};
    g->lens[0] = marked_len(g, max_len);
    g->lens[1] = draw_len(g, max_len < 6 ? max_len : 6);
    g->lens[2] = draw_len(g, max_len < 4 ? max_len : 4);
}

lift_expr gen_input(struct check_gen *g, lift_type type)
{
    char name[16] = "x0";
    int n = g->input_count;

    if (n == GEN_MAX_INPUTS)
        return NULL;
    name[1] = (char)('a' + n);
    g->inputs[g->input_count++] = lift_expr_free(g->ir, name, type);
    return g->inputs[n];
}

/* ---- types */

lift_type gen_array(struct check_gen *g, lift_type elem, const int64_t *len, int rank)
{
    for (int i = rank - 1; i >= 0; i--)
        elem = lift_type_array(g->ir, elem, gen_nat(g, len[i]));
    return elem;
}

static lift_type gen_element(struct check_gen *g)
{
    lift_type f32 = gen_f32(g);
    int draw = gen_below(g, 100);
    lift_type pair[2] = {f32, f32};

    if (draw < 58)
        return f32;
    if (draw < 64)
        return lift_type_scalar(g->ir, draw < 61 ? LIFT_F16 : LIFT_BF16);
    if (draw < 72)
        return lift_type_scalar(g->ir, LIFT_F64);
    if (draw < 80)
        return lift_type_scalar(g->ir, LIFT_I32);
    if (draw >= 92)
        pair[1] = lift_type_array(g->ir, f32, gen_nat(g, 2));
    return lift_type_tuple(g->ir, pair, 2);
}

lift_type gen_type(struct check_gen *g, int rank)
{
    int64_t len[LIFT_MAX_DIMS + 2];

    for (int i = 0; i < rank; i++) {
        len[i] = g->lens[i < 2 ? i : 2];
        if (gen_chance(g, 25))
            len[i] = i == 0 ? draw_len(g, g->max_len) : gen_between(g, 1, 4);
    }
    for (int i = 0; i < rank && rank > 2; i++) /* keep the array small */
        if (len[i] > 12 - 2 * rank)
            len[i] = gen_between(g, 1, 12 - 2 * rank);
    return gen_array(g, gen_element(g), len, rank);
}

/* ---- values */

static lift_expr constant(struct check_gen *g)
{
    return lift_expr_float(g->ir, LIFT_F32, gen_between(g, -8, 8) / 4.0);
}

static lift_expr reach(struct check_gen *g, lift_expr e);

/* Builds a reduction by acc * 0.5 + x, which depends on the order. */
static lift_expr fold(struct check_gen *g, lift_expr xs)
{
    lift_expr acc = lift_fresh(g->ir, "acc", gen_f32(g));
    lift_expr x = lift_fresh(g->ir, "x", xs->type->elem);
    lift_expr half = lift_expr_float(g->ir, LIFT_F32, 0.5);
    lift_expr body =
        lift_call2(g->ir, LIFT_ADD, lift_call2(g->ir, LIFT_MUL, acc, half), reach(g, x));

    return lift_reduce(g->ir, lift_fun2(g->ir, body, acc, x), constant(g), xs);
}

/* Returns an f32 that depends on 'e'. */
static lift_expr reach(struct check_gen *g, lift_expr e)
{
    lift_type t = e->type;

    switch (t->kind) {
    case LIFT_TYPE_ARRAY:
        if (gen_len(t) > 0 && gen_chance(g, 40))
            return reach(g, lift_at(g->ir, gen_below(g, (int)gen_len(t)), e));
        return fold(g, e);
    case LIFT_TYPE_TUPLE:
        return reach(g, lift_get(g->ir, gen_below(g, t->count), e));
    default:
        if (lift_type_is_scalar(t, LIFT_BOOL))
            return lift_call3(g->ir, LIFT_SELECT, e, constant(g), constant(g));
        if (lift_type_is_scalar(t, LIFT_F32))
            return e;
        return lift_call1(g->ir, LIFT_TO_F32, e);
    }
}

static lift_expr number(struct check_gen *g, const struct gen_scope *scope, int fuel)
{
    static const enum lift_op ops[] = {LIFT_ADD, LIFT_SUB, LIFT_MUL, LIFT_MIN, LIFT_SUB};
    lift_expr a, b;

    if (fuel <= 0 || gen_chance(g, 25))
        return scope->count && gen_chance(g, 80)
                   ? reach(g, scope->vars[gen_below(g, scope->count)])
                   : constant(g);
    a = number(g, scope, fuel - 1);
    b = number(g, scope, fuel - 1);
    if (gen_chance(g, 10))
        return lift_call3(g->ir, LIFT_SELECT, lift_call2(g->ir, LIFT_LT, a, b),
                          number(g, scope, fuel - 2), a);
    return lift_call2(g->ir, ops[gen_below(g, 5)], a, b);
}

static lift_expr value(struct check_gen *g, lift_type type, const struct gen_scope *scope,
                       int fuel);

/* Builds array(n, fun(i => ...)). */
static lift_expr generated(struct check_gen *g, lift_type type,
                           const struct gen_scope *scope, int fuel)
{
    lift_expr i = lift_fresh(g->ir, "i", lift_type_scalar(g->ir, LIFT_I32));
    struct gen_scope inner = *scope;
    lift_expr body;

    if (inner.count < GEN_MAX_SCOPE)
        inner.vars[inner.count++] = i;
    body = value(g, type->elem, &inner, fuel);
    if (lift_type_is_scalar(type->elem, LIFT_F32))
        body = lift_call2(g->ir, LIFT_ADD, body, lift_call1(g->ir, LIFT_TO_F32, i));
    return lift_array(g->ir, type->len, lift_fun(g->ir, body, i));
}

static lift_expr value(struct check_gen *g, lift_type type, const struct gen_scope *scope,
                       int fuel)
{
    lift_expr members[LIFT_MAX_ARGS];

    for (int i = 0; i < scope->count; i++)
        if (scope->vars[i]->type == type && gen_chance(g, 35))
            return scope->vars[i];
    switch (type->kind) {
    case LIFT_TYPE_ARRAY:
        return generated(g, type, scope, fuel - 1);
    case LIFT_TYPE_TUPLE:
        for (int i = 0; i < type->count; i++)
            members[i] = value(g, type->parts[i], scope, fuel - 1);
        return lift_call(g->ir, LIFT_TUPLE, members, type->count);
    default:
        if (lift_type_is_scalar(type, LIFT_I32))
            return lift_expr_int(g->ir, gen_between(g, -3, 3));
        if (lift_type_is_scalar(type, LIFT_BOOL))
            return lift_call2(g->ir, LIFT_LT, number(g, scope, fuel),
                              number(g, scope, fuel));
        if (lift_type_is_scalar(type, LIFT_F64))
            return lift_call1(g->ir, LIFT_TO_F64, number(g, scope, fuel));
        if (lift_scalar_is_storage(type->scalar))
            return lift_call1(g->ir,
                              type->scalar == LIFT_F16 ? LIFT_TO_F16 : LIFT_TO_BF16,
                              number(g, scope, fuel));
        return number(g, scope, fuel);
    }
}

/* ---- functions */

static lift_type result_type(struct check_gen *g, lift_type param)
{
    lift_type f32 = gen_f32(g), parts[2] = {f32, param};
    int64_t len[2] = {gen_between(g, 1, 3), gen_between(g, 1, 3)};
    int draw = gen_below(g, 100);

    if (draw < 40)
        return f32;
    if (draw < 60)
        return param;
    if (draw < 80)
        return gen_array(g, f32, len, 1);
    if (draw < 90)
        return gen_array(g, f32, len, 2);
    return lift_type_tuple(g->ir, parts, 2);
}

/* Returns a view of an array parameter, as functions of stencils often use; NULL if 'x'
 * is no array or the view does not fit. */
static lift_expr view_of(struct check_gen *g, lift_expr x)
{
    lift_type t = x->type;

    if (t->kind != LIFT_TYPE_ARRAY)
        return NULL;
    switch (gen_below(g, 5)) {
    case 0:
        return lift_slide(g->ir, gen_nat(g, gen_between(g, 1, (int)gen_len(t))),
                          gen_nat(g, 1), x);
    case 1:
        return lift_pad(g->ir, gen_nat(g, gen_below(g, 2)), gen_nat(g, 1), LIFT_PAD_CLAMP,
                        x);
    case 2:
        return t->elem->kind == LIFT_TYPE_ARRAY ? lift_call1(g->ir, LIFT_TRANSPOSE, x)
                                                : NULL;
    case 3:
        return t->elem->kind == LIFT_TYPE_ARRAY ? lift_call1(g->ir, LIFT_JOIN, x) : NULL;
    default:
        return lift_call_nat(g->ir, LIFT_TAKE,
                             gen_nat(g, gen_between(g, 1, (int)gen_len(t))), x);
    }
}

/* Extends an f32 body to use every parameter. */
static lift_expr use_all(struct check_gen *g, lift_expr body, const lift_expr *params,
                         int count)
{
    for (int i = 0; i < count; i++) {
        lift_expr part = lift_call2(g->ir, LIFT_MUL, reach(g, params[i]),
                                    lift_expr_float(g->ir, LIFT_F32, i + 1.5));

        body = lift_call2(g->ir, LIFT_ADD, body, part);
    }
    return body;
}

static struct gen_scope scope_of(struct check_gen *g, const lift_expr *params, int count)
{
    struct gen_scope scope = {.count = count};

    memcpy(scope.vars, params, (size_t)count * sizeof *params);
    for (int i = 0; i < g->input_count && scope.count < GEN_MAX_SCOPE; i++)
        if (gen_chance(g, 15) && lift_type_rank(g->inputs[i]->type) < 2)
            scope.vars[scope.count++] = g->inputs[i];
    return scope;
}

lift_expr gen_function(struct check_gen *g, const lift_type *params, int count,
                       lift_type result)
{
    lift_expr vars[LIFT_MAX_PARAMS], body = NULL;
    struct gen_scope scope;

    if (gen_chance(g, 10) && g->input_count < GEN_MAX_INPUTS)
        gen_input(g, gen_f32(g));
    for (int i = 0; i < count; i++)
        vars[i] = lift_fresh(g->ir, "p", params[i]);
    scope = scope_of(g, vars, count);
    if (!result && gen_chance(g, 20))
        body = view_of(g, vars[0]);
    lift_ir_clear_error(g->ir);
    if (!body) {
        result = result ? result : result_type(g, params[0]);
        body = value(g, result, &scope, g->fuel);
    }
    if (body && lift_type_is_scalar(body->type, LIFT_F32))
        body = use_all(g, body, vars, count);
    return body ? lift_expr_abstract(g->ir, vars, count, body) : NULL;
}

lift_expr gen_index_function(struct check_gen *g, int64_t len)
{
    lift_expr i = lift_fresh(g->ir, "i", lift_type_scalar(g->ir, LIFT_I32));
    lift_expr n = lift_expr_int(g->ir, len), s;
    lift_expr body = i;
    int stride = gen_between(g, 1, 4);

    switch (gen_below(g, 4)) {
    case 0: /* reverse */
        body = lift_call2(g->ir, LIFT_SUB, lift_expr_int(g->ir, len - 1), i);
        break;
    case 1: /* rotate */
        body = lift_call2(g->ir, LIFT_ADD, i, lift_expr_int(g->ir, gen_below(g, 5)));
        body = lift_call2(g->ir, LIFT_MOD, body, n);
        break;
    case 2: /* read each element of the smaller half twice */
        body = lift_call2(g->ir, LIFT_DIV, i, lift_expr_int(g->ir, 2));
        break;
    default: /* map i to i / (n/s) + s * (i % (n/s)) */
        if (len % stride)
            break;
        s = lift_expr_int(g->ir, len / stride);
        body = lift_call2(g->ir, LIFT_MUL, lift_call2(g->ir, LIFT_MOD, i, s),
                          lift_expr_int(g->ir, stride));
        body = lift_call2(g->ir, LIFT_ADD, lift_call2(g->ir, LIFT_DIV, i, s), body);
    }
    return lift_fun(g->ir, body, i);
}

struct gen_shape gen_shape(struct check_gen *g, int d, int shortest, int most)
{
    static const int longest[] = {0, 16, 6, 4};
    struct gen_shape s = {.d = d};

    for (int i = 0; i < d; i++) {
        int end = most < longest[d] ? most : longest[d];

        s.len[i] = gen_between(g, shortest, end);
        if (d == 1 && gen_chance(g, 15)) {
            int64_t marked = check_marks_length(g->marks, g->rng);

            s.len[i] = marked >= shortest && most >= end ? marked : s.len[i];
        }
        s.step[i] = gen_chance(g, 80) ? 1 : gen_between(g, 2, 3);
    }
    return s;
}

struct gen_windows gen_windows(struct check_gen *g, const struct gen_shape *s,
                               int longest)
{
    struct gen_windows w;

    for (int i = 0; i < s->d; i++) {
        int n = gen_between(g, 1, longest);

        w.size[i] = gen_nat(g, n);
        w.step[i] = gen_nat(g, s->step[i]);
        w.len[i] = s->step[i] * (s->len[i] - 1) + n + gen_below(g, (int)s->step[i]);
    }
    return w;
}

lift_expr gen_pad(struct check_gen *g, int d, const lift_nat *l, const lift_nat *r,
                  struct gen_boundary b, lift_expr xs)
{
    return b.value ? lift_pad_const_n(g->ir, d, l, r, b.value, xs)
                   : lift_pad_n(g->ir, d, l, r, b.kind, xs);
}

struct gen_boundary gen_boundary(struct check_gen *g)
{
    int kind = gen_below(g, 4);

    if (kind == 3)
        return (struct gen_boundary){.value = lift_expr_float(g->ir, LIFT_F32, 0.25)};
    return (struct gen_boundary){.kind = (enum lift_pad_kind)kind};
}

lift_expr gen_around(struct check_gen *g, int d, int most, struct gen_boundary b,
                     lift_expr xs, lift_nat *centre)
{
    lift_nat size[LIFT_MAX_DIMS], step[LIFT_MAX_DIMS], l[LIFT_MAX_DIMS], r[LIFT_MAX_DIMS];

    for (int i = 0; i < d; i++) {
        int before = gen_below(g, most + 1), after = gen_below(g, most + 1);

        l[i] = gen_nat(g, before);
        r[i] = gen_nat(g, after);
        size[i] = gen_nat(g, before + after + 1);
        step[i] = gen_nat(g, 1);
        if (centre)
            centre[i] = l[i];
    }
    return lift_slide_n(g->ir, d, size, step, gen_pad(g, d, l, r, b, xs));
}

lift_expr gen_zip(struct check_gen *g, int d, const lift_expr *members, int count)
{
    return count > 1 ? lift_zip_n(g->ir, d, members, count) : members[0];
}

lift_expr gen_map(struct check_gen *g, int d, lift_expr xs, lift_type result)
{
    lift_type elem = xs ? nd_under(xs->type, d) : NULL;

    return xs ? lift_map_n(g->ir, d, gen_function(g, &elem, 1, result), xs) : NULL;
}
