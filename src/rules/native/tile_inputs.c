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

static lift_expr tiles_of(struct lift_ir *ir, const struct tiles *t, lift_expr xs)
{
    return t->shift ? lift_slide_shift_n(ir, t->of.first, t->k, t->k, xs)
                    : lift_tile_n(ir, t->of.first, t->k, xs);
}

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

static bool is_tiles(struct rule_redex *redex, struct tiles *t, lift_expr *xs)
{
    t->of = redex->numbers;
    return t->shift ? is_shifted(redex->ir, t, redex->at, xs)
                    : nd_is_tile(redex->ir, t->of.first, redex->at, t->k, xs);
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

    if (!is_tiles(redex, t, &z))
        return;
    m = t->of.first;
    count = nd_is_zip(ir, t->of.dims, z, members);
    if (!count)
        return;
    for (int i = 0; i < count; i++)
        members[i] = tiles_of(ir, t, members[i]);
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
