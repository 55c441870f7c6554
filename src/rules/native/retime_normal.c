/* Normal forms of computations on a window. The normal form resolves views to elements,
 * inlines lets and unrolls reductions. */
#include "ir/expr.h"
#include "rules/native/retime.h"
#include "rules/nd.h"
#include <stdlib.h>

enum { MAX_STEPS = 200000, MAX_SIZE = 40000, MAX_REDUCE = 1024 };

struct normal {
    struct lift_ir *ir;
    struct lift_ptrmap heads, done;
    int steps;
    bool failed;
};

static lift_expr head(struct normal *n, lift_expr e);

static lift_expr element(struct normal *n, lift_nat i, lift_expr xs)
{
    return lift_call_nat(n->ir, LIFT_AT, i, xs);
}

/* Returns row 'i' of the transpose of 'xs'. */
static lift_expr column(struct normal *n, lift_nat i, lift_expr xs)
{
    lift_expr row = lift_fresh(n->ir, "row", xs->type->elem);

    return lift_map(n->ir, lift_fun(n->ir, element(n, i, row), row), xs);
}

static lift_expr zip_element(struct normal *n, lift_nat i, lift_expr zip)
{
    lift_expr members[LIFT_MAX_ARGS];

    for (int k = 0; k < zip->arg_count; k++)
        members[k] = element(n, i, zip->u.prim.args[k]);
    return lift_call(n->ir, LIFT_TUPLE, members, zip->arg_count);
}

/* Returns 'size' elements, starting at 'first'. */
static lift_expr stretch(struct normal *n, lift_nat first, lift_nat size, lift_expr xs)
{
    return lift_call_nat(n->ir, LIFT_TAKE, size,
                         lift_call_nat(n->ir, LIFT_DROP, first, xs));
}

/* Returns element 'i' of a pad; NULL if the element is padding, or if a size is unknown.
 */
static lift_expr pad_element(struct normal *n, lift_nat i, lift_expr pad)
{
    lift_expr x = pad->u.prim.args[0];
    int64_t at, before, len;

    if (!lift_nat_is_const(i, &at) || !lift_nat_is_const(x->type->len, &len) ||
        !lift_nat_is_const(pad->u.prim.nats[0], &before) || at < before ||
        at >= before + len)
        return NULL;
    return lift_at(n->ir, at - before, x);
}

static lift_expr join_element(struct normal *n, lift_nat i, lift_expr xs)
{
    lift_nat m = xs->type->elem->len;

    if (!lift_nat_is_const(i, NULL) || !lift_nat_is_const(m, NULL) || lift_nat_is(m, 0))
        return NULL;
    return element(n, lift_nat_mod(i, m), element(n, lift_nat_div(i, m), xs));
}

static lift_expr concat_element(struct normal *n, lift_nat i, lift_expr e)
{
    int64_t at, len;

    if (!lift_nat_is_const(i, &at))
        return NULL;
    for (int k = 0; k < e->arg_count; k++) {
        lift_expr part = e->u.prim.args[k];

        if (!lift_nat_is_const(part->type->len, &len))
            return NULL;
        if (at < len)
            return lift_at(n->ir, at, part);
        at -= len;
    }
    return NULL;
}

static lift_expr map_element(struct normal *n, lift_nat i, lift_expr map)
{
    lift_expr x = element(n, i, map->u.prim.args[1]);

    x = x ? head(n, x) : NULL;
    return x ? lift_expr_apply(n->ir, map->u.prim.args[0], &x) : NULL;
}

static lift_expr array_element(struct normal *n, lift_nat i, lift_expr array)
{
    int64_t at;
    lift_expr index;

    if (!lift_nat_is_const(i, &at))
        return NULL;
    index = lift_expr_int(n->ir, at);
    return lift_expr_apply(n->ir, array->u.prim.args[0], &index);
}

/* Returns element 'i' of 'xs'; NULL: unknown. */
static lift_expr element_value(struct normal *n, lift_nat i, lift_expr xs)
{
    const lift_nat *nats = xs->u.prim.nats;
    lift_expr x;

    if (xs->kind != LIFT_EXPR_PRIM || xs->arg_count == 0)
        return NULL;
    x = xs->u.prim.args[0];
    switch (xs->op) {
    case LIFT_MAP:
        return map_element(n, i, xs);
    case LIFT_ZIP:
        return zip_element(n, i, xs);
    case LIFT_PAD:
        return pad_element(n, i, xs);
    case LIFT_TAKE:
        return element(n, i, x);
    case LIFT_DROP:
        return element(n, lift_nat_add(i, nats[0]), x);
    case LIFT_TRANSPOSE:
        return column(n, i, x);
    case LIFT_SLIDE:
        return stretch(n, lift_nat_mul(i, nats[1]), nats[0], x);
    case LIFT_SPLIT:
        return stretch(n, lift_nat_mul(i, nats[0]), nats[0], x);
    case LIFT_JOIN:
        return join_element(n, i, x);
    case LIFT_CONCAT:
        return concat_element(n, i, xs);
    case LIFT_ARRAY:
        return array_element(n, i, xs);
    default:
        return NULL;
    }
}

static lift_expr member_value(struct normal *n, int k, lift_expr tuple)
{
    if (lift_expr_is(tuple, LIFT_TUPLE))
        return tuple->u.prim.args[k];
    if (!lift_expr_is(tuple, LIFT_UNZIP))
        return NULL;
    return nd_map_get(n->ir, k, tuple->u.prim.args[0]);
}

/* Resolves an element or member. 'of' is the resolved array or tuple. */
static lift_expr projection(struct normal *n, lift_expr e, lift_expr of)
{
    bool at = e->op == LIFT_AT;
    lift_expr value = at ? element_value(n, e->u.prim.nats[0], of)
                         : member_value(n, e->u.prim.attrs.get.k, of);

    if (value)
        return head(n, value);
    return at ? element(n, e->u.prim.nats[0], of)
              : lift_get(n->ir, e->u.prim.attrs.get.k, of);
}

static lift_expr fail(struct normal *n)
{
    n->failed = true;
    return NULL;
}

/* Resolves an element, member or let, if its value is known; returns other expressions
 * unchanged. */
static lift_expr head(struct normal *n, lift_expr e)
{
    lift_expr to = e;

    if (!e || n->failed || n->steps++ > MAX_STEPS)
        return fail(n);
    if (!lift_expr_is(e, LIFT_AT) && !lift_expr_is(e, LIFT_GET) &&
        !lift_expr_is(e, LIFT_LET))
        return e;
    to = lift_ptrmap_get(&n->heads, e);
    if (to)
        return to;
    if (e->op == LIFT_LET) {
        to = head(n, lift_expr_apply(n->ir, e->u.prim.args[1], &e->u.prim.args[0]));
    } else {
        lift_expr of = head(n, e->u.prim.args[0]);

        to = of ? projection(n, e, of) : NULL;
    }
    if (!to)
        return fail(n);
    lift_ptrmap_put(&n->heads, e, (void *)to);
    return to;
}

lift_expr retime_unrolled(struct lift_ir *ir, lift_expr e)
{
    lift_expr xs = e->u.prim.args[2], step[2] = {e->u.prim.args[1]};
    int64_t len;

    if (!lift_nat_is_const(xs->type->len, &len) || len > MAX_REDUCE)
        return NULL;
    for (int64_t i = 0; i < len && step[0] && step[0]->size < MAX_SIZE; i++) {
        step[1] = lift_at(ir, i, xs);
        step[0] = lift_expr_apply(ir, e->u.prim.args[0], step);
    }
    return step[0] && step[0]->size < MAX_SIZE ? step[0] : NULL;
}

static lift_expr normal(struct normal *n, lift_expr e);

static bool is_integer(lift_expr e, int64_t *value)
{
    bool is = e->kind == LIFT_EXPR_LIT && lift_type_is_scalar(e->type, LIFT_I32);

    if (is)
        *value = e->u.integer;
    return is ||
           (lift_expr_is(e, LIFT_NAT) && lift_nat_is_const(e->u.prim.nats[0], value));
}

/* Evaluates exact operations on small integers, and the conversion of a small integer to
 * a float. Weights that depend on an index contain such operations. */
static lift_expr folded(struct lift_ir *ir, lift_expr e)
{
    static const int64_t most = 1 << 24;
    int64_t a, b = 0, value;

    if (e->arg_count < 1 || e->arg_count > 2 || !is_integer(e->u.prim.args[0], &a) ||
        !is_integer(e->u.prim.args[e->arg_count - 1], &b) || llabs(a) > most ||
        llabs(b) > most)
        return e;
    if (e->op == LIFT_TO_F32 || e->op == LIFT_TO_F64)
        return lift_expr_float(ir, e->type->scalar, (double)a);
    if (e->op != LIFT_ADD && e->op != LIFT_SUB && e->op != LIFT_MUL)
        return e;
    value = e->op == LIFT_ADD ? a + b : e->op == LIFT_SUB ? a - b : a * b;
    return llabs(value) > most ? e : lift_expr_int(ir, value);
}

/* Normalises the arguments of an operation. */
static lift_expr normal_operands(struct normal *n, lift_expr e)
{
    lift_expr children[LIFT_MAX_ARGS], to;

    for (int i = 0; i < e->arg_count; i++)
        if (!(children[i] = normal(n, e->u.prim.args[i])))
            return NULL;
    to = lift_expr_rebuild(n->ir, e, children, NULL);
    to = to ? folded(n->ir, to) : NULL;
    return to && to->size < MAX_SIZE ? to : fail(n);
}

static bool is_operation(lift_expr e)
{
    return e->kind == LIFT_EXPR_PRIM && e->arg_count > 0 &&
           (e->op == LIFT_TUPLE || e->op == LIFT_TO_PRIVATE ||
            lift_prim_info(e->op)->level == LIFT_LEVEL_SCALAR);
}

static lift_expr normal(struct normal *n, lift_expr e)
{
    lift_expr to = lift_ptrmap_get(&n->done, e), value;

    if (to || e->type->kind == LIFT_TYPE_ARRAY)
        return to ? to : e;
    value = head(n, e);
    if (!value)
        return NULL;
    to = value;
    if (is_operation(value)) {
        to = normal_operands(n, value);
    } else if (lift_expr_is(value, LIFT_REDUCE)) {
        lift_expr chain = retime_unrolled(n->ir, value);

        to = chain ? normal(n, chain) : value;
    }
    if (to)
        lift_ptrmap_put(&n->done, e, (void *)to);
    return to;
}

lift_expr retime_normal(struct lift_ir *ir, lift_expr e)
{
    struct normal n = {.ir = ir};
    lift_expr to = normal(&n, e);

    lift_ptrmap_fini(&n.heads);
    lift_ptrmap_fini(&n.done);
    return n.failed ? NULL : to;
}
