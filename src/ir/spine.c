#include "ir/spine.h"
#include "ir/view.h"

int lift_moved_slot(lift_expr e)
{
    int moved;

    if (e->kind != LIFT_EXPR_PRIM)
        return -1;
    if (e->op == LIFT_MAP)
        return lift_is_movement(e->u.prim.args[0]) ? 1 : -1;
    moved = lift_view_moved(e->op);
    return moved >= 0 ? moved : -1;
}

bool lift_moves_each(lift_expr e)
{
    return e->kind == LIFT_EXPR_PRIM && lift_view_moved(e->op) == LIFT_MOVES_EACH;
}

bool lift_is_grids(lift_type t)
{
    bool all = t->kind == LIFT_TYPE_TUPLE;

    for (int i = 0; all && i < t->count; i++)
        all = lift_is_grids(t->parts[i]);
    return all || t->kind == LIFT_TYPE_ARRAY;
}

bool lift_is_repeated(lift_expr e)
{
    return lift_expr_is(e, LIFT_ITERATE) && lift_is_grids(e->type) &&
           lift_expr_is(e->u.prim.args[0]->u.lambda.body, LIFT_TO_GLOBAL);
}

bool lift_is_long(lift_expr e)
{
    int64_t steps;

    if (!lift_expr_is(e, LIFT_ITERATE) || !lift_is_grids(e->type) || lift_is_repeated(e))
        return false;
    return !lift_nat_is_const(e->u.prim.nats[0], &steps) || steps > LIFT_MOST_NAMED;
}

bool lift_is_movement(lift_expr lambda)
{
    lift_expr e = lambda->u.lambda.body;
    bool moved = false;

    while (lambda->arg_count == 1 && lift_moved_slot(e) >= 0 && e->op != LIFT_INJECT) {
        e = lift_expr_child(e, lift_moved_slot(e));
        moved = true;
    }
    return moved && e->kind == LIFT_EXPR_BOUND && e->u.index == 0;
}

/* True if the value of a function is its parameter, or a copy of its parameter. */
static bool copies(lift_expr f)
{
    lift_expr e = lift_copied(f->u.lambda.body);

    return f->arg_count == 1 && e->kind == LIFT_EXPR_BOUND && e->u.index == 0;
}

lift_expr lift_copied(lift_expr e)
{
    while (e->kind == LIFT_EXPR_PRIM && lift_op_is_map(e->op) &&
           copies(e->u.prim.args[0]))
        e = e->u.prim.args[1];
    return e;
}

lift_expr lift_copied_member(lift_expr e, int *k)
{
    lift_expr xs = lift_copied(e);

    if (xs == e || !lift_expr_is(xs, LIFT_GET) ||
        xs->u.prim.args[0]->kind != LIFT_EXPR_BOUND)
        return NULL;
    *k = xs->u.prim.attrs.get.k;
    return xs->u.prim.args[0];
}

bool lift_leads_to_result(lift_expr e, int child)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return e->kind == LIFT_EXPR_LAMBDA;
    return e->op == LIFT_LET ? child == 1
                             : (lift_expr_is_placed(e) || e->op == LIFT_IN_PLACE) &&
                                   child == e->arg_count - 1;
}

static int most_dims(lift_type t)
{
    int most = t->kind == LIFT_TYPE_TUPLE ? 0 : lift_type_rank(t);

    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++) {
        int dims = most_dims(t->parts[i]);

        most = dims > most ? dims : most;
    }
    return most;
}

bool lift_has_fewer_dims(lift_type tuple, int i)
{
    return most_dims(tuple->parts[i]) < most_dims(tuple);
}

int lift_stages_stored(lift_expr e)
{
    int count = 0;

    while (e->kind == LIFT_EXPR_PRIM &&
           (lift_expr_is_placed(e) || e->op == LIFT_IN_PLACE || e->op == LIFT_LET)) {
        bool let = e->op == LIFT_LET;

        count += let && lift_expr_is(e->u.prim.args[0], LIFT_TO_GLOBAL);
        e = e->u.prim.args[e->arg_count - 1];
        e = let ? e->u.lambda.body : e;
    }
    return count;
}

bool lift_writes_once(lift_expr e)
{
    bool all = lift_expr_is(e, LIFT_CONCAT) || lift_expr_is(e, LIFT_TUPLE) ||
               lift_expr_is(e, LIFT_ZIP) || lift_expr_is(e, LIFT_SELECT) ||
               lift_expr_is(e, LIFT_INSET_BOX);

    if (e->kind != LIFT_EXPR_PRIM ||
        (e->type->kind != LIFT_TYPE_ARRAY && e->type->kind != LIFT_TYPE_TUPLE))
        return true;
    if (lift_expr_is(e, LIFT_JOIN_SHIFT))
        return false;
    if (lift_moved_slot(e) >= 0)
        return lift_writes_once(lift_expr_arg(e, lift_moved_slot(e))) &&
               (e->op != LIFT_MAP ||
                lift_writes_once(lift_expr_arg(e, 0)->u.lambda.body));
    if (lift_op_is_map(e->op) || lift_expr_is(e, LIFT_MAP_SEQ_SLIDE))
        return lift_writes_once(lift_expr_arg(e, 0)->u.lambda.body);
    if (lift_expr_is(e, LIFT_LET))
        return lift_writes_once(lift_expr_arg(e, 1)->u.lambda.body);
    if (lift_expr_is(e, LIFT_AS_SCALAR))
        return lift_writes_once(lift_expr_arg(e, 0));
    for (int i = e->op == LIFT_SELECT; all && i < e->arg_count; i++)
        if (!lift_writes_once(lift_expr_arg(e, i)))
            return false;
    return all;
}
