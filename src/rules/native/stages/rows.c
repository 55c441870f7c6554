/* Rows of work-items. A work-item keeps a few points of each intermediate in registers
 * and reads neighbouring points from other work-items. The streams (streams.c) have
 * planes that are patches of one row or more.
 *
 * AN5D, Matsumura et al. 2020, with exchange instead of redundant computation. */
#include "base/number.h"
#include "rules/native/natives.h"
#include "rules/native/stages/streams.h"
#include "rules/native/tile.h"

enum { MOST_ROWS = 8 }; /* rows of a plane per work-item */

/* Computes all intermediates for equal ranges, so that a work-item has its points of
 * every intermediate. Unneeded points have arbitrary values. */
static void widen_all(struct stages *x, int d)
{
    struct part wide = {.lo = {0}};

    for (int i = 0; i <= x->count; i++) {
        wide.lo[d] = -lift_max(-wide.lo[d], -x->items[i].part.lo[d]);
        wide.hi[d] = lift_max(wide.hi[d], x->items[i].part.hi[d]);
    }
    for (int i = 0; i <= x->count; i++) {
        x->items[i].part.lo[d] = wide.lo[d];
        x->items[i].part.hi[d] = wide.hi[d];
    }
}

/* Returns the halo width, the sum of both ends, in points. In the innermost dimension,
 * the width is rounded up to whole vectors, so that rows of tiles are aligned to vectors.
 */
static int64_t beside(struct streams *s, int d)
{
    struct part *all = &s->x.items[0].part;
    bool vectors = d == s->x.of.dims - 1;

    widen_all(&s->x, d);
    for (int i = 0; vectors && i <= s->x.count; i++) {
        struct part *p = &s->x.items[i].part;

        p->lo[d] = -(-p->lo[d] + VECTOR - 1) / VECTOR * VECTOR;
        p->hi[d] = (p->hi[d] + VECTOR - 1) / VECTOR * VECTOR;
    }
    return all->hi[d] - all->lo[d];
}

/* Sets the length of a tile in dimension 'd': the points of 'items' work-items minus the
 * halo. Returns false if no tile length is positive. */
static bool lay_out(struct streams *s, struct rule_redex *redex, int d, lift_nat items,
                    lift_nat *k)
{
    int64_t wide = beside(s, d);
    lift_nat all = lift_nat_mul(s->per[d], items);

    *k = lift_nat_add_const(all, -wide);
    return redex_require(redex, LIFT_SIDE_LE, streams_size(s, wide + 1), all,
                         "rows that reach");
}

/* Looks for a point that keeps its value if it is on the boundary, as borders.rules
 * writes it. */
static bool keeps_no_boundary(void *user, lift_expr e)
{
    bool *kept = user;

    *kept |= lift_expr_is(e, LIFT_SELECT) && lift_expr_is(lift_expr_arg(e, 0), LIFT_GET);
    return !*kept;
}

/* An interior inside a shell that keeps values reads its grid at two kinds of indices.
 * Registers need indices at a fixed distance. */
static bool has_kept_shell(const struct stages *x)
{
    for (int i = 0; i < x->count; i++) {
        lift_expr value = x->items[i].value;
        bool kept = false;

        lift_expr_each(value, keeps_no_boundary, &kept);
        if (kept && lift_expr_mentions(value, LIFT_INSET_BOX))
            return true;
    }
    return false;
}

static void stage_rows(struct rule_redex *redex, bool apart)
{
    struct streams s = {.x = {.ir = redex->ir, .of = redex->numbers, .registers = true},
                        .planes_a_step = 1};
    int last = redex->numbers.dims - 1;
    lift_nat k[LIFT_MAX_DIMS], items = streams_size(&s, LIFT_ROW_ITEMS);
    lift_expr body;

    if (!streams_begin(&s, redex))
        return;
    if (has_kept_shell(&s.x)) {
        redex_refuse(redex, "an intermediate keeps the values of its boundary, which is "
                            "a shell around an interior");
        return;
    }
    k[0] = s.steps = redex_tunable(redex, "slab", 0, 1, tile_longest(s.x.len[0]));
    s.per[last] = lift_nat_mul_const(redex_tunable(redex, "vectors", last, 1, 2), VECTOR);
    if (!lay_out(&s, redex, last, items, &k[last]))
        return;
    for (int d = 1; d < last; d++) {
        s.per[d] = redex_tunable(redex, "points", d, 1, MOST_ROWS);
        items = redex_tunable(redex, "threads", d, 1, LIFT_ROW_ITEMS);
        if (!lay_out(&s, redex, d, items, &k[d]))
            return;
    }
    body = streams_tile(&s, k);
    if (body && apart)
        body =
            lift_call3(s.x.ir, LIFT_SELECT, stages_inside(&s.x, k, last - 1), body, body);
    redex_emit(redex, stages_untiled(&s.x, body, k));
}

void rule_register_strips(struct rule_redex *redex)
{
    stage_rows(redex, false);
}

void rule_register_strips_specialised(struct rule_redex *redex)
{
    stage_rows(redex, true);
}
