/* The type rule of each primitive. A rule is given checked kinds of arguments (the number
 * of nats and expressions is right) and answers the type of the node, or fails with what
 * was expected and what it got. */
#include "ir/ir_t.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct check {
    struct lift_ir *ir;
    enum lift_op op;
    const struct lift_prim_args *a;
    struct lift_type_error *error;
};

static lift_type fail(struct check *c, int arg, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static lift_type fail(struct check *c, int arg, const char *format, ...)
{
    va_list args;
    int n;

    if (!c->error)
        return NULL;
    c->error->arg = arg;
    n = snprintf(c->error->text, sizeof c->error->text, "'%s' ",
                 lift_prim_info(c->op)->name);
    va_start(args, format);
    vsnprintf(c->error->text + n, sizeof c->error->text - (size_t)n, format, args);
    va_end(args);
    return NULL;
}

/* "expects WHAT, but got TYPE" */
static lift_type expected(struct check *c, int arg, const char *what, lift_type got)
{
    struct lift_str text = {0};

    if (c->error) {
        lift_type_print(got, &text);
        fail(c, arg, "expects %s, but got '%.80s'", what, lift_str_get(&text));
        lift_str_fini(&text);
    }
    return NULL;
}

static lift_type nat_problem(struct check *c, const char *what, lift_nat a, lift_nat b)
{
    struct lift_str x = {0}, y = {0};

    if (c->error) {
        lift_nat_print(a, 0, &x);
        lift_nat_print(b, 0, &y);
        fail(c, -1, "%s: '%.60s' and '%.60s'", what, lift_str_get(&x), lift_str_get(&y));
        lift_str_fini(&x);
        lift_str_fini(&y);
    }
    return NULL;
}

static lift_type type_at(struct check *c, int arg)
{
    return c->a->args[arg]->type;
}

/* The array type of an argument, or NULL with the error made. */
static lift_type array_at(struct check *c, int arg)
{
    lift_type t = type_at(c, arg);

    return t->kind == LIFT_TYPE_ARRAY ? t : expected(c, arg, "an array", t);
}

/* A nat that is known to be wrong for every value of the variables is an error; one that
 * may be right is a condition on the variables (lift/constraint.h). */
static bool surely_less(lift_nat a, lift_nat b)
{
    return lift_nat_proves_lt(a, b);
}

static bool nonneg(struct check *c, lift_nat n)
{
    return lift_nat_hi(n) >= 0 || nat_problem(c, "expects a number >= 0", n, n);
}

static bool positive(struct check *c, lift_nat n)
{
    return lift_nat_hi(n) >= 1 || nat_problem(c, "expects a number >= 1", n, n);
}

/* The result type of the function in a slot, whose parameters must be 'params'. */
static lift_type fun_result(struct check *c, int slot)
{
    lift_type params[LIFT_MAX_PARAMS];
    lift_type f = type_at(c, slot);
    int n = lift_prim_fun_params(c->ir, c->op, c->a, slot, params, c->error);

    if (!n)
        return NULL;
    if (f->kind != LIFT_TYPE_FUN)
        return expected(c, slot, "a function", f);
    if (f->count != n)
        return fail(c, slot, "expects a function of %d argument%s, but got one of %d", n,
                    n == 1 ? "" : "s", f->count);
    for (int i = 0; i < n; i++)
        if (f->parts[i] != params[i]) {
            struct lift_str want = {0};

            lift_type_print(params[i], &want);
            expected(c, slot,
                     lift_arena_printf(c->ir->arena, "a function of '%s'",
                                       lift_str_get(&want)),
                     f->parts[i]);
            lift_str_fini(&want);
            return NULL;
        }
    return f->elem;
}

static lift_type t_map(struct check *c)
{
    lift_type xs = array_at(c, 1);
    lift_type r = xs ? fun_result(c, 0) : NULL;

    return r ? lift_type_array(c->ir, r, xs->len) : NULL;
}

static lift_type t_reduce(struct check *c)
{
    lift_type r = array_at(c, 2) ? fun_result(c, 0) : NULL;

    if (!r)
        return NULL;
    if (r != type_at(c, 1))
        return expected(c, 0, "a function that returns the type of its accumulator", r);
    return r;
}

static lift_type t_iterate(struct check *c)
{
    lift_type r = nonneg(c, c->a->nats[0]) ? fun_result(c, 0) : NULL;

    if (r && r != type_at(c, 1))
        return expected(c, 0, "a function that returns the type of its argument", r);
    return r;
}

static lift_type t_let(struct check *c)
{
    return fun_result(c, 1);
}

static lift_type t_zip(struct check *c)
{
    lift_type elems[LIFT_MAX_ARGS];
    lift_type first = array_at(c, 0);

    if (!first)
        return NULL;
    for (int i = 0; i < c->a->arg_count; i++) {
        lift_type t = array_at(c, i);

        if (!t)
            return NULL;
        if (t->len != first->len)
            return nat_problem(c, "expects arrays of one length", first->len, t->len);
        elems[i] = t->elem;
    }
    return lift_type_array(c->ir, lift_type_tuple(c->ir, elems, c->a->arg_count),
                           first->len);
}

static lift_type t_unzip(struct check *c)
{
    lift_type arrays[LIFT_MAX_ARGS];
    lift_type xs = array_at(c, 0);

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_TUPLE)
        return expected(c, 0, "an array of tuples", xs);
    for (int i = 0; i < xs->elem->count; i++)
        arrays[i] = lift_type_array(c->ir, xs->elem->parts[i], xs->len);
    return lift_type_tuple(c->ir, arrays, xs->elem->count);
}

static lift_type t_tuple(struct check *c)
{
    lift_type members[LIFT_MAX_ARGS];

    for (int i = 0; i < c->a->arg_count; i++) {
        members[i] = type_at(c, i);
        if (!lift_type_is_data(members[i]))
            return expected(c, i, "data", members[i]);
    }
    return lift_type_tuple(c->ir, members, c->a->arg_count);
}

static lift_type t_get(struct check *c)
{
    lift_type t = type_at(c, 0);
    int k = c->a->attrs[0];

    if (t->kind != LIFT_TYPE_TUPLE)
        return expected(c, 0, "a tuple", t);
    if (k < 0 || k >= t->count)
        return fail(c, -1, "asks for member %d of a tuple of %d", k, t->count);
    return t->parts[k];
}

static lift_type t_at(struct check *c)
{
    lift_type xs = array_at(c, 0);
    lift_nat i = c->a->nats[0];

    if (!xs || !nonneg(c, i))
        return NULL;
    if (lift_nat_proves_le(xs->len, i))
        return nat_problem(c, "is out of range (index, length)", i, xs->len);
    return xs->elem;
}

static lift_type t_split(struct check *c)
{
    lift_type xs = array_at(c, 0);
    lift_nat k = c->a->nats[0];
    int64_t kv, nv;

    if (!xs || !positive(c, k))
        return NULL;
    if (lift_nat_is_const(k, &kv) && lift_nat_is_const(xs->len, &nv) && nv % kv != 0)
        return nat_problem(c, "expects a divisor of the length (size, length)", k,
                           xs->len);
    return lift_type_array(c->ir, lift_type_array(c->ir, xs->elem, k),
                           lift_nat_div(xs->len, k));
}

static lift_type t_join(struct check *c)
{
    lift_type xs = array_at(c, 0);

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_ARRAY)
        return expected(c, 0, "an array of arrays", xs);
    return lift_type_array(c->ir, xs->elem->elem, lift_nat_mul(xs->len, xs->elem->len));
}

/* The number of windows. */
static lift_nat windows(lift_nat len, lift_nat size, lift_nat step)
{
    return lift_nat_div(lift_nat_add(lift_nat_sub(len, size), step), step);
}

static bool slide_fits(struct check *c, lift_type xs)
{
    lift_nat size = c->a->nats[0], step = c->a->nats[1];

    if (!positive(c, size) || !positive(c, step))
        return false;
    return !surely_less(xs->len, size) ||
           nat_problem(c, "has a window longer than the array (size, length)", size,
                       xs->len);
}

static lift_type t_slide(struct check *c)
{
    lift_type xs = array_at(c, 0);

    if (!xs || !slide_fits(c, xs))
        return NULL;
    return lift_type_array(c->ir, lift_type_array(c->ir, xs->elem, c->a->nats[0]),
                           windows(xs->len, c->a->nats[0], c->a->nats[1]));
}

/* The number of windows if the last one is shifted inward. */
static lift_nat shifted_windows(lift_nat len, lift_nat size, lift_nat step)
{
    return lift_nat_add_const(lift_nat_ceil_div(lift_nat_sub(len, size), step), 1);
}

static lift_type t_slide_shift(struct check *c)
{
    lift_type xs = array_at(c, 0);

    if (!xs || !slide_fits(c, xs))
        return NULL;
    return lift_type_array(c->ir, lift_type_array(c->ir, xs->elem, c->a->nats[0]),
                           shifted_windows(xs->len, c->a->nats[0], c->a->nats[1]));
}

static lift_type t_join_shift(struct check *c)
{
    lift_type xs = array_at(c, 0);
    lift_nat n = c->a->nats[0], rows;

    if (!xs || !positive(c, n))
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_ARRAY)
        return expected(c, 0, "an array of arrays", xs);
    if (surely_less(n, xs->elem->len))
        return nat_problem(c, "has rows longer than the result (row, length)",
                           xs->elem->len, n);
    rows = shifted_windows(n, xs->elem->len, xs->elem->len);
    if (surely_less(xs->len, rows) || surely_less(rows, xs->len))
        return nat_problem(c, "expects as many rows as it takes (needed, rows)", rows,
                           xs->len);
    return lift_type_array(c->ir, xs->elem->elem, n);
}

static lift_type t_map_seq_slide(struct check *c)
{
    lift_type xs = array_at(c, 1);
    lift_type r = xs && slide_fits(c, xs) ? fun_result(c, 0) : NULL;

    if (!r)
        return NULL;
    return lift_type_array(c->ir, r, windows(xs->len, c->a->nats[0], c->a->nats[1]));
}

static lift_type padded(struct check *c, lift_type xs)
{
    lift_nat l = c->a->nats[0], r = c->a->nats[1];

    if (!nonneg(c, l) || !nonneg(c, r))
        return NULL;
    return lift_type_array(c->ir, xs->elem, lift_nat_add(lift_nat_add(l, xs->len), r));
}

static lift_type t_pad(struct check *c)
{
    lift_type xs = array_at(c, 0);

    if (!xs)
        return NULL;
    for (int i = 0; i < 2 && !lift_pad_is_wide((enum lift_pad_kind)c->a->attrs[0]); i++)
        if (surely_less(xs->len, c->a->nats[i]))
            return nat_problem(c, "is wider than the array (width, length)",
                               c->a->nats[i], xs->len);
    return padded(c, xs);
}

static lift_type t_pad_value(struct check *c)
{
    lift_type xs = array_at(c, 1);
    lift_type r = xs ? fun_result(c, 0) : NULL;

    if (r && r != xs->elem)
        return expected(c, 0, "a function that returns an element of the array", r);
    return r ? padded(c, xs) : NULL;
}

static lift_type t_pad_stored(struct check *c)
{
    lift_type xs = array_at(c, 1);

    if (xs && type_at(c, 0) != xs->elem)
        return expected(c, 0, "an element of the array", type_at(c, 0));
    return xs ? padded(c, xs) : NULL;
}

static lift_type t_transpose(struct check *c)
{
    lift_type xs = array_at(c, 0);

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_ARRAY)
        return expected(c, 0, "an array of arrays", xs);
    return lift_type_array(c->ir, lift_type_array(c->ir, xs->elem->elem, xs->len),
                           xs->elem->len);
}

static lift_type t_reorder(struct check *c)
{
    lift_type xs = array_at(c, 1);
    lift_type r = xs ? fun_result(c, 0) : NULL;

    if (r && !lift_type_is_scalar(r, LIFT_I32))
        return expected(c, 0, "a function that returns an index", r);
    return r ? xs : NULL;
}

static lift_type t_take(struct check *c)
{
    lift_type xs = array_at(c, 0);
    lift_nat m = c->a->nats[0];

    if (!xs || !nonneg(c, m))
        return NULL;
    if (surely_less(xs->len, m))
        return nat_problem(c, "asks for more than there is (number, length)", m, xs->len);
    return lift_type_array(c->ir, xs->elem,
                           c->op == LIFT_TAKE ? m : lift_nat_sub(xs->len, m));
}

static lift_type t_concat(struct check *c)
{
    lift_type first = array_at(c, 0);
    lift_nat len = first ? first->len : NULL;

    for (int i = 1; first && i < c->a->arg_count; i++) {
        lift_type t = array_at(c, i);

        if (!t)
            return NULL;
        if (t->elem != first->elem)
            return expected(c, i, "arrays of one element type", t);
        len = lift_nat_add(len, t->len);
    }
    return first ? lift_type_array(c->ir, first->elem, len) : NULL;
}

static lift_type t_inset(struct check *c)
{
    lift_type border = array_at(c, 0);
    lift_type xs = border ? array_at(c, 1) : NULL;
    lift_type t = xs ? padded(c, xs) : NULL;

    if (!t)
        return NULL;
    if (border->elem != xs->elem)
        return expected(c, 1, "border and interior of one element type", xs);
    if (border->len != t->len)
        return nat_problem(c, "expects a border of the length of the result", border->len,
                           t->len);
    return t;
}

static lift_type t_array(struct check *c)
{
    lift_type r = nonneg(c, c->a->nats[0]) ? fun_result(c, 0) : NULL;

    return r ? lift_type_array(c->ir, r, c->a->nats[0]) : NULL;
}

static lift_type t_same(struct check *c)
{
    lift_type t = type_at(c, 0);

    return lift_type_is_data(t) ? t : expected(c, 0, "data", t);
}

static lift_type t_align_rows(struct check *c)
{
    return positive(c, c->a->nats[0]) && nonneg(c, c->a->nats[1]) ? t_same(c) : NULL;
}

static lift_type t_prefetch(struct check *c)
{
    lift_type xs = array_at(c, 0);

    return xs && nonneg(c, c->a->nats[0]) ? xs : NULL;
}

static lift_type t_in_place(struct check *c)
{
    lift_type t = t_same(c);

    if (t && type_at(c, 1) != t)
        return expected(c, 1, "two values of one type", type_at(c, 1));
    return t;
}

static lift_type t_as_vector(struct check *c)
{
    lift_type xs = array_at(c, 0);
    int64_t w, n;

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_SCALAR)
        return expected(c, 0, "an array of scalars", xs);
    if (!lift_nat_is_const(c->a->nats[0], &w) || w < 1 || w > 64)
        return fail(c, -1, "expects a width that is a number from 1 to 64");
    if (lift_nat_is_const(xs->len, &n) && n % w != 0)
        return nat_problem(c, "expects a divisor of the length (width, length)",
                           c->a->nats[0], xs->len);
    return lift_type_array(c->ir, lift_type_vector(c->ir, xs->elem->scalar, (int)w),
                           lift_nat_div(xs->len, c->a->nats[0]));
}

static lift_type t_as_scalar(struct check *c)
{
    lift_type xs = array_at(c, 0);

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_VECTOR)
        return expected(c, 0, "an array of vectors", xs);
    return lift_type_array(c->ir, lift_type_scalar(c->ir, xs->elem->scalar),
                           lift_nat_mul_const(xs->len, xs->elem->count));
}

static bool is_number(lift_type t)
{
    return lift_type_is_value(t) && t->scalar != LIFT_BOOL;
}

/* All operands of one numeric type. */
static lift_type t_numbers(struct check *c)
{
    lift_type t = type_at(c, 0);

    for (int i = 0; i < c->a->arg_count; i++) {
        if (!is_number(type_at(c, i)))
            return expected(c, i, "a number", type_at(c, i));
        if (type_at(c, i) != t)
            return expected(c, i, "operands of one type", type_at(c, i));
    }
    return t;
}

static lift_type t_ints(struct check *c)
{
    lift_type t = t_numbers(c);

    return !t || t->scalar == LIFT_I32 ? t : expected(c, 0, "integers", t);
}

static lift_type t_floats(struct check *c)
{
    lift_type t = t_numbers(c);

    return !t || lift_type_is_float(t) ? t : expected(c, 0, "floating-point numbers", t);
}

static lift_type t_compare(struct check *c)
{
    lift_type t = t_numbers(c);

    if (t && t->kind != LIFT_TYPE_SCALAR)
        return expected(c, 0, "scalars", t);
    return t ? lift_type_scalar(c->ir, LIFT_BOOL) : NULL;
}

static lift_type t_logic(struct check *c)
{
    for (int i = 0; i < c->a->arg_count; i++)
        if (!lift_type_is_scalar(type_at(c, i), LIFT_BOOL))
            return expected(c, i, "a condition", type_at(c, i));
    return type_at(c, 0);
}

static lift_type t_select(struct check *c)
{
    lift_type t = type_at(c, 1);

    if (!lift_type_is_scalar(type_at(c, 0), LIFT_BOOL))
        return expected(c, 0, "a condition", type_at(c, 0));
    if (!lift_type_is_data(t))
        return expected(c, 1, "data", t);
    if (type_at(c, 2) != t)
        return expected(c, 2, "two values of one type", type_at(c, 2));
    return t;
}

static lift_type t_convert(struct check *c)
{
    lift_type t = type_at(c, 0);
    enum lift_scalar to = c->op == LIFT_TO_F32   ? LIFT_F32
                          : c->op == LIFT_TO_F64 ? LIFT_F64
                                                 : LIFT_I32;

    if (t->kind == LIFT_TYPE_VECTOR && t->scalar != LIFT_BOOL)
        return lift_type_vector(c->ir, to, t->count);
    if (t->kind != LIFT_TYPE_SCALAR)
        return expected(c, 0, "a number", t);
    return lift_type_scalar(c->ir, to);
}

static lift_type t_splat(struct check *c)
{
    lift_type t = type_at(c, 0);
    int64_t w;

    if (t->kind != LIFT_TYPE_SCALAR || t->scalar == LIFT_BOOL)
        return expected(c, 0, "a number", t);
    if (!lift_nat_is_const(c->a->nats[0], &w) || w < 1 || w > 64)
        return fail(c, -1, "expects a width that is a number from 1 to 64");
    return lift_type_vector(c->ir, t->scalar, (int)w);
}

static lift_type t_nat(struct check *c)
{
    return lift_type_scalar(c->ir, LIFT_I32);
}

/* The head of the C definition says the types. */
static lift_type t_user_fun(struct check *c)
{
    struct lift_user_types h;

    if (!c->a->text || !lift_user_types(c->a->text, &h))
        return fail(c, -1, "expects a definition, \"f32 name(f32 a, ...) { ... }\"");
    if (h.count != c->a->arg_count)
        return fail(c, -1, "calls a function of %d parameter%s with %d", h.count,
                    h.count == 1 ? "" : "s", c->a->arg_count);
    for (int i = 0; i < h.count; i++)
        if (!lift_type_is_scalar(type_at(c, i), (enum lift_scalar)h.params[i]))
            return expected(c, i, lift_scalar_name((enum lift_scalar)h.params[i]),
                            type_at(c, i));
    return lift_type_scalar(c->ir, (enum lift_scalar)h.result);
}

typedef lift_type type_rule(struct check *c);

static type_rule *const rules[LIFT_OP_COUNT] = {
    [LIFT_MAP] = t_map,
    [LIFT_REDUCE] = t_reduce,
    [LIFT_ITERATE] = t_iterate,
    [LIFT_LET] = t_let,
    [LIFT_ZIP] = t_zip,
    [LIFT_UNZIP] = t_unzip,
    [LIFT_TUPLE] = t_tuple,
    [LIFT_GET] = t_get,
    [LIFT_AT] = t_at,
    [LIFT_SPLIT] = t_split,
    [LIFT_JOIN] = t_join,
    [LIFT_SLIDE] = t_slide,
    [LIFT_PAD] = t_pad,
    [LIFT_PAD_VALUE] = t_pad_value,
    [LIFT_TRANSPOSE] = t_transpose,
    [LIFT_REORDER] = t_reorder,
    [LIFT_TAKE] = t_take,
    [LIFT_DROP] = t_take,
    [LIFT_CONCAT] = t_concat,
    [LIFT_INSET] = t_inset,
    [LIFT_ARRAY] = t_array,
    [LIFT_MAP_SEQ] = t_map,
    [LIFT_MAP_UNROLL] = t_map,
    [LIFT_MAP_PAR] = t_map,
    [LIFT_MAP_TASK] = t_map,
    [LIFT_MAP_SIMD] = t_map,
    [LIFT_MAP_VEC] = t_map,
    [LIFT_MAP_GLB] = t_map,
    [LIFT_MAP_WRG] = t_map,
    [LIFT_MAP_LCL] = t_map,
    [LIFT_REDUCE_SEQ] = t_reduce,
    [LIFT_REDUCE_UNROLL] = t_reduce,
    [LIFT_MAP_SEQ_SLIDE] = t_map_seq_slide,
    [LIFT_PAD_STORED] = t_pad_stored,
    [LIFT_ALIGN_ROWS] = t_align_rows,
    [LIFT_APART] = t_align_rows,
    [LIFT_IN_PLACE] = t_in_place,
    [LIFT_PREFETCH] = t_prefetch,
    [LIFT_TO_GLOBAL] = t_same,
    [LIFT_TO_LOCAL] = t_same,
    [LIFT_TO_PRIVATE] = t_same,
    [LIFT_AS_VECTOR] = t_as_vector,
    [LIFT_AS_SCALAR] = t_as_scalar,
    [LIFT_SLIDE_SHIFT] = t_slide_shift,
    [LIFT_JOIN_SHIFT] = t_join_shift,
    [LIFT_ADD] = t_numbers,
    [LIFT_SUB] = t_numbers,
    [LIFT_MUL] = t_numbers,
    [LIFT_DIV] = t_numbers,
    [LIFT_MOD] = t_ints,
    [LIFT_NEG] = t_numbers,
    [LIFT_MIN] = t_numbers,
    [LIFT_MAX] = t_numbers,
    [LIFT_ABS] = t_numbers,
    [LIFT_SQRT] = t_floats,
    [LIFT_EXP] = t_floats,
    [LIFT_LOG] = t_floats,
    [LIFT_SIN] = t_floats,
    [LIFT_COS] = t_floats,
    [LIFT_POW] = t_floats,
    [LIFT_FLOOR] = t_floats,
    [LIFT_LT] = t_compare,
    [LIFT_LE] = t_compare,
    [LIFT_EQ] = t_compare,
    [LIFT_NE] = t_compare,
    [LIFT_AND] = t_logic,
    [LIFT_OR] = t_logic,
    [LIFT_NOT] = t_logic,
    [LIFT_SELECT] = t_select,
    [LIFT_TO_F32] = t_convert,
    [LIFT_TO_F64] = t_convert,
    [LIFT_TO_I32] = t_convert,
    [LIFT_SPLAT] = t_splat,
    [LIFT_NAT] = t_nat,
    [LIFT_USER_FUN] = t_user_fun,
};

/* Number and kind of arguments; functions only where the primitive has one. */
static bool arguments_fit(struct check *c)
{
    const struct lift_prim_info *info = lift_prim_info(c->op);

    if (info->expr_count >= 0 ? c->a->arg_count != info->expr_count : c->a->arg_count < 1)
        return fail(c, -1, "expects %d arguments, but got %d", info->expr_count,
                    c->a->arg_count);
    for (int i = 0; i < info->nat_count; i++)
        if (!c->a->nats[i])
            return fail(c, -1, "lacks a size");
    for (int i = 0; i < c->a->arg_count; i++) {
        bool fun = c->a->args[i]->kind == LIFT_EXPR_LAMBDA;

        if (fun != (lift_prim_fun_arity(c->op, i) > 0))
            return expected(c, i, fun ? "data" : "a function", c->a->args[i]->type);
    }
    return true;
}

lift_type ir_prim_type(struct lift_ir *ir, enum lift_op op,
                       const struct lift_prim_args *args, struct lift_type_error *error)
{
    struct check c = {ir, op, args, error};

    return arguments_fit(&c) ? rules[op](&c) : NULL;
}

/* Element of the array in a slot. */
static lift_type elem_at(struct check *c, int slot)
{
    lift_type t = c->a->args[slot] ? array_at(c, slot) : NULL;

    return t ? t->elem : NULL;
}

static int one(lift_type out[], lift_type t)
{
    out[0] = t;
    return t ? 1 : 0;
}

int lift_prim_fun_params(struct lift_ir *ir, enum lift_op op,
                         const struct lift_prim_args *args, int slot,
                         lift_type out[LIFT_MAX_PARAMS], struct lift_type_error *error)
{
    struct check c = {ir, op, args, error};
    lift_type i32 = lift_type_scalar(ir, LIFT_I32);

    if (!lift_prim_fun_arity(op, slot))
        return 0;
    if (lift_op_is_map(op))
        return one(out, elem_at(&c, 1));
    if (lift_op_is_reduce(op)) {
        out[0] = type_at(&c, 1);
        out[1] = elem_at(&c, 2);
        return out[1] ? 2 : 0;
    }
    switch (op) {
    case LIFT_ITERATE:
        return one(out, type_at(&c, 1));
    case LIFT_LET:
        return lift_type_is_data(type_at(&c, 0))
                   ? one(out, type_at(&c, 0))
                   : one(out, expected(&c, 0, "data", type_at(&c, 0)));
    case LIFT_MAP_SEQ_SLIDE: {
        lift_type t = elem_at(&c, 1);

        return one(out, t ? lift_type_array(ir, t, args->nats[0]) : NULL);
    }
    case LIFT_PAD_VALUE:
        out[0] = out[1] = i32;
        return 2;
    default: /* reorder, array */
        return one(out, i32);
    }
}
