/* Streams whose elements are stored in local memory: rings of slots, which all work-items
 * of a group fill together and read after a barrier.
 *
 * Each step copies the elements that enter the window. With S stages it copies those that
 * will enter S - 1 steps later, into slots that the step before was the last to read:
 * then one barrier a step is enough, else there is one before the copy and one behind.
 * The barriers stand here, since a pass that knows no slots would set too many.
 *
 * Asynchronous copies follow the same schedule; each work-item waits for its own before
 * the barrier behind which others read them. Rings that are computed from others are
 * stored at once. Boxes (box.c) are asked for by one work-item for all. */
#include "base/number.h"
#include "codegen/stream/window.h"
#include "codegen/text/dialect.h"

int64_t ring_ahead(const struct window *w, const struct stream *s)
{
    return s->depends ? 0 : w->ahead;
}

/* The first element that anybody reads. */
static int64_t first_read(const struct stream *s)
{
    return s->early ? 0 : s->lo;
}

void ring_compute(struct gen *g, const struct window *w, const struct stream *s,
                  lift_nat k, lift_dest to)
{
    struct scope scope = cg_enter(g, g->block);
    lift_expr value;
    lift_env env = window_element(g, w, s, window_at(g, w, k), &value);

    cg_write(g, value, env, to);
    cg_leave(g, scope);
}

/* The element at offset 'k' as a box. */
bool ring_find_box(struct gen *g, const struct window *w, const struct stream *s,
                   lift_nat k, struct box *out, const char **why)
{
    lift_expr value;
    lift_env env = window_element(g, w, s, window_at(g, w, k), &value);

    return cg_find_box(g, value, env, out, why);
}

/* One box of batch 'n', in rows that begin before the element's. */
static void copy_box(struct gen *g, const struct window *w, const struct stream *s,
                     lift_nat k, lift_nat n)
{
    const struct lift_layout *to = s->ring->leaves[0]->layout;
    lift_nat at = lift_nat_mul_const(window_slot(g, w, s, k), to->stride[0]);
    struct box box;
    const char *why = "boxes that are alike";

    if (!ring_find_box(g, w, s, k, &box, &why) ||
        cg_box_row(&box) != cg_box_row(s->box) || box.lead != s->box->lead) {
        cg_fail(g, w->xs->type, "'copy=tensor' wants %s", why);
        return;
    }
    cg_emit(g, cg_copy_box(g, &box, s->ring->leaves[0], at, copies_batch(w, n)));
}

static void copy(struct gen *g, const struct window *w, const struct stream *s,
                 lift_nat k, lift_nat n)
{
    lift_nat slot = window_slot(g, w, s, k);

    if (s->box) {
        copy_box(g, w, s, k, n);
        return;
    }
    g->async = w->async && !w->tensor && !s->depends;
    ring_compute(g, w, s, k,
                 lift_dest_at(g->arena, lift_dest_mem(g->arena, s->ring), slot));
    g->async = false;
}

/* Elements of a batch, by their offsets. */
struct stretch {
    int64_t first, last;
};

/* The elements as far as they are kept, for batch 'n'. */
static void copy_all(struct gen *g, const struct window *w, const struct stream *s,
                     struct stretch x, lift_nat n)
{
    struct scope scope = cg_enter(g, g->block);
    int64_t first = x.first < s->lo ? s->lo : x.first;
    lift_nat k;

    if (x.last >= first) {
        k = cg_open_loop(g, KLOOP_SEQ, 0, x.last - first + 1);
        copy(g, w, s, lift_nat_add_const(k, first), n);
    }
    cg_leave(g, scope);
}

static bool has_private(const struct window *w)
{
    for (int i = 0; i < w->stream_count; i++)
        if (w->streams[i]->kind == STREAM_PRIVATE)
            return true;
    return false;
}

static lift_nat number(struct gen *g, int64_t n)
{
    return lift_nat_const(g->nats, n);
}

/* Batch 'n' of those before the first step, whose window begins 'warm' elements early:
 * what is not there, or what nobody reads, is left out. */
static struct stretch batch_of(const struct window *w, const struct stream *s, int64_t n)
{
    int64_t least_read = w->warm * w->step + first_read(s);
    struct stretch x = {s->hi + (n - 1) * w->step + 1, s->hi + n * w->step};

    if (n == 0)
        x = (struct stretch){s->lo, lift_min(s->hi, s->hi + ring_ahead(w, s) - w->step)};
    if (w->warm > 0 && x.first < least_read)
        x.first = least_read;
    if (x.first < s->without)
        x.first = s->without;
    return x;
}

/* Goes on under a test of 'n' >= 0, if that is open. False if it never holds. */
static bool go_on_if(struct gen *g, lift_nat n)
{
    kx holds = kx_ge0(g->ir, n, g->facts, g->fact_count);

    if (holds->kind != KX_BOOL) {
        cg_open_if(g, holds);
        cg_assume(g, n);
    }
    return !kx_is_bool(holds, false);
}

/* ---- boxes of all streams, which one work-item asks for */

static int64_t bytes_of(const struct stream *s, struct stretch x)
{
    const struct kbuffer *b = s->ring->leaves[0];
    int64_t first = x.first < s->lo ? s->lo : x.first;
    int64_t bytes = cg_box_row(s->box) * lift_scalar_bytes(b->scalar);

    for (int d = 1; d < b->layout->dims - 1; d++)
        bytes *= b->layout->length[d];
    return x.last < first ? 0 : (x.last - first + 1) * bytes;
}

/* A statement that announces bytes of batch 'n'. */
static struct ks *announce(struct gen *g, const struct window *w, enum ks_kind kind,
                           lift_nat n)
{
    struct ks *s = ks_announce(g->arena, kind, copies_batch(w, n));

    cg_emit(g, s);
    return s;
}

/* What the group read of the stage is over at its barrier, but for the copy engine only
 * after a fence: boxes overtake loads that are under way. */
static void elect(struct gen *g, const struct window *w, bool again)
{
    struct ks *one = ks_elect(g->arena);

    cg_emit(g, one);
    g->block = &one->elect.body;
    if (again)
        readers_await(g, w, w->at);
    cg_emit(g, ks_fence(g->arena));
}

static void fill_boxes(struct gen *g, struct window *w, int64_t n)
{
    struct scope scope = cg_enter(g, g->block);
    struct ks *all;

    elect(g, w, false);
    all = announce(g, w, KS_COMMIT, number(g, n));
    for (int i = 0; i < w->ring_count && !g->failed; i++) {
        const struct stream *s = w->rings[i];

        if (!s->box)
            continue;
        all->batch.bytes += bytes_of(s, batch_of(w, s, n));
        copy_all(g, w, s, batch_of(w, s, n), number(g, n));
    }
    cg_leave(g, scope);
}

/* What a step copies of a stream, and what is not negative if that is read. */
static struct stretch step_of(const struct window *w, const struct stream *s,
                              lift_nat *read)
{
    int64_t last = s->hi + ring_ahead(w, s);

    *read = lift_nat_add_const(w->base, last - first_read(s));
    return (struct stretch){last - w->step + 1, last};
}

/* Boxes of one stream, if they are read, which 'all' does not announce. */
static void maybe_box(struct gen *g, const struct window *w, const struct stream *s,
                      lift_nat n)
{
    struct scope scope = cg_enter(g, g->block);
    lift_nat read;
    struct stretch x = step_of(w, s, &read);

    if (go_on_if(g, read)) {
        announce(g, w, KS_EXPECT, n)->batch.bytes = bytes_of(s, x);
        copy_all(g, w, s, x, n);
    }
    cg_leave(g, scope);
}

static bool is_read(struct gen *g, const struct window *w, const struct stream *s)
{
    lift_nat read;

    step_of(w, s, &read);
    return w->warm == 0 || kx_is_bool(kx_ge0(g->ir, read, g->facts, g->fact_count), true);
}

static void step_boxes(struct gen *g, const struct window *w, lift_nat n)
{
    struct ks *all;

    elect(g, w, true);
    for (int i = 0; i < w->ring_count && !g->failed; i++)
        if (w->rings[i]->box && !is_read(g, w, w->rings[i]))
            maybe_box(g, w, w->rings[i], n);
    all = announce(g, w, KS_COMMIT, n);
    for (int i = 0; i < w->ring_count && !g->failed; i++) {
        const struct stream *s = w->rings[i];
        lift_nat read;

        if (!s->box || !is_read(g, w, s))
            continue;
        all->batch.bytes += bytes_of(s, step_of(w, s, &read));
        copy_all(g, w, s, step_of(w, s, &read), n);
    }
}

/* ---- the schedule */

/* Batch 'n' before the first step. */
static void fill_batch(struct gen *g, struct window *w, int64_t n)
{
    if (w->tensor && n < w->steps)
        fill_boxes(g, w, n);
    for (int i = 0; i < w->ring_count && n < w->steps && !g->failed; i++) {
        const struct stream *s = w->rings[i];

        if (s->box || (n > 0 && ring_ahead(w, s) == 0))
            continue;
        if (i > 0 && s->depends)
            copies_settle(g, w);
        if (i > 0 && s->depends)
            slide_barrier(g);
        copy_all(g, w, s, batch_of(w, s, n), number(g, n));
    }
    copies_commit(g, w);
}

/* What the first step finds, then for each stage but the last what its step adds: no
 * slot is used twice, so that no barrier is needed between them. */
void rings_fill(struct gen *g, struct window *w)
{
    if (w->ring_count == 0) {
        if (w->tensor && window_is_shared_out(w))
            cg_fail(g, w->xs->type,
                    "'copy=tensor' wants a stream in local memory: all are in registers");
        return;
    }
    copies_open(g, w);
    split_open(g, w);
    for (int i = 0; i < w->ring_count && !g->failed; i++)
        ring_declare(g, w, w->rings[i]);
    slide_barrier(g);
    for (int64_t n = 0; !g->failed && (n == 0 || n < w->stages - 1); n++)
        fill_batch(g, w, n);
    if (w->split || (has_private(w) && w->warm == 0)) {
        copies_await(g, w, number(g, 0));
        slide_barrier(g);
    }
}

/* The batch that a step copies, of one stream or of NULL for all boxes; near the end
 * there is no step for it any more, and in the first steps of 'warm' there may be no
 * element. */
static void copy_step(struct gen *g, const struct window *w, const struct stream *s,
                      lift_nat n)
{
    struct scope scope = cg_enter(g, g->block);
    lift_nat left = lift_nat_sub(number(g, w->steps - 1), n), read = left;
    struct stretch x = s ? step_of(w, s, &read) : (struct stretch){0, 0};

    if ((!s || ring_ahead(w, s) > 0) && !go_on_if(g, left)) {
        cg_leave(g, scope);
        return;
    }
    if (!s)
        step_boxes(g, w, n);
    else if (w->warm == 0 || go_on_if(g, read))
        copy_all(g, w, s, x, n);
    cg_leave(g, scope);
}

void rings_arrive(struct gen *g, const struct window *w, lift_nat n)
{
    if (w->split && !w->bars)
        copies_await(g, w, n);
    split_arrive(g, w, n);
}

void rings_await(struct gen *g, const struct window *w)
{
    if (w->bars)
        copies_await(g, w, w->at);
}

/* Copies what step 'n' adds to ring 'i'. Rings that others are computed from at the same
 * step are there first. */
static void add_to_ring(struct gen *g, const struct window *w, int i, lift_nat n)
{
    const struct stream *s = w->rings[i];
    bool after = i > 0 && s->depends;

    if (after && w->stages <= 1)
        copies_settle(g, w);
    if (after)
        slide_barrier(g);
    copy_step(g, w, s, n);
}

/* Behind the barrier, the elements of rings that a step reads are there, and no work-item
 * reads the elements that it overwrites. */
void rings_step(struct gen *g, struct window *w)
{
    bool wait = false;
    lift_nat n = lift_nat_add_const(w->at, w->stages > 1 ? w->stages - 1 : 0);

    if (w->ring_count == 0)
        return;
    if (w->stages > 1 && !w->split)
        copies_await(g, w, w->at);
    if (w->parts || w->readers)
        split_await(g, w, w->at);
    else
        slide_barrier(g);
    if (w->tensor)
        copy_step(g, w, NULL, n);
    for (int i = 0; i < w->ring_count && !g->failed; i++) {
        if (w->rings[i]->box)
            continue;
        add_to_ring(g, w, i, n);
        wait |= ring_ahead(w, w->rings[i]) == 0;
    }
    copies_commit(g, w);
    if (wait && w->stages <= 1)
        copies_await(g, w, n);
    if (wait)
        slide_barrier(g);
}

/* All that was copied was waited for; a group that goes on may use the memory again. */
void rings_end(struct gen *g, struct window *w)
{
    if (!w->bars && !w->parts)
        return;
    slide_barrier(g);
    copies_close(g, w);
    split_close(g, w);
}
