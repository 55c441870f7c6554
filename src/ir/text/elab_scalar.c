/* Numbers: literals of open type, and promotion of operands to one type. An i32 with a
 * float becomes this float type, an f32 with an f64 becomes f64. */
#include "base/bug.h"
#include "ir/text/elab_t.h"
#include <math.h>

static bool is_float_only(enum lift_op op)
{
    return lift_op_class_of(op) == LIFT_CLASS_floats;
}

static bool is_storing(enum lift_op op)
{
    return lift_op_class_of(op) == LIFT_CLASS_store;
}

enum lift_op elab_storing_op(enum lift_scalar scalar)
{
    return scalar == LIFT_F16 ? LIFT_TO_F16 : LIFT_TO_BF16;
}

/* ---- settling open types */

static lift_expr make_float(struct elab *el, double number, enum lift_scalar scalar,
                            struct lift_span span)
{
    if (isfinite(number) && !isfinite(lift_scalar_round(scalar, number)))
        elab_error(el, span, "number too large for %s", lift_scalar_name(scalar));
    return lift_expr_float(el->ir, scalar, number);
}

/* Rebuilds arithmetic on literals with another type. */
static lift_expr retype(struct elab *el, lift_expr e, enum lift_scalar scalar,
                        struct lift_span span)
{
    struct lift_prim_args args;

    if (e->kind != LIFT_EXPR_PRIM)
        return make_float(el, e->u.number, scalar, span);
    elab_enter(el, span);
    lift_expr_args(e, &args);
    for (int i = 0; i < args.arg_count; i++)
        args.args[i] = retype(el, args.args[i], scalar, span);
    elab_leave(el);
    return lift_expr_prim(el->ir, e->op, &args, NULL);
}

static lift_expr settle_int(struct elab *el, const struct value *v,
                            enum lift_scalar scalar)
{
    int64_t number = v->e->u.integer;

    if (lift_scalar_is_real(scalar))
        return make_float(el, (double)number, scalar, v->span);
    if (number > INT32_MAX || number < INT32_MIN)
        elab_error(el, v->span, "integer does not fit in i32");
    return v->e;
}

/* Storage types have no arithmetic: literals become f32 and are then converted. */
static lift_expr settle_storage(struct elab *el, const struct value *v,
                                enum lift_scalar scalar)
{
    if (v->e->kind != LIFT_EXPR_PRIM)
        return make_float(el, v->e->u.number, scalar, v->span);
    return lift_call1(el->ir, elab_storing_op(scalar),
                      retype(el, v->e, LIFT_F32, v->span));
}

lift_expr elab_settle_as(struct elab *el, const struct value *v, enum lift_scalar scalar)
{
    if (v->kind != VALUE_DATA || v->flex == FLEX_NO)
        return elab_here(el, v);
    if (v->flex == FLEX_INT)
        return settle_int(el, v, scalar);
    if (lift_scalar_is_storage(scalar))
        return settle_storage(el, v, scalar);
    return scalar == LIFT_F64 ? v->e : retype(el, v->e, LIFT_F32, v->span);
}

/* ---- promotion */

static bool is_fixed_number(const struct value *v)
{
    LIFT_ASSERT(v->e);
    return v->flex == FLEX_NO && v->e->type->kind == LIFT_TYPE_SCALAR &&
           v->e->type->scalar != LIFT_BOOL;
}

/* Orders the types to which numbers are converted: f16 and bf16 become f32. */
static int rank_of(enum lift_scalar scalar)
{
    return scalar == LIFT_F64 ? 2 : lift_scalar_is_real(scalar);
}

struct common {
    bool fixed; /* an operand has a settled type */
    bool open_float, mixed;
    int rank;
};

static struct common survey(const struct value *operands, int count)
{
    struct common c = {0};

    for (int i = 0; i < count; i++) {
        const struct value *v = &operands[i];

        if (v->flex == FLEX_FLOAT)
            c.open_float = true;
        else if (is_fixed_number(v)) {
            int rank = rank_of(v->e->type->scalar);

            c.fixed = true;
            c.rank = rank > c.rank ? rank : c.rank;
        } else if (v->flex == FLEX_NO)
            c.mixed = true;
    }
    return c;
}

static void apply_conversion(struct elab *el, struct value *v, enum lift_op op)
{
    struct lift_prim_args args = {.args = {elab_here(el, v)}, .arg_count = 1};
    struct lift_span span = v->span;

    *v = elab_prim(el, op, &args, &span, span);
}

static void convert(struct elab *el, struct value *v, enum lift_scalar scalar)
{
    struct lift_span span = v->span;

    if (v->flex != FLEX_NO) {
        *v = elab_make_data(el, elab_settle_as(el, v, scalar), span);
        return;
    }
    if (v->e->type->scalar == scalar)
        return;
    if (lift_scalar_is_storage(v->e->type->scalar)) {
        apply_conversion(el, v, LIFT_TO_F32);
        convert(el, v, scalar);
    } else {
        apply_conversion(el, v, scalar == LIFT_F64 ? LIFT_TO_F64 : LIFT_TO_F32);
    }
}

/* Promotes operands that are all literals. Integers among floats become floats, and the
 * type stays open. */
static void promote_open(struct elab *el, struct value *operands, int count,
                         bool as_float)
{
    for (int i = 0; i < count; i++) {
        struct lift_span span = operands[i].span;

        if (operands[i].flex != FLEX_INT)
            continue;
        operands[i] = elab_make_data(
            el, elab_settle_as(el, &operands[i], as_float ? LIFT_F64 : LIFT_I32), span);
        operands[i].flex = as_float ? FLEX_FLOAT : FLEX_NO;
    }
}

/* Settles literals among vectors and other data. A literal among vectors gets their
 * scalar type. The typer checks the other operands. */
static void settle_mixed(struct elab *el, struct value *operands, int count)
{
    enum lift_scalar scalar = el->real;

    for (int i = 0; i < count; i++)
        if (operands[i].flex == FLEX_NO && lift_type_is_float(operands[i].e->type))
            scalar = operands[i].e->type->scalar;
    for (int i = 0; i < count; i++)
        if (operands[i].flex == FLEX_FLOAT)
            operands[i] = elab_make_data(el, elab_settle_as(el, &operands[i], scalar),
                                         operands[i].span);
        else if (operands[i].flex == FLEX_INT)
            operands[i] =
                elab_make_data(el, elab_settled(el, &operands[i]), operands[i].span);
}

void elab_promote(struct elab *el, enum lift_op op, struct value *operands, int count)
{
    static const enum lift_scalar scalars[] = {LIFT_I32, LIFT_F32, LIFT_F64};
    struct common c = survey(operands, count);

    if (c.mixed) {
        settle_mixed(el, operands, count);
        return;
    }
    if (!c.fixed) {
        promote_open(el, operands, count, c.open_float || is_float_only(op));
        return;
    }
    if (c.rank == 0 && (c.open_float || is_float_only(op)))
        c.rank = rank_of(el->real);
    for (int i = 0; i < count; i++)
        convert(el, &operands[i], scalars[c.rank]);
}

/* ---- building */

static struct value build(struct elab *el, enum lift_op op, const struct value *operands,
                          int count, struct lift_span whole)
{
    struct lift_prim_args args = {.arg_count = count};
    struct lift_span spans[3];
    bool open = lift_op_is_arithmetic(op);
    struct value out;

    for (int i = 0; i < count; i++)
        open = open && operands[i].flex == FLEX_FLOAT;
    for (int i = 0; i < count; i++) {
        args.args[i] =
            open ? elab_here(el, &operands[i]) : elab_settled(el, &operands[i]);
        spans[i] = operands[i].span;
    }
    out = elab_prim(el, op, &args, spans, whole);
    out.flex = open ? FLEX_FLOAT : FLEX_NO;
    return out;
}

/* Converts f16 and bf16 to f32 before any other operation. Conversions to f16 and bf16
 * also start from f32. The typer checks vectors. */
static struct value by_way_of_f32(struct elab *el, enum lift_op op, struct value v,
                                  struct lift_span whole)
{
    lift_expr e = elab_settled(el, &v);
    struct value by;

    LIFT_ASSERT(v.e);
    if (v.e->type->kind != LIFT_TYPE_SCALAR)
        return build(el, op, &v, 1, whole);
    by = elab_make_data(el, e, v.span);
    if (v.e->type->scalar != LIFT_F32)
        apply_conversion(el, &by, LIFT_TO_F32);
    return build(el, op, &by, 1, whole);
}

/* f64(0.1) is the f64 literal, not a conversion of the f32 literal. */
static struct value conversion(struct elab *el, enum lift_op op, const struct value *v,
                               struct lift_span whole)
{
    if (v->flex != FLEX_NO && is_storing(op))
        return elab_make_data(
            el, elab_settle_as(el, v, op == LIFT_TO_F16 ? LIFT_F16 : LIFT_BF16), whole);
    LIFT_ASSERT(v->e);
    if (is_storing(op) ||
        (lift_type_is_value(v->e->type) && lift_scalar_is_storage(v->e->type->scalar) &&
         op != LIFT_TO_F32))
        return by_way_of_f32(el, op, *v, whole);
    if (v->flex == FLEX_FLOAT && op != LIFT_TO_I32)
        return elab_make_data(
            el, elab_settle_as(el, v, op == LIFT_TO_F64 ? LIFT_F64 : LIFT_F32), whole);
    return build(el, op, v, 1, whole);
}

/* The negative of a literal is a literal as long as its type is open. */
static bool negate_literal(struct elab *el, struct value *v)
{
    if (v->flex == FLEX_NO || v->e->kind != LIFT_EXPR_LIT)
        return false;
    if (v->flex == FLEX_FLOAT && !isnan(v->e->u.number))
        v->e = lift_expr_float(el->ir, LIFT_F64, -v->e->u.number);
    else if (v->flex == FLEX_FLOAT)
        return true;
    else if (v->e->u.integer != INT64_MIN)
        v->e = lift_expr_int(el->ir, -v->e->u.integer);
    return true;
}

/* True for two values of one storage type; a choice between them keeps the type. */
static bool are_stored_alike(const struct value *a, const struct value *b)
{
    LIFT_ASSERT(a->e && b->e);
    return a->flex == FLEX_NO && b->flex == FLEX_NO && a->e->type == b->e->type &&
           lift_type_is_value(a->e->type) && lift_scalar_is_storage(a->e->type->scalar);
}

struct value elab_scalar(struct elab *el, enum lift_op op, struct value *operands,
                         int count, struct lift_span whole)
{
    for (int i = 0; i < count; i++)
        elab_here(el, &operands[i]); /* fails for a function */
    if (lift_op_class_of(op) == LIFT_CLASS_convert || is_storing(op))
        return conversion(el, op, &operands[0], whole);
    if (op == LIFT_NEG && negate_literal(el, &operands[0]))
        return operands[0];
    if (lift_op_is_arithmetic(op) || lift_op_class_of(op) == LIFT_CLASS_compare)
        elab_promote(el, op, operands, count);
    else if (op == LIFT_SELECT && !are_stored_alike(&operands[1], &operands[2]))
        elab_promote(el, op, operands + 1, 2);
    return build(el, op, operands, count, whole);
}

struct value elab_literal(struct elab *el, const struct syntax_node *n)
{
    struct value v;

    if (n->kind == NODE_BOOL)
        return elab_make_data(el, lift_expr_bool(el->ir, n->integer), n->span);
    if (n->kind == NODE_FLOAT && n->suffix == 'f')
        return elab_make_data(el, lift_expr_float(el->ir, LIFT_F32, n->number), n->span);
    if (n->kind == NODE_FLOAT) {
        v = elab_make_data(el, lift_expr_float(el->ir, LIFT_F64, n->number), n->span);
        v.flex = n->suffix ? FLEX_NO : FLEX_FLOAT;
        return v;
    }
    v = elab_make_data(el, lift_expr_int(el->ir, n->integer), n->span);
    v.flex = FLEX_INT;
    return n->suffix ? elab_make_data(el, elab_settled(el, &v), n->span) : v;
}

struct value elab_operator(struct elab *el, const struct env *env,
                           const struct syntax_node *n)
{
    struct value operands[2] = {0};
    bool swap = false;
    enum lift_op op = n->kind == NODE_BINARY ? syntax_binary_op(n->op, &swap)
                      : n->op == TOKEN_MINUS ? LIFT_NEG
                                             : LIFT_NOT;

    LIFT_ASSERT(n->arg_count == 1 || n->arg_count == 2);
    for (int i = 0; i < n->arg_count; i++)
        operands[swap ? 1 - i : i] = elab_expr(el, env, n->args[i]);
    return elab_scalar(el, op, operands, n->arg_count, n->span);
}
