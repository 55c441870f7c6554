#include "rules/nd.h"
#include "ir/expr.h"
#include "ir/view.h"

bool nd_is_own(lift_expr e)
{
    return e->kind == LIFT_EXPR_BOUND && e->u.index == 0;
}

bool nd_is_map(struct lift_ir *ir, int d, lift_expr e, lift_expr *f, lift_expr *xs)
{
    if (!lift_expr_is(e, LIFT_MAP))
        return false;
    *xs = e->u.prim.args[1];
    *f = e->u.prim.args[0];
    for (int i = 1; i < d; i++) {
        lift_expr inner = (*f)->u.lambda.body;

        if (!lift_expr_is(inner, LIFT_MAP) || !nd_is_own(inner->u.prim.args[1]))
            return false;
        *f = inner->u.prim.args[0];
    }
    if (lift_expr_uses_bound(*f, 0, d - 1))
        return false;
    *f = lift_expr_shift(ir, *f, -(d - 1), 0);
    return true;
}

int nd_is_zip(struct lift_ir *ir, int d, lift_expr e, lift_expr xs[LIFT_MAX_ARGS])
{
    lift_expr zip = d > 1 && lift_expr_is(e, LIFT_MAP) ? e->u.prim.args[1] : e;
    int count = zip->arg_count;

    if (!lift_expr_is(zip, LIFT_ZIP))
        return 0;
    for (int i = 0; i < count; i++) {
        if (lift_type_rank(zip->u.prim.args[i]->type) < d)
            return 0;
        xs[i] = zip->u.prim.args[i];
    }
    return d == 1 || lift_zip_n(ir, d, xs, count) == e ? count : 0;
}

/* Parses the form that slide_n and tile_n share: map(sink, op(map(inner, xs))). */
static bool windows(int d, lift_expr e, enum lift_op op, struct nd_window *w,
                    lift_expr *xs)
{
    lift_expr node = d > 1 && lift_expr_is(e, LIFT_MAP) ? e->u.prim.args[1] : e;
    lift_expr y;

    for (int i = 0; i < d; i++) {
        if (!lift_expr_is(node, op))
            return false;
        w->size[i] = node->u.prim.nats[0];
        w->step[i] = node->u.prim.nats[1];
        y = node->u.prim.args[0];
        if (i == d - 1)
            break;
        if (!lift_expr_is(y, LIFT_MAP))
            return false;
        node = y->u.prim.args[0]->u.lambda.body;
        if (i == 0)
            *xs = y->u.prim.args[1];
        if (i < d - 2) {
            if (!lift_expr_is(node, LIFT_MAP))
                return false;
            node = node->u.prim.args[1];
        }
    }
    if (d == 1)
        *xs = y;
    return true;
}

bool nd_is_slide(struct lift_ir *ir, int d, lift_expr e, struct nd_window *w,
                 lift_expr *xs)
{
    if (!windows(d, e, LIFT_SLIDE, w, xs) || lift_type_rank((*xs)->type) < d)
        return false;
    return d == 1 || lift_slide_n(ir, d, w->size, w->step, *xs) == e;
}

lift_type nd_under(lift_type t, int d)
{
    while (d-- > 0)
        t = t->elem;
    return t;
}

lift_type nd_bound_type(lift_expr e, int index)
{
    int inside = e->kind == LIFT_EXPR_LAMBDA ? index + e->arg_count : index;
    lift_type t = NULL;

    if (e->loose <= index)
        return NULL;
    if (e->kind == LIFT_EXPR_BOUND)
        return e->u.index == index ? e->type : NULL;
    for (int i = 0; !t && i < lift_expr_child_count(e); i++)
        t = nd_bound_type(lift_expr_child(e, i), inside);
    return t;
}

lift_expr nd_map_get(struct lift_ir *ir, int k, lift_expr xs)
{
    lift_expr q = xs ? lift_fresh(ir, "q", xs->type->elem) : NULL;

    return lift_map(ir, lift_fun(ir, lift_get(ir, k, q), q), xs);
}

lift_expr nd_map_windows(struct lift_ir *ir, const char *hint, int d,
                         const struct nd_window *w, lift_expr xs)
{
    lift_expr p = lift_fresh(ir, hint, xs->type->elem);

    return lift_map(ir, lift_fun(ir, lift_slide_n(ir, d, w->size + 1, w->step + 1, p), p),
                    xs);
}

bool nd_lengths(lift_type t, int d, lift_nat len[LIFT_MAX_DIMS])
{
    if (lift_type_rank(t) < d)
        return false;
    for (int i = 0; i < d; i++, t = t->elem)
        len[i] = t->len;
    return true;
}

lift_expr nd_identity(struct lift_ir *ir, const char *hint, lift_type t)
{
    return lift_expr_lambda(ir, &t, 1, &hint, lift_expr_bound(ir, 0, t));
}

bool nd_is_copy(lift_expr map)
{
    return nd_is_own(map->u.prim.args[0]->u.lambda.body);
}

lift_expr nd_copy(struct lift_ir *ir, int d, lift_expr xs)
{
    return xs ? lift_map_n(ir, d, nd_identity(ir, "e", nd_under(xs->type, d)), xs) : NULL;
}

lift_expr nd_copy_all(struct lift_ir *ir, lift_expr xs)
{
    return xs ? nd_copy(ir, lift_type_rank(xs->type), xs) : NULL;
}

lift_expr nd_replace(struct lift_ir *ir, lift_expr e, lift_expr from, lift_expr to)
{
    return lift_expr_replace(ir, e, &from, &to, 1);
}

lift_expr nd_apply_members(struct lift_ir *ir, lift_expr f, const lift_expr *members,
                           int count)
{
    lift_expr tuple = lift_call(ir, LIFT_TUPLE, members, count), t, body;

    if (!tuple || tuple->type != f->type->parts[0])
        return NULL;
    t = lift_fresh(ir, "t", tuple->type);
    body = lift_expr_apply(ir, f, &t);
    for (int i = 0; i < count; i++)
        body = nd_replace(ir, body, lift_get(ir, i, t), members[i]);
    f = lift_fun(ir, body, t);
    return lift_expr_apply(ir, f, &tuple);
}

int nd_count(lift_expr e, lift_expr what, int limit)
{
    int count = 0;

    if (e == what)
        return 1;
    for (int i = 0; i < lift_expr_child_count(e) && count < limit; i++)
        count += nd_count(lift_expr_child(e, i), what, limit - count);
    return count;
}

bool nd_is_view(lift_expr e)
{
    if (e->kind == LIFT_EXPR_PRIM && e->op != LIFT_MAP && !lift_op_is_view(e->op))
        return false;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (!nd_is_view(lift_expr_child(e, i)))
            return false;
    return true;
}

lift_expr nd_size(struct lift_ir *ir, lift_nat n)
{
    struct lift_prim_args a = {.nats = {n}};
    int64_t value;

    return lift_nat_is_const(n, &value) ? lift_expr_int(ir, value)
                                        : lift_make(ir, LIFT_NAT, &a);
}
