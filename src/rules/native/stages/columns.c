/* Planes that are made together: the points at one place of all of them are straight-line
 * code, which shares what they read. */
#include "rules/native/nd.h"
#include "rules/native/stages/parts.h"

/* transpose past all dimensions inside: the outermost of 'dims' becomes the innermost, or
 * the innermost the outermost. */
struct turn {
    int dims;
    bool inward;
};

static lift_expr turned(struct lift_ir *ir, void *user, lift_expr xs)
{
    struct turn inside = *(struct turn *)user;

    if (inside.dims-- < 2)
        return xs;
    if (inside.inward)
        xs = lift_call1(ir, LIFT_TRANSPOSE, xs);
    if (inside.dims > 1)
        xs = lift_map(ir, lift_lambda(ir, "q", xs->type->elem, turned, &inside), xs);
    return inside.inward ? xs : lift_call1(ir, LIFT_TRANSPOSE, xs);
}

static lift_expr copied(struct lift_ir *ir, void *user, lift_expr xs)
{
    int inside = *(int *)user - 1;
    struct lift_prim_args a = {.arg_count = 2, .args = {NULL, xs}};

    if (inside > 0)
        return lift_map(ir, lift_lambda(ir, "q", xs->type->elem, copied, &inside), xs);
    a.args[0] = nd_identity(ir, "e", xs->type->elem);
    return lift_make(ir, LIFT_MAP_UNROLL, &a);
}

lift_expr stages_columns(const struct stages *x, lift_expr planes)
{
    struct turn turn = {x->of.dims, true};
    int dims = x->of.dims;
    lift_expr xs = planes ? copied(x->ir, &dims, turned(x->ir, &turn, planes)) : NULL;

    turn.inward = false;
    return xs ? turned(x->ir, &turn, xs) : NULL;
}
