/* Overlapped tiles of several intermediates. A tile computes its part of each
 * intermediate, and keeps the part in local memory until the tile is complete.
 *
 *     let u = A in B(u)
 *   = untile(map(fun(i => let t = toLocal(part(i, A)) in part(i, B(at i(t)))), tiles))
 *
 * part(i, x): the part of x that tile i needs. at i(t): an array of u's type that equals
 * t on this part and is undefined elsewhere. Both shift indices by the start of the tile,
 * so that boundary predicates test indices of the grid. Time steps are also
 * intermediates: overlapped time tiling, Holewinski et al. 2012; Krishnamoorthy et al.
 * 2007. */
#include "rules/native/natives.h"
#include "rules/native/stages/parts.h"
#include "rules/native/tile.h"
#include "rules/nd.h"

/* Builds one tile of the result. */
static lift_expr tile_body(const struct stages *x)
{
    struct held held[MAX_STAGES] = {{NULL}};
    lift_expr values[MAX_STAGES] = {NULL}, body;

    for (int i = 0; i < x->count; i++) {
        if (!x->items[i].used)
            continue;
        values[i] = nd_copy_all(x->ir, stages_part(x, i, &x->items[i].part, held));
        if (!values[i])
            return NULL;
        held[i] =
            (struct held){lift_fresh(x->ir, "t", values[i]->type), x->items[i].part};
    }
    body = nd_copy_all(x->ir, stages_part(x, x->count, &x->items[x->count].part, held));
    for (int i = x->count - 1; i >= 0 && body; i--)
        if (held[i].t)
            body = lift_let(x->ir, lift_call1(x->ir, LIFT_TO_LOCAL, values[i]),
                            lift_fun(x->ir, body, held[i].t));
    return body;
}

static void stage_tiles(struct rule_redex *redex, bool apart)
{
    struct stages x = {.ir = redex->ir, .of = redex->numbers};
    lift_expr body;

    if (!stages_find(&x, redex))
        return;
    x.tile = stages_tile_var(&x);
    for (int d = 0; d < x.of.first; d++) {
        x.k[d] = redex_tunable(
            redex, x.of.first < x.of.dims && x.of.first == 1 ? "slab" : "tile", d, 1,
            tile_longest(x.len[d]));
        x.start[d] = stages_begin(&x, d, x.k[d]);
    }
    body = tile_body(&x);
    if (body && apart)
        body = lift_call3(x.ir, LIFT_SELECT, stages_inside(&x, x.k, 0), body, body);
    if (body)
        redex_emit(redex, stages_untiled(&x, body, x.k));
}

void rule_overlapped_tiles(struct rule_redex *redex)
{
    stage_tiles(redex, false);
}

void rule_overlapped_tiles_specialised(struct rule_redex *redex)
{
    stage_tiles(redex, true);
}
