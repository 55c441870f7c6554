/* Several planes per step. The points of all planes at one index are straight-line code,
 * which shares their reads. */
#include "rules/native/stages/parts.h"
#include "rules/nd.h"

/* Transposes through all inner dimensions: the outermost of 'dims' becomes the innermost,
 * or the innermost becomes the outermost. */
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

/* ---- many planes */

enum { TOGETHER = 2 }; /* planes whose points are straight-line code */

static lift_expr joined(const struct stages *x, lift_expr planes)
{
    return x->of.dims > 2 ? lift_call1(x->ir, LIFT_JOIN, planes) : planes;
}

static lift_expr split_again(const struct stages *x, lift_nat rows, lift_expr planes)
{
    return x->of.dims > 2 && planes ? lift_call_nat(x->ir, LIFT_SPLIT, rows, planes)
                                    : planes;
}

static lift_expr turned_each(const struct stages *x, bool inward, lift_expr groups)
{
    struct turn turn = {x->of.dims, inward};

    return groups ? lift_map(x->ir,
                             lift_lambda(x->ir, "g", groups->type->elem, turned, &turn),
                             groups)
                  : NULL;
}

/* Copies pairs of planes. Each pair is transposed, so that its two points at one index
 * are adjacent. */
static lift_expr pairs(const struct stages *x, lift_nat rows, lift_expr planes)
{
    lift_nat two = lift_nat_const(lift_ir_nats(x->ir), TOGETHER);
    int loops = x->of.dims > 2 ? x->of.dims : x->of.dims + 1;
    lift_expr xs = lift_call_nat(x->ir, LIFT_SPLIT, two, planes);

    xs = turned_each(x, true, xs);
    xs = xs ? copied(x->ir, &loops, joined(x, xs)) : NULL;
    xs = turned_each(x, false, split_again(x, rows, xs));
    return xs ? lift_call1(x->ir, LIFT_JOIN, xs) : NULL;
}

lift_expr stages_rows(const struct stages *x, lift_expr planes)
{
    lift_nat len[LIFT_MAX_DIMS];

    if (!planes || !nd_lengths(planes->type, 2, len))
        return NULL;
    if (lift_nat_is(lift_nat_mod(len[0], lift_nat_const(lift_ir_nats(x->ir), TOGETHER)),
                    0))
        return pairs(x, len[1], planes);
    return split_again(x, len[1], nd_copy_all(x->ir, joined(x, planes)));
}
