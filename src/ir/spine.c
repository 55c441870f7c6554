#include "lift/spine.h"

int lift_moved_slot(lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return -1;
    switch (e->op) {
    case LIFT_JOIN:
    case LIFT_SPLIT:
    case LIFT_TRANSPOSE:
    case LIFT_TAKE:
    case LIFT_DROP:
    case LIFT_UNZIP:
    case LIFT_AS_SCALAR:
    case LIFT_ALIGN_ROWS:
    case LIFT_APART:
    case LIFT_PREFETCH:
    case LIFT_JOIN_SHIFT:
        return 0;
    case LIFT_IN_PLACE:
        return 1;
    case LIFT_MAP:
        return lift_is_movement(e->u.prim.args[0]) ? 1 : -1;
    default:
        return -1;
    }
}

bool lift_is_movement(lift_expr lambda)
{
    lift_expr e = lambda->u.lambda.body;
    bool moved = false;

    while (lambda->arg_count == 1 && lift_moved_slot(e) >= 0) {
        e = lift_expr_child(e, lift_moved_slot(e));
        moved = true;
    }
    return moved && e->kind == LIFT_EXPR_BOUND && e->u.index == 0;
}
