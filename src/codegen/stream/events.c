/* The plan of an iteration: the events of one step of a stream. The attributes and the
 * reads of the function determine the plan; slide.c emits its events.
 *
 * Each step copies the elements that enter the window. With S pipeline stages, a step
 * copies the elements that enter S - 1 steps later. The slots of these elements were last
 * read in the previous step. So one barrier per step is enough. With one pipeline stage,
 * one barrier precedes the copy and one follows it. This file places the barriers, since
 * pass_barriers.c does not know slots and would insert too many.
 *
 * Asynchronous copies follow the same schedule. Each work-item waits for its own copies
 * before the barrier after which other work-items read them. Circular buffers that are
 * computed from others are stored synchronously. One work-item issues all TMA copies
 * (box.c).
 *
 * Batch n, from 0, holds the elements that step n needs in addition to step n - 1. Before
 * step n waits, S - 1 batches were committed ahead of the loop, and one batch in each
 * earlier step: all batches up to n + S - 2. So batch n and all earlier batches have
 * arrived when at most S - 2 batches are pending. With one pipeline stage, step n waits
 * for its own copies.
 *
 * TMA copies need at least two pipeline stages. Mbarrier n mod S counts batch n. Batch n
 * - S used the same mbarrier before. All work-items have waited for batch n - S when
 * batch n is committed, in step n - S + 1, after its barrier.
 *
 * Split barriers: in its middle, step n waits until all work-items have finished step n -
 * 1. Reads of step n before this wait depend on the wait of step n - 1 only. That wait
 * covers the end of step n - 2. So the end of step n - 2 awaits batch n, with S - 3
 * batches pending. All work-items await TMA copies, at the start of step n.
 *
 * If the copies are TMA copies, and work-items read no values of other work-items, there
 * is no barrier. The work-item that issues the TMA copies of a step waits until all
 * work-items have read the slots of the previous step. No work-item is S steps ahead of
 * another, since its copies have not been issued then. So S mbarriers are enough. */
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

/* Adds an event that waits for batch 'n' of copies by work-items, or of TMA copies. */
static void wait(struct gen *g, const struct window *w, struct events *p, int64_t n)
{
    bool counted = w->copy == LIFT_COPY_TENSOR || w->pipeline_stages <= 1;
    int64_t pending = w->pipeline_stages - (w->meeting == MEETING_PARTS ? 3 : 2);

    if (w->copy != LIFT_COPY_PLAIN)
        add(g, p,
            (struct event){EVENT_WAIT, .batch = n, .pending = counted ? 0 : pending});
}

/* Adds the copies of batch 'n'. A circular buffer that is computed from others in the
 * same step comes after the others. Returns true if this step reads elements that it
 * copies. */
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

/* Adds the barrier and the copies of circular buffers. After the barrier, the elements
 * that a step reads have arrived, and no work-item reads the elements that the step
 * overwrites. */
static void rings(struct gen *g, const struct window *w, struct events *p)
{
    int64_t n = w->pipeline_stages > 1 ? w->pipeline_stages - 1 : 0;

    if (w->ring_count == 0)
        return;
    if (w->registers_first) {
        /* With two slots, the barrier of a step also follows the reads of the slot that
         * the next step fills. */
        if (w->pipeline_stages <= 1)
            add(g, p, (struct event){EVENT_MEET});
        copies(g, w, p, 0);
        add(g, p, (struct event){EVENT_MEET});
        return;
    }
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

enum which {
    ALL,
    OF_RINGS,     /* computed from circular buffers only */
    NOT_OF_RINGS, /* all others */
    LOADED_FIRST, /* circular buffers are filled from them */
    LOADED_LATER, /* all others */
};

static bool belongs(const struct column *c, enum which which)
{
    switch (which) {
    case OF_RINGS:
    case NOT_OF_RINGS:
        return c->stream->chained == (which == NOT_OF_RINGS);
    case LOADED_FIRST:
    case LOADED_LATER:
        return c->stream->fills == (which == LOADED_FIRST);
    default:
        return true;
    }
}

/* Adds an event for columns from 'first' on: columns that are loaded a step early, or
 * columns that are loaded in the current step. */
static void columns(struct gen *g, struct events *p, enum event_kind kind,
                    struct column *const *first, int count, enum which which)
{
    struct event e = {kind, .columns = LIFT_NEW_ARRAY(g->arena, struct column *, count)};

    for (int i = 0; i < count; i++) {
        struct column *c = first[i];

        if (c->regs && (c->top > c->hi) == (kind == EVENT_LOAD_NEXT) && belongs(c, which))
            e.columns[e.count++] = c;
    }
    if (e.count > 0)
        add(g, p, e);
}

/* Adds the events that load columns, in order of dependence. A barrier precedes columns
 * that read, in the same step, elements that other work-items exchange for earlier
 * columns. */
static void enter(struct gen *g, const struct window *w, struct events *p)
{
    for (int i = 0, end; i < w->count; i = end) {
        end = exchange_wave(w, i);
        columns(g, p, EVENT_ENTER, w->columns + i, end - i, ALL);
        if (w->exchange_count > 0)
            columns(g, p, EVENT_SHOW, w->columns + i, end - i, ALL);
        if (end < w->count)
            add(g, p, (struct event){EVENT_MEET});
    }
}

/* The work-item arrives for step 'n': other work-items may now overwrite its reads and
 * read its stores. With split barriers, the copies that the next step needs have arrived.
 */
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
    if (w->registers_first)
        columns(g, &p, EVENT_ENTER, w->columns, w->count, LOADED_FIRST);
    if (!parts)
        rings(g, w, &p);
    else if (w->copy == LIFT_COPY_TENSOR)
        wait(g, w, &p, 0);
    if (!warm) {
        columns(g, &p, EVENT_LOAD_NEXT, w->columns, w->count, ALL);
        if (w->slide->u.prim.attrs.slide.prefetch == 2 &&
            cg_dialects[g->options->dialect].async_copies)
            add(g, &p, (struct event){EVENT_FETCH_NEXT});
    }
    if (parts) {
        columns(g, &p, EVENT_ENTER, w->columns, w->count, OF_RINGS);
        rings(g, w, &p);
        columns(g, &p, EVENT_ENTER, w->columns, w->count, NOT_OF_RINGS);
        if (w->exchange_count > 0)
            columns(g, &p, EVENT_SHOW, w->columns, w->count, ALL);
    } else if (w->registers_first) {
        columns(g, &p, EVENT_ENTER, w->columns, w->count, LOADED_LATER);
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

/* The events before the first step: copies of batch 0 and of one batch for each further
 * pipeline stage but the last. These batches fill different slots, so no barrier
 * separates them. */
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

/* ---- synchronisation */

/* Finds the streams that TMA copies can fill. Fails if there is none. */
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

/* The reason why the attributes are incompatible; NULL: they are compatible. Spaces
 * exclude most incompatible attributes. */
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

/* TMA copies need one mbarrier per pipeline stage. With split barriers, the number of
 * mbarriers is a multiple of the steps in straight-line code, so that each step uses
 * fixed mbarriers. */
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

/* Invalidates the mbarriers. No copy is pending here. A group that continues may reuse
 * their memory. */
void events_close(struct gen *g, const struct window *w)
{
    const struct bars *all[] = {&w->boxes, &w->meets};

    if (w->boxes.memory || w->meets.memory)
        slide_barrier(g);
    for (int i = 0; i < 2; i++)
        if (all[i]->memory)
            cg_emit(g, ks_close(g->arena, all[i]->memory, all[i]->count, all[i]->of));
}
