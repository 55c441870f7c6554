/* Copies that a step does not wait for: by each work-item, or by the copy engine, whose
 * memory barriers count what arrives. See ring.c for what is copied. */
#include "base/number.h"
#include "codegen/stream/window.h"

struct kbatch copies_batch(const struct window *w, lift_nat n)
{
    return w->bars ? (struct kbatch){w->bars, n, w->bar_count} : (struct kbatch){0};
}

void copies_commit(struct gen *g, const struct window *w)
{
    if (w->async && !w->tensor)
        cg_emit(g, ks_commit(g->arena));
}

/* Batch n, from 0, holds what step n finds that step n - 1 did not. Before a step waits,
 * S - 1 batches were committed ahead of the loop and one in each step before: in step n
 * that is up to batch n + S - 2. So batch n and all before it are there when S - 2 are
 * pending. With one stage, step n waits for what it copied itself.
 *
 * Boxes need two stages at least. Batch n is counted by memory barrier n mod S,
 * which batch n - S used before: all have waited for that when n is committed, in step
 * n - S + 1, behind its barrier.
 *
 * A barrier in two parts: step n waits, in its middle, for what all had done at the end
 * of step n - 1. What it reads before that has to be there since the wait of step n - 1,
 * which is for the end of step n - 2: there batch n is awaited, with S - 3 pending. Boxes
 * are awaited by all: where step n begins. */
void copies_await(struct gen *g, const struct window *w, lift_nat n)
{
    bool counted = w->bars || w->stages <= 1;

    if (w->async)
        cg_emit(g, ks_wait(g->arena, copies_batch(w, n),
                           counted ? 0 : w->stages - (w->split ? 3 : 2)));
}

void copies_settle(struct gen *g, const struct window *w)
{
    if (!w->async)
        return;
    cg_emit(g, ks_commit(g->arena));
    cg_emit(g, ks_wait(g->arena, (struct kbatch){0}, 0));
}

/* Which streams are boxes: one at least. */
static void find_boxes(struct gen *g, struct window *w)
{
    const char *why = NULL;
    bool any = false;

    for (int i = 0; i < w->ring_count; i++) {
        struct stream *s = w->rings[i];
        struct box box;

        if (!ring_find_box(g, w, s, lift_nat_const(g->nats, s->hi + w->warm * w->step),
                           &box, &why))
            continue;
        s->box = lift_arena_copy(g->arena, &box, sizeof box);
        any = true;
    }
    if (!any)
        cg_fail(g, w->xs->type, "'copy=tensor' wants %s", why);
}

/* Makes the memory barriers of boxes. One barrier a stage is enough. Where
 * straight-line code has several steps, those of each are its own if there are a multiple
 * of its steps. */
void copies_open(struct gen *g, struct window *w)
{
    const struct mem *mem;
    bool depends = false;

    if (!w->tensor)
        return;
    for (int i = 0; i < w->ring_count; i++)
        depends |= w->rings[i]->depends;
    if (w->stages < 2 || depends) {
        cg_fail(g, w->xs->type,
                depends ? "'copy=tensor' of streams that are computed from others"
                        : "'copy=tensor' in one stage: 'stages' from 2 on is possible");
        return;
    }
    find_boxes(g, w);
    w->bar_count = w->split ? lift_round_up(w->stages, w->turns) : w->stages;
    mem = cg_mem(g,
                 lift_type_array(g->ir, lift_type_scalar(g->ir, LIFT_F64),
                                 lift_nat_const(g->nats, w->bar_count)),
                 KSPACE_LOCAL, cg_name(g, "bars"));
    w->bars = mem->leaves[0];
    w->bars->fenced = true;
    cg_declare(g, mem);
    cg_emit(g, ks_open(g->arena, w->bars, w->bar_count, KBARS_BOXES));
}

void copies_close(struct gen *g, const struct window *w)
{
    if (w->bars)
        cg_emit(g, ks_close(g->arena, w->bars, w->bar_count, KBARS_BOXES));
}
