/* A barrier in two parts, one of each step: see ring.c for what is between them. And
 * where boxes are copied and work-items read nothing that others have, none: who asks for
 * those of a step waits until all have said that they are through with the step before.
 * Nobody is S steps ahead of another, since what he waits for has not been asked for
 * then: so many memory barriers take turns. */
#include "codegen/stream/window.h"
#include "codegen/text/dialect.h"

/* ---- boxes */

static void readers_open(struct gen *g, struct window *w)
{
    lift_type all = lift_type_array(g->ir, lift_type_scalar(g->ir, LIFT_F64),
                                    lift_nat_const(g->nats, w->stages));
    const struct mem *mem;

    for (int i = 0; i < w->ring_count; i++)
        if (!w->rings[i]->box)
            cg_fail(g, w->xs->type, "'barrier=split' of rings that are no boxes");
    if (g->failed)
        return;
    mem = cg_mem(g, all, KSPACE_LOCAL, cg_name(g, "readers"));
    w->readers = mem->leaves[0];
    w->readers->fenced = true;
    cg_declare(g, mem);
    cg_emit(g, ks_open(g->arena, w->readers, w->stages, KBARS_READERS));
}

static void read(struct gen *g, const struct window *w, enum ks_kind kind, lift_nat n)
{
    struct ks *s = ks_meet(g->arena, kind, (struct kbatch){w->readers, n, w->stages});

    s->batch.boxes = true;
    cg_emit(g, s);
}

void readers_await(struct gen *g, const struct window *w, lift_nat n)
{
    if (w->readers)
        read(g, w, KS_AWAIT, n);
}

/* ---- both */

void split_plan(struct gen *g, struct window *w)
{
    bool asked = w->split_asked;

    w->counted = asked && w->tensor && !window_is_shared_out(w);
    w->split = asked && !w->counted && *cg_dialects[g->options->dialect].barrier;
}

void split_open(struct gen *g, struct window *w)
{
    lift_type one = lift_type_array(g->ir, lift_type_scalar(g->ir, LIFT_F64),
                                    lift_nat_const(g->nats, 1));
    const struct mem *mem;

    if (w->counted)
        readers_open(g, w);
    if (!w->split || !cg_dialects[g->options->dialect].barrier_parts)
        return;
    mem = cg_mem(g, one, KSPACE_LOCAL, cg_name(g, "parts"));
    w->parts = mem->leaves[0];
    w->parts->fenced = true;
    cg_declare(g, mem);
    cg_emit(g, ks_open(g->arena, w->parts, 1, KBARS_ITEMS));
}

void split_check(struct gen *g, const struct window *w)
{
    bool depends = false;

    for (int i = 0; i < w->ring_count; i++)
        depends |= w->rings[i]->depends;
    if (!w->split || g->failed)
        return;
    if (w->ring_count == 0 || w->stages < 3)
        cg_fail(g, w->xs->type,
                "'barrier=split' wants rings that are filled by copies in three stages");
    else if (depends || exchange_wave(w, 0) < w->count)
        cg_fail(g, w->xs->type, "'barrier=split' of steps with more than one barrier");
}

static void meet(struct gen *g, const struct window *w, enum ks_kind kind, lift_nat n)
{
    if (w->parts)
        cg_emit(g, ks_meet(g->arena, kind, (struct kbatch){w->parts, n, 1}));
}

void split_arrive(struct gen *g, const struct window *w, lift_nat n)
{
    meet(g, w, KS_ARRIVE, n);
    if (w->readers)
        read(g, w, KS_ARRIVE, n);
}

void split_await(struct gen *g, const struct window *w, lift_nat n)
{
    meet(g, w, KS_AWAIT, n);
}

void split_close(struct gen *g, const struct window *w)
{
    if (w->parts)
        cg_emit(g, ks_close(g->arena, w->parts, 1, KBARS_ITEMS));
    if (w->readers)
        cg_emit(g, ks_close(g->arena, w->readers, w->stages, KBARS_READERS));
}
