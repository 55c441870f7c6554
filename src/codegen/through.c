/* Storage nodes that need no memory. In straight-line code with a boundary check per
 * element, copies in registers are read at their source. Vectors are read as the scalars
 * that form them. */
#include "codegen/gen.h"

static bool is_identity(lift_expr lambda)
{
    lift_expr body = lambda->u.lambda.body;

    return body->kind == LIFT_EXPR_BOUND && body->u.index == 0;
}

/* True if 'e' moves elements and computes nothing. */
static bool moves_only(lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return e->kind != LIFT_EXPR_LAMBDA;
    if (lift_op_is_map(e->op))
        return moves_only(e->u.prim.args[0]->u.lambda.body) &&
               moves_only(e->u.prim.args[1]);
    for (int i = 0; i < e->arg_count; i++)
        if (e->u.prim.args[i]->kind != LIFT_EXPR_LAMBDA && !moves_only(e->u.prim.args[i]))
            return false;
    return lift_op_is_view(e->op);
}

bool cg_reads_through(const struct gen *g, lift_expr e)
{
    return g->part_of_unrolled && !g->windows && e->op == LIFT_TO_PRIVATE &&
           moves_only(e->u.prim.args[0]);
}

lift_expr cg_scalars_under(lift_expr e)
{
    int width;

    if (!lift_expr_is(e, LIFT_AS_SCALAR))
        return NULL;
    e = e->u.prim.args[0];
    width = e->type->elem->count;
    while (e->kind == LIFT_EXPR_PRIM && lift_op_is_map(e->op) &&
           is_identity(e->u.prim.args[0]))
        e = e->u.prim.args[1];
    return lift_expr_is(e, LIFT_AS_VECTOR) && e->type->elem->count == width
               ? e->u.prim.args[0]
               : NULL;
}
