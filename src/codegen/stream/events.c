/* The plan of an iteration: what a step of a stream does, as a list of events. It is made
 * once from the attributes and from what the function reads; slide.c emits its events.
 *
 * Each step copies the elements that enter the window. With S pipeline stages it copies
 * those that will enter S - 1 steps later, into slots that the step before was the last
 * to read: then one barrier a step is enough. With one pipeline stage there is one before
 * the copy and one behind it. The barriers stand here, since a pass that knows no slots
 * would set too many.
 *
 * Asynchronous copies follow the same schedule; each work-item waits for its own before
 * the barrier behind which others read them. Rings that are computed from others are
 * stored without such copies. Boxes (box.c) are asked for by one work-item for all.
 *
 * Batch n, from 0, holds what step n finds that step n - 1 did not. Before a step waits,
 * S - 1 batches were committed ahead of the loop and one in each step before: in step n
 * that is up to batch n + S - 2. So batch n and all before it are there when S - 2 are
 * pending. With one stage, step n waits for what it copied itself.
 *
 * Boxes need two pipeline stages at least. Batch n is counted by memory barrier n mod S,
 * which batch n - S used before: all have waited for that when n is committed, in step n
 * - S + 1, behind its barrier.
 *
 * A barrier in two parts: step n waits, in its middle, for what all had done at the end
 * of step n - 1. What it reads before that has to be there since the wait of step n - 1,
 * which is for the end of step n - 2: there batch n is awaited, with S - 3 pending. Boxes
 * are awaited by all: where step n begins.
 *
 * Where boxes are copied and work-items read nothing that others have, there is no
 * barrier: the work-item that asks for the boxes of a step waits until all have read
 * those of the step before. No work-item is S steps ahead of another, since its boxes
 * have not been asked for then: S memory barriers take turns. */
#include "base/number.h"
#include "codegen/stream/window.h"
#include "codegen/text/dialect.h"

static void add(struct gen *g, struct events *p, struct event e)
{
    if (p->count == p->cap) {
        struct event *old = p->items;

        p->cap = p->cap ? 2 * p->cap : 32;
        p->items = LIFT_NEW_ARRAY(g->arena, struct event, p->cap);
        for (int i = 0; i < p->count; i++)
            p->items[i] = old[i];
    }
    p->items[p->count++] = e;
}

/* Batch 'n' of copies by work-items, or of boxes, is there. */
static void wait(struct gen *g, const struct window *w, struct events *p, int64_t n)
{
    bool counted = w->copy == LIFT_COPY_TENSOR || w->pipeline_stages <= 1;
    int64_t pending = w->pipeline_stages - (w->meeting == MEETING_PARTS ? 3 : 2);

    if (w->copy != LIFT_COPY_PLAIN)
        add(g, p,
            (struct event){EVENT_WAIT, .batch = n, .pending = counted ? 0 : pending});
}

/* The copies of batch 'n'. Rings that others are computed from at the same step are there
 * first. True if what a step copies is read in this step. */
static bool copies(struct gen *g, const struct window *w, struct events *p, int64_t n)
{
    bool fills = w->phase == WINDOW_FILL, at_once = false;

    if (w->copy == LIFT_COPY_TENSOR && (!fills || n < w->steps))
        add(g, p, (struct event){EVENT_COPY, .batch = n});
    for (int i = 0; i < w->ring_count && (!fills || n < w->steps); i++) {
        const struct stream *s = w->rings[i];

        if (s->box || (fills && n > 0 && ring_ahead(w, s) == 0))
            continue;
        if (i > 0 && s->depends && w->copy == LIFT_COPY_ASYNC &&
            (fills || w->pipeline_stages <= 1)) {
            add(g, p, (struct event){EVENT_COMMIT});
            add(g, p, (struct event){EVENT_WAIT});
        }
        if (i > 0 && s->depends)
            add(g, p, (struct event){EVENT_MEET});
        add(g, p, (struct event){EVENT_COPY, .batch = n, .ring = s});
        at_once |= ring_ahead(w, s) == 0;
    }
    if (w->copy == LIFT_COPY_ASYNC)
        add(g, p, (struct event){EVENT_COMMIT});
    return at_once;
}

/* Behind the barrier, the elements of rings that a step reads are there, and no work-item
 * reads the elements that it overwrites. */
static void rings(struct gen *g, const struct window *w, struct events *p)
{
    int64_t n = w->pipeline_stages > 1 ? w->pipeline_stages - 1 : 0;

    if (w->ring_count == 0)
        return;
    if (w->pipeline_stages > 1 && w->meeting != MEETING_PARTS)
        wait(g, w, p, 0);
    if (w->meeting == MEETING_PARTS && w->meets.memory)
        add(g, p, (struct event){EVENT_AWAIT});
    else if (w->meeting != MEETING_READERS)
        add(g, p, (struct event){EVENT_MEET});
    if (!copies(g, w, p, n))
        return;
    if (w->pipeline_stages <= 1)
        wait(g, w, p, n);
    add(g, p, (struct event){EVENT_MEET});
}

/* Columns from 'first' on that are loaded a step early, or those that enter in time: all
 * of them (-1), those that are computed from rings alone (0), or from others (1). */
static void columns(struct gen *g, struct events *p, enum event_kind kind,
                    struct column *const *first, int count, int chained)
{
    struct event e = {kind, .columns = LIFT_NEW_ARRAY(g->arena, struct column *, count)};

    for (int i = 0; i < count; i++) {
        struct column *c = first[i];

        if (c->regs && (c->top > c->hi) == (kind == EVENT_LOAD_NEXT) &&
            (chained < 0 || c->stream->chained == chained))
            e.columns[e.count++] = c;
    }
    if (e.count > 0)
        add(g, p, e);
}

/* What enters columns, of stage after stage. A barrier stands before a stage that reads,
 * in the same step, elements that work-items show of the stages before. */
static void enter(struct gen *g, const struct window *w, struct events *p)
{
    for (int i = 0, end; i < w->count; i = end) {
        end = exchange_wave(w, i);
        columns(g, p, EVENT_ENTER, w->columns + i, end - i, -1);
        if (w->exchange_count > 0)
            columns(g, p, EVENT_SHOW, w->columns + i, end - i, -1);
        if (end < w->count)
            add(g, p, (struct event){EVENT_MEET});
    }
}

/* What the work-item read and wrote may be overwritten and read in step 'n', and copies
 * are there that steps up to the one behind it find. */
static void arrive(struct gen *g, const struct window *w, struct events *p, int64_t n)
{
    if (w->meeting == MEETING_PARTS && w->copy != LIFT_COPY_TENSOR)
        wait(g, w, p, n);
    if (w->meets.memory)
        add(g, p, (struct event){EVENT_ARRIVE, .batch = n});
}

struct events events_of_step(struct gen *g, const struct window *w, bool warm)
{
    struct events p = {0};
    bool parts = w->meeting == MEETING_PARTS;

    if (w->ring_count == 0 && w->exchange_count > 0)
        add(g, &p, (struct event){EVENT_MEET});
    if (!parts)
        rings(g, w, &p);
    else if (w->copy == LIFT_COPY_TENSOR)
        wait(g, w, &p, 0);
    if (!warm) {
        columns(g, &p, EVENT_LOAD_NEXT, w->columns, w->count, -1);
        if (w->slide->u.prim.attrs.slide.prefetch == 2 &&
            cg_dialects[g->options->dialect].async_copies)
            add(g, &p, (struct event){EVENT_FETCH_NEXT});
    }
    if (parts) {
        columns(g, &p, EVENT_ENTER, w->columns, w->count, 0);
        rings(g, w, &p);
        columns(g, &p, EVENT_ENTER, w->columns, w->count, 1);
        if (w->exchange_count > 0)
            columns(g, &p, EVENT_SHOW, w->columns, w->count, -1);
    } else {
        enter(g, w, &p);
    }
    if (warm || !w->shown_late)
        arrive(g, w, &p, 1);
    if (!warm)
        add(g, &p, (struct event){EVENT_BODY});
    if (!warm && w->shown_late)
        arrive(g, w, &p, 1);
    if (warm || w->turns == 1)
        add(g, &p, (struct event){EVENT_SHIFT});
    return p;
}

static bool has_private(const struct window *w)
{
    for (int i = 0; i < w->stream_count; i++)
        if (w->streams[i]->kind == STREAM_PRIVATE)
            return true;
    return false;
}

/* What the first step finds, then for each stage but the last what its step adds: no
 * slot is used twice, so that no barrier is needed between them. */
struct events events_before(struct gen *g, const struct window *w)
{
    struct events p = {0};

    if (w->ring_count > 0) {
        add(g, &p, (struct event){EVENT_MEET});
        for (int64_t n = 0; n == 0 || n < w->pipeline_stages - 1; n++)
            copies(g, w, &p, n);
        if (w->meeting == MEETING_PARTS || (has_private(w) && w->warm == 0)) {
            wait(g, w, &p, 0);
            add(g, &p, (struct event){EVENT_MEET});
        }
    }
    add(g, &p, (struct event){EVENT_FILL});
    arrive(g, w, &p, 0);
    return p;
}

/* ---- what the attributes ask for */

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

/* Why the attributes do not go together; NULL: they do. Spaces leave out most of these.
 */
static const char *misfit(const struct window *w)
{
    bool tensor = w->copy == LIFT_COPY_TENSOR, parts = w->meeting == MEETING_PARTS;
    bool depends = false;

    for (int i = 0; i < w->ring_count; i++)
        depends |= w->rings[i]->depends;
    if (tensor && w->ring_count == 0 && window_is_shared_out(w))
        return "'copy=tensor' wants a stream in local memory: all are in registers";
    if (tensor && w->ring_count > 0 && depends)
        return "'copy=tensor' of streams that are computed from others";
    if (tensor && w->ring_count > 0 && w->pipeline_stages < 2)
        return "'copy=tensor' needs at least 2 pipeline stages";
    if (parts && (w->ring_count == 0 || w->pipeline_stages < 3))
        return "'barrier=split' needs circular buffers that copies fill in 3 pipeline "
               "stages";
    if (parts && (depends || exchange_wave(w, 0) < w->count))
        return "'barrier=split' of steps with more than one barrier";
    return NULL;
}

static void open_bars(struct gen *g, struct bars *b, const char *name)
{
    const struct mem *mem =
        cg_mem(g,
               lift_type_array(g->ir, lift_type_scalar(g->ir, LIFT_F64),
                               lift_nat_const(g->nats, b->count)),
               KSPACE_LOCAL, cg_name(g, name));

    b->memory = mem->leaves[0];
    b->memory->fenced = true;
    cg_declare(g, mem);
    cg_emit(g, ks_open(g->arena, b->memory, b->count, b->of));
}

/* One memory barrier a stage is enough. Where straight-line code has several steps of a
 * barrier in two parts, those of each are its own if there are a multiple of its steps.
 */
void events_open(struct gen *g, struct window *w)
{
    bool asked = w->slide->u.prim.attrs.slide.barrier == LIFT_BARRIER_SPLIT;
    bool tensor = w->copy == LIFT_COPY_TENSOR && w->ring_count > 0, parts;
    const char *why;

    if (asked && w->copy == LIFT_COPY_TENSOR && !window_is_shared_out(w))
        w->meeting = MEETING_READERS;
    else if (asked && *cg_dialects[g->options->dialect].barrier)
        w->meeting = MEETING_PARTS;
    parts = w->meeting == MEETING_PARTS;
    why = misfit(w);
    if (why)
        cg_fail(g, w->xs->type, "%s", why);
    else if (tensor)
        find_boxes(g, w);
    for (int i = 0; i < w->ring_count && w->meeting == MEETING_READERS; i++)
        if (!w->rings[i]->box)
            cg_fail(g, w->xs->type,
                    "'barrier=split' of circular buffers that are no TMA copies");
    if (g->failed || w->ring_count == 0)
        return;
    w->boxes = (struct bars){
        NULL, parts ? lift_round_up(w->pipeline_stages, w->turns) : w->pipeline_stages,
        KBARS_BOXES};
    w->meets = parts ? (struct bars){NULL, 1, KBARS_ITEMS}
                     : (struct bars){NULL, w->pipeline_stages, KBARS_READERS};
    if (tensor)
        open_bars(g, &w->boxes, "bars");
    if (parts && cg_dialects[g->options->dialect].barrier_parts)
        open_bars(g, &w->meets, "parts");
    if (w->meeting == MEETING_READERS)
        open_bars(g, &w->meets, "readers");
    for (int i = 0; i < w->ring_count && !g->failed; i++)
        ring_declare(g, w, w->rings[i]);
}

/* No copy is pending here. A group that continues may use the memory again. */
void events_close(struct gen *g, const struct window *w)
{
    const struct bars *all[] = {&w->boxes, &w->meets};

    if (w->boxes.memory || w->meets.memory)
        slide_barrier(g);
    for (int i = 0; i < 2; i++)
        if (all[i]->memory)
            cg_emit(g, ks_close(g->arena, all[i]->memory, all[i]->count, all[i]->of));
}
