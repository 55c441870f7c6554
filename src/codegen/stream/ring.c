/* Streams whose elements are stored in local memory: circular buffers of slots. All
 * work-items of a group fill a slot together and read it after a barrier. events.c
 * schedules the copies. */
#include "base/number.h"
#include "codegen/stream/window.h"
#include "codegen/text/dialect.h"

int64_t ring_ahead(const struct window *w, const struct stream *s)
{
    return s->depends || w->registers_first ? 0 : lift_slide_ahead(w->slide, w->step);
}

/* The first offset that is read. */
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

/* Describes the element at offset 'k' as a box. */
bool ring_find_box(struct gen *g, const struct window *w, const struct stream *s,
                   lift_nat k, struct box *out, const char **why)
{
    lift_expr value;
    lift_env env = window_element(g, w, s, window_at(g, w, k), &value);

    return cg_find_box(g, value, env, out, why);
}

/* Emits one TMA copy of batch 'n'. All boxes of a stream must have equal rows. */
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
    cg_emit(g, cg_copy_box(g, &box, s->ring->leaves[0], at, bars_batch(&w->boxes, n)));
}

static void copy(struct gen *g, const struct window *w, const struct stream *s,
                 lift_nat k, lift_nat n)
{
    lift_nat slot = window_slot(g, w, s, k);

    if (s->box) {
        copy_box(g, w, s, k, n);
        return;
    }
    g->async = w->copy == LIFT_COPY_ASYNC && !s->depends;
    ring_compute(g, w, s, k,
                 lift_dest_at(g->arena, lift_dest_mem(g->arena, s->ring), slot));
    g->async = false;
}

/* A range of offsets: the elements of a batch. */
struct stretch {
    int64_t first, last;
};

/* Copies the elements of 'x' that are kept, for batch 'n'. */
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

/* The elements of batch 'n' before the first step, whose window begins 'warm' steps
 * early. Elements outside the array and elements that no step reads are skipped. */
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

/* Opens an 'if' n >= 0 unless the facts decide the condition. Returns false if the
 * condition never holds. */
static bool go_on_if(struct gen *g, lift_nat n)
{
    kx holds = kx_ge0(g->ir, n, g->facts, g->fact_count);

    if (holds->kind != KX_BOOL) {
        cg_open_if(g, holds);
        cg_assume(g, n);
    }
    return !kx_is_bool(holds, false);
}

/* ---- TMA copies of all streams, which one work-item issues */

static int64_t bytes_of(const struct stream *s, struct stretch x)
{
    const struct kbuffer *b = s->ring->leaves[0];
    int64_t first = x.first < s->lo ? s->lo : x.first;
    int64_t bytes = cg_box_row(s->box) * lift_scalar_bytes(b->scalar);

    for (int d = 1; d < b->layout->dims - 1; d++)
        bytes *= b->layout->length[d];
    return x.last < first ? 0 : (x.last - first + 1) * bytes;
}

/* The elements of a stream that a step copies for the batch 'ahead' steps later. The
 * elements are needed if '*read' >= 0. */
static struct stretch stretch_of(struct gen *g, const struct window *w,
                                 const struct stream *s, int64_t ahead, lift_nat *read)
{
    int64_t last = s->hi + ring_ahead(w, s);

    *read = w->phase == WINDOW_RUN && w->warm > 0
                ? lift_nat_add_const(w->base, last - first_read(s))
                : lift_nat_const(g->nats, 0);
    return w->phase == WINDOW_RUN ? (struct stretch){last - w->step + 1, last}
                                  : batch_of(w, s, ahead);
}

/* One work-item issues the TMA copies of all streams. The group's reads of the slots have
 * ended at its barrier. The copy engine needs a fence, since TMA copies overtake loads in
 * flight. Streams whose copies are conditional announce their bytes separately; all other
 * streams announce their bytes together. */
static void copy_boxes(struct gen *g, const struct window *w, int64_t ahead)
{
    lift_nat n = lift_nat_add_const(w->at, ahead), read;
    struct kbatch batch = bars_batch(&w->boxes, n);
    struct ks *one = ks_elect(g->arena), *all = ks_announce(g->arena, KS_COMMIT, batch);

    cg_emit(g, one);
    g->block = &one->elect.body;
    if (w->meeting == MEETING_READERS && w->phase == WINDOW_RUN)
        bars_meet(g, &w->meets, KS_AWAIT, w->at);
    cg_emit(g, ks_fence(g->arena));
    for (int together = 0; together < 2; together++) {
        if (together)
            cg_emit(g, all);
        for (int i = 0; i < w->ring_count && !g->failed; i++) {
            const struct stream *s = w->rings[i];
            struct stretch x = stretch_of(g, w, s, ahead, &read);
            struct scope scope = cg_enter(g, g->block);
            bool is_read = kx_is_bool(kx_ge0(g->ir, read, g->facts, g->fact_count), true);

            if (s->box && is_read == together && go_on_if(g, read)) {
                struct ks *say = together ? all : ks_announce(g->arena, KS_EXPECT, batch);

                if (!together)
                    cg_emit(g, say);
                say->batch.bytes += bytes_of(s, x);
                copy_all(g, w, s, x, n);
            }
            cg_leave(g, scope);
        }
    }
}

/* Copies a batch if a later step needs it: near the end there is no such step. In the
 * first steps of 'warm', some elements do not exist. */
void rings_copy(struct gen *g, const struct window *w, const struct stream *s,
                int64_t ahead)
{
    struct scope scope = cg_enter(g, g->block);
    lift_nat n = lift_nat_add_const(w->at, ahead), read;
    lift_nat left = lift_nat_sub(lift_nat_const(g->nats, w->steps - 1), n);
    bool any = (s && ring_ahead(w, s) == 0) || go_on_if(g, left);

    if (any && !s) {
        copy_boxes(g, w, ahead);
    } else if (any) {
        struct stretch x = stretch_of(g, w, s, ahead, &read);

        if (go_on_if(g, read))
            copy_all(g, w, s, x, n);
    }
    cg_leave(g, scope);
}
