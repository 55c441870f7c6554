/* Results that no map computes. The loop of a map stores the values that it computes.
 * Other views need a copy, which is also a map:
 *
 *     view = map_n(fun(e => e), view)
 *
 * over all its dimensions, in each part of the result that is such a view. Members of
 * tuples, parts of concatenations and sides of conditions are parts of the result. */
#include "ir/spine.h"
#include "rules/native/natives.h"
#include "rules/nd.h"

static bool is_scalars(lift_type t)
{
    bool all = t->kind == LIFT_TYPE_TUPLE;

    for (int i = 0; all && i < t->count; i++)
        all = is_scalars(t->parts[i]);
    return all || lift_type_is_value(t);
}

/* True if 'e' and all parts of 'e' are views. An 'inject' is not a view, since points add
 * to a stored grid. */
static bool is_view(lift_expr e)
{
    bool parts = lift_moves_each(e) || lift_expr_is(e, LIFT_SELECT);
    int moved = lift_moved_slot(e);

    if (e->kind != LIFT_EXPR_PRIM)
        return true;
    if (lift_expr_is_storage(e) || e->op == LIFT_LET || e->op == LIFT_MAP_SEQ_SLIDE ||
        e->op == LIFT_INJECT || (moved < 0 && lift_op_is_map(e->op)))
        return false;
    for (int i = e->op == LIFT_SELECT; parts && i < e->arg_count; i++)
        if (!is_view(lift_expr_arg(e, i)))
            return false;
    return moved < 0 || is_view(lift_expr_arg(e, moved));
}

/* ---- copies */

static lift_expr copy(struct lift_ir *ir, lift_expr e);

static lift_expr copy_row(struct lift_ir *ir, lift_expr e)
{
    static const char *const names[] = {"e"};
    lift_expr body = copy(ir, lift_expr_bound(ir, 0, e->type->elem));

    return body ? lift_map(ir, lift_expr_lambda(ir, &e->type->elem, 1, names, body), e)
                : NULL;
}

static lift_expr copy(struct lift_ir *ir, lift_expr e)
{
    lift_expr members[LIFT_MAX_ARGS];

    if (e->type->kind == LIFT_TYPE_ARRAY)
        return copy_row(ir, e);
    if (is_scalars(e->type))
        return e;
    for (int i = 0; i < e->type->count; i++) {
        members[i] = lift_get(ir, i, e);
        members[i] = members[i] ? copy(ir, members[i]) : NULL;
    }
    return lift_call(ir, LIFT_TUPLE, members, e->type->count);
}

/* ---- members */

static lift_expr member(struct lift_ir *ir, int k, lift_expr e);

static lift_expr member_of_let(struct lift_ir *ir, int k, lift_expr e)
{
    lift_expr f = lift_expr_arg(e, 1);

    f = lift_expr_with_child(ir, f, 0, member(ir, k, f->u.lambda.body));
    return lift_let(ir, lift_expr_arg(e, 0), f);
}

static lift_expr member_of_unzip(struct lift_ir *ir, int k, lift_expr e)
{
    static const char *const names[] = {"e"};
    lift_expr xs = lift_expr_arg(e, 0), body;

    if (lift_expr_is(xs, LIFT_ZIP))
        return lift_expr_arg(xs, k);
    body = lift_get(ir, k, lift_expr_bound(ir, 0, xs->type->elem));
    return lift_map(ir, lift_expr_lambda(ir, &xs->type->elem, 1, names, body), xs);
}

/* Returns member 'k' of the tuple 'e'. Moves the selection towards the origin of the
 * tuple as far as possible. */
static lift_expr member(struct lift_ir *ir, int k, lift_expr e)
{
    lift_expr sides[2];

    if (lift_expr_is(e, LIFT_TUPLE))
        return lift_expr_arg(e, k);
    if (lift_expr_is(e, LIFT_LET))
        return member_of_let(ir, k, e);
    if (lift_expr_is(e, LIFT_UNZIP))
        return member_of_unzip(ir, k, e);
    if (!lift_expr_is(e, LIFT_SELECT))
        return lift_get(ir, k, e);
    for (int i = 0; i < 2; i++)
        sides[i] = member(ir, k, lift_expr_arg(e, i + 1));
    return lift_call3(ir, LIFT_SELECT, lift_expr_arg(e, 0), sides[0], sides[1]);
}

/* ---- results */

static lift_expr stored(struct lift_ir *ir, lift_expr e);

static lift_expr stored_child(struct lift_ir *ir, lift_expr e, int slot)
{
    lift_expr child = lift_expr_child(e, slot), to = stored(ir, child);

    return to == child ? e : lift_expr_with_child(ir, e, slot, to);
}

/* Rewrites the body of the function in a slot. */
static lift_expr stored_body(struct lift_ir *ir, lift_expr e, int slot)
{
    lift_expr f = lift_expr_arg(e, slot), to = stored_child(ir, f, 0);

    return to == f ? e : lift_expr_with_child(ir, e, slot, to);
}

static lift_expr stored_parts(struct lift_ir *ir, lift_expr e, int first)
{
    int count = e->arg_count;

    for (int i = first; e && i < count; i++)
        e = stored_child(ir, e, i);
    return e;
}

static lift_expr stored_members(struct lift_ir *ir, lift_expr e)
{
    lift_expr members[LIFT_MAX_ARGS];

    for (int i = 0; i < e->type->count; i++) {
        members[i] = member(ir, i, e);
        members[i] = members[i] ? stored(ir, members[i]) : NULL;
    }
    return lift_call(ir, LIFT_TUPLE, members, e->type->count);
}

/* Stores a member of a tuple, separately from the other members if possible. */
static lift_expr stored_get(struct lift_ir *ir, lift_expr e)
{
    lift_expr to = member(ir, e->u.prim.attrs.get.k, lift_expr_arg(e, 0));

    return !to || to == e ? copy(ir, e) : stored(ir, to);
}

/* True for a choice whose side stores a value that all members need. The members then
 * stay together. */
static bool chooses_stored(lift_expr e)
{
    return lift_expr_is(e, LIFT_SELECT) && lift_expr_is(lift_expr_arg(e, 1), LIFT_LET) &&
           lift_expr_is_storage(lift_expr_arg(lift_expr_arg(e, 1), 0));
}

static lift_expr stored_prim(struct lift_ir *ir, lift_expr e)
{
    int moved = lift_moved_slot(e);

    if (lift_op_is_map(e->op) && moved < 0)
        return stored_body(ir, e, 0);
    if (e->op == LIFT_LET)
        return stored_body(ir, e, 1);
    if (e->op == LIFT_MAP_SEQ_SLIDE)
        return stored_body(ir, e, 0);
    if (e->op == LIFT_TUPLE || e->op == LIFT_CONCAT)
        return stored_parts(ir, e, 0);
    if (e->op == LIFT_UNZIP || lift_expr_is_storage(e))
        return stored_child(ir, e, 0);
    if (e->op == LIFT_GET)
        return stored_get(ir, e);
    if (chooses_stored(e))
        return stored_parts(ir, e, 1);
    if (e->type->kind == LIFT_TYPE_TUPLE)
        return stored_members(ir, e);
    if (is_view(e))
        return copy(ir, e);
    if (moved >= 0)
        return stored_child(ir, e, moved);
    return stored_parts(ir, e, e->op == LIFT_SELECT);
}

static lift_expr stored(struct lift_ir *ir, lift_expr e)
{
    if (is_scalars(e->type))
        return e;
    if (e->kind == LIFT_EXPR_PRIM)
        return stored_prim(ir, e);
    return e->type->kind == LIFT_TYPE_TUPLE ? stored_members(ir, e) : copy(ir, e);
}

void rule_copy_views(struct rule_redex *redex)
{
    lift_expr to;

    if (!lift_type_is_data(redex->at->type))
        return;
    to = stored(redex->ir, redex->at);
    if (to != redex->at)
        redex_emit(redex, to);
}
