/* Tiles of a zip. With m of d dimensions tiled,
 *
 *     tile_m(k, zip_d(x, y, ...)) = map_m(fun(t => zip_d(t.0, t.1, ...)),
 *                                         zip_m(tile_m(k, x), tile_m(k, y), ...))
 *
 * and so are tiles that are shifted inward, slideShift_m(k, k, ...), by slideShift_m. */
#include "rules/native/natives.h"
#include "rules/nd.h"

/* How an array is cut in tiles. */
struct tiles {
    struct rule_numbers of;
    bool shift;
    lift_nat k[LIFT_MAX_DIMS];
};

/* Windows of a step other than their size are no tiles. */
static bool is_shifted(struct lift_ir *ir, struct tiles *t, lift_expr e, lift_expr *xs)
{
    struct nd_window w;

    if (!nd_is_slide_shift(ir, t->of.first, e, &w, xs))
        return false;
    for (int i = 0; i < t->of.first; i++) {
        t->k[i] = w.size[i];
        if (w.size[i] != w.step[i])
            return false;
    }
    return true;
}

/* ---- zips */

static lift_expr zip_members(struct lift_ir *ir, void *user, lift_expr t)
{
    lift_expr members[LIFT_MAX_ARGS];

    for (int i = 0; i < t->type->count; i++)
        members[i] = lift_get(ir, i, t);
    return lift_zip_n(ir, *(int *)user, members, t->type->count);
}

static void push_zip(struct rule_redex *redex, struct tiles *t)
{
    lift_expr members[LIFT_MAX_ARGS], z;
    struct lift_ir *ir = redex->ir;
    int m, count;

    t->of = redex->numbers;
    if (t->shift ? !is_shifted(ir, t, redex->at, &z)
                 : !nd_is_tile(ir, t->of.first, redex->at, t->k, &z))
        return;
    m = t->of.first;
    count = nd_is_zip(ir, t->of.dims, z, members);
    if (!count)
        return;
    for (int i = 0; i < count; i++)
        members[i] = t->shift ? lift_slide_shift_n(ir, m, t->k, t->k, members[i])
                              : lift_tile_n(ir, m, t->k, members[i]);
    z = lift_zip_n(ir, m, members, count);
    if (z)
        z = lift_map_n(
            ir, m, lift_lambda(ir, "t", nd_under(z->type, m), zip_members, &t->of.dims),
            z);
    redex_emit(redex, z);
}

void rule_tile_zip(struct rule_redex *redex)
{
    push_zip(redex, &(struct tiles){.shift = false});
}

void rule_shift_zip(struct rule_redex *redex)
{
    push_zip(redex, &(struct tiles){.shift = true});
}
