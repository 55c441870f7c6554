/* Turning brings one dimension outside, that of the first number, and keeps the order of
 * the others. It goes through zips, and through windows, whose own dimensions turn with
 * it:
 *
 *     slide_n(n, s, y) turned = map_n(fun(w => w turned back), slide_n(n', s', y turned))
 */
#include "rules/native/natives.h"
#include "rules/native/regions/regions.h"
#include "rules/nd.h"

/* What is turned to give 'e'; NULL if nothing is. */
static lift_expr turned_from(struct lift_ir *ir, int dim, lift_expr e)
{
    lift_expr xs = e->u.prim.args[0];

    if (dim == 1)
        return xs;
    xs = lift_expr_is(xs, LIFT_MAP) ? xs->u.prim.args[1] : NULL;
    return xs && lift_type_rank(xs->type) > dim && lift_turn(ir, dim, xs) == e ? xs
                                                                               : NULL;
}

void rule_turn_zip(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    int d = redex->numbers.dims, dim = redex->numbers.dim;
    lift_expr xs = turned_from(ir, dim, redex->at), members[LIFT_MAX_ARGS];
    int count = xs ? nd_is_zip(ir, d, xs, members) : 0;

    if (!count)
        return;
    for (int i = 0; i < count; i++)
        members[i] = lift_turn(ir, dim, members[i]);
    redex_emit(redex, lift_zip_n(ir, d, members, count));
}

/* Sizes and steps, in the order that the dimensions have now. */
static struct nd_window turned_window(const struct nd_window *w, int d, int dim)
{
    struct nd_window out = *w;

    out.size[0] = w->size[dim];
    out.step[0] = w->step[dim];
    for (int i = 1; i < d; i++) {
        out.size[i] = w->size[i <= dim ? i - 1 : i];
        out.step[i] = w->step[i <= dim ? i - 1 : i];
    }
    return out;
}

void rule_turn_slide(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    int d = redex->numbers.dims, dim = redex->numbers.dim;
    lift_expr xs = turned_from(ir, dim, redex->at), y;
    struct nd_window w;
    lift_expr window;

    if (!xs || !nd_is_slide(ir, d, xs, &w, &y))
        return;
    w = turned_window(&w, d, dim);
    xs = lift_slide_n(ir, d, w.size, w.step, lift_turn(ir, dim, y));
    if (!xs)
        return;
    window = lift_fresh(ir, "w", nd_under(xs->type, d));
    redex_emit(redex,
               lift_map_n(ir, d, lift_fun(ir, lift_unturn(ir, dim, window), window), xs));
}
