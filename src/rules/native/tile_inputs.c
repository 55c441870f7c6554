/* Tiles go down to the inputs. With m of d dimensions tiled,
 *
 *     tile_m(k, zip_d(x, y, ...)) = map_m(fun(t => zip_d(t.0, t.1, ...)),
 *                                         zip_m(tile_m(k, x), tile_m(k, y), ...))
 *     tile_m(k, slide_d(n, s, y)) = map_m(fun(t => slide_d(n, s, t)),
 *                                         slide_m(s*(k-1) + n, s*k, y))         if k
 * divides
 *
 * and so do tiles that are shifted inward, slideShift_m(k, k, ...), by slideShift_m. */
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

/* ---- windows */

static void push_slide(struct rule_redex *redex, struct tiles *t)
{
    struct nd_window w, big;
    lift_expr z, y, u;
    int m;

    if (!is_tiles(redex, t, &z) || !nd_is_slide(redex->ir, t->of.dims, z, &w, &y))
        return;
    m = t->of.first;
    for (int i = 0; i < m; i++) {
        if (t->shift && !lift_nat_is(w.step[i], 1))
            return; /* the rest behind the last window would shift, too */
        big.step[i] = lift_nat_mul(w.step[i], t->k[i]);
        big.size[i] = lift_nat_add(lift_nat_sub(big.step[i], w.step[i]), w.size[i]);
    }
    z = t->shift ? lift_slide_shift_n(redex->ir, m, big.size, big.step, y)
                 : lift_slide_n(redex->ir, m, big.size, big.step, y);
    u = z ? lift_fresh(redex->ir, "t", nd_under(z->type, m)) : NULL;
    if (z)
        z = lift_map_n(redex->ir, m,
                       lift_fun(redex->ir,
                                lift_slide_n(redex->ir, t->of.dims, w.size, w.step, u),
                                u),
                       z);
    redex_emit(redex, z);
}

void rule_tile_slide(struct rule_redex *redex)
{
    push_slide(redex, &(struct tiles){.shift = false});
}

void rule_shift_slide(struct rule_redex *redex)
{
    push_slide(redex, &(struct tiles){.shift = true});
}
