/* Streams of whole planes of all stages (streams.c) that groups go through together: each
 * computes its share of every plane, a tile of it, and reads what is beside from those
 * that have it. So nothing is computed twice, and the groups wait for each other, each
 * for those beside it: they have to run at once.
 *
 *     map_n(f, plane) = untile_n(map_n(fun(t => map_n(f, t)), tile_n(k, plane)))
 *
 * Exchange in place of redundancy. With a second step between what is made and who reads
 * it, groups may be a step apart. */
#include "base/number.h"
#include "ir/reach.h"
#include "rules/native/natives.h"
#include "rules/native/stages/streams.h"
#include "rules/native/tile.h"
#include "rules/nd.h"

/* ---- copies */

/* Loops over the dimensions of a plane from 'd' on, at a level. */
struct loops {
    const struct streams *s;
    enum lift_op level;
    int d;
};

static lift_expr loops_over(struct loops l, lift_expr xs);

/* What a turn of the innermost loop over groups has is shared out to the work-items. */
static lift_expr turn(struct lift_ir *ir, void *user, lift_expr x)
{
    struct loops l = *(struct loops *)user;
    int dims = l.s->x.of.dims;

    if (++l.d < dims)
        return loops_over(l, x);
    if (l.level == LIFT_MAP_WRG)
        return loops_over((struct loops){l.s, LIFT_MAP_LCL, 1}, x);
    return lift_type_rank(x->type) > 0 ? nd_copy_all(ir, x) : x;
}

static lift_expr loops_over(struct loops l, lift_expr xs)
{
    return lift_map_as(l.s->x.ir, l.level, l.s->x.of.dims - 1 - l.d,
                       lift_lambda(l.s->x.ir, "t", xs->type->elem, turn, &l), xs);
}

lift_expr streams_shared(const struct streams *s, lift_expr plane)
{
    struct lift_ir *ir = s->x.ir;
    lift_nat len[LIFT_MAX_DIMS], none[LIFT_MAX_DIMS], rest[LIFT_MAX_DIMS];
    int m = s->x.of.dims - 1;
    lift_expr xs;

    if (!plane || !nd_lengths(plane->type, m, len))
        return NULL;
    for (int d = 0; d < m; d++) {
        lift_nat k = s->share[d + 1];

        none[d] = streams_size(s, 0);
        rest[d] = lift_nat_sub(lift_nat_mul(k, lift_nat_ceil_div(len[d], k)), len[d]);
    }
    xs = lift_tile_n(ir, m, s->share + 1,
                     lift_pad_n(ir, m, none, rest, LIFT_PAD_ANY, plane));
    if (!xs)
        return NULL;
    xs = lift_untile_n(ir, m, loops_over((struct loops){s, LIFT_MAP_WRG, 1}, xs));
    return lift_take_n(ir, m, len, xs);
}

/* ---- who is beside */

/* What a stage is read by, along the dimensions of a plane: how far. False, and a reason,
 * where that is beyond what groups beside each other can have. */
static bool add_reach(const struct lift_reach *r, int dims, int64_t far[LIFT_MAX_DIMS],
                      const char **why)
{
    for (int d = 1; r->read && d < dims; d++) {
        *why = !r->known ? "a point reads more of a stage than its neighbourhood"
               : r->wraps[d]
                   ? "planes are read around their ends ('wrap'), and groups there are "
                     "not beside each other"
                   : NULL;
        if (*why)
            return false;
        far[d] = lift_max(far[d], lift_max(-r->lo[d], r->hi[d]));
    }
    return true;
}

/* Of all stages. */
static bool find_reach(const struct stages *x, int64_t far[LIFT_MAX_DIMS],
                       const char **why)
{
    struct lift_reach reach[MAX_STAGES + 1];

    for (int r = 1; r <= x->count; r++) {
        if (!x->items[r].used)
            continue;
        for (int i = 0; i < r; i++)
            reach[i].array = x->items[i].var;
        lift_reach_find(x->items[r].value, x->of.dims, reach, r);
        for (int i = 0; i < r; i++)
            if (!add_reach(&reach[i], x->of.dims, far, why))
                return false;
    }
    return true;
}

/* A share each dimension, no shorter than what is read of the one beside it, or all. */
static bool choose_shares(struct streams *s, struct rule_redex *redex)
{
    int64_t far[LIFT_MAX_DIMS] = {0};
    const char *why;

    if (!find_reach(&s->x, far, &why)) {
        redex_refuse(redex, why);
        return false;
    }
    for (int d = 1; d < s->x.of.dims; d++) {
        lift_nat least = lift_nat_min(streams_size(s, far[d]), s->x.len[d]);

        s->share[d] = redex_tunable(redex, "k", 1, tile_longest(s->x.len[d]));
        if (!redex_require(redex, LIFT_SIDE_LE, least, s->share[d], "shares that reach"))
            return false;
    }
    return true;
}

void rule_stage_shares(struct rule_redex *redex)
{
    struct streams s = {.x = {.ir = redex->ir, .of = {1, redex->numbers.dims}},
                        .planes_a_step = 1,
                        .whole = true,
                        .lags = redex->numbers.first};

    if (streams_begin(&s, redex) && choose_shares(&s, redex))
        streams_emit_whole(&s, redex);
}
