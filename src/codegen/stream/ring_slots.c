/* The streams that use circular buffers, and the layout of slots in local memory. */
#include "base/number.h"
#include "codegen/stream/window.h"
#include "codegen/text/dialect.h"

static bool is_among(const struct stream *s, struct stream *const *rings, int count)
{
    for (int i = 0; i < count; i++)
        if (rings[i] == s)
            return true;
    return false;
}

/* The largest stream in local memory that is not in w->rings from 'first' on. */
static struct stream *largest_left(const struct window *w, int first)
{
    struct stream *best = NULL;

    for (int i = 0; i < w->stream_count; i++) {
        struct stream *s = w->streams[i];

        if (s->kind == STREAM_LOCAL && s->hi >= s->lo &&
            !is_among(s, w->rings + first, WINDOW_STREAMS - first) &&
            (!best || s->node->size > best->node->size))
            best = s;
    }
    return best;
}

void ring_note_read(const struct window *w, struct stream *s, lift_nat k)
{
    int64_t last = w->size - 1, lo = lift_nat_lo(k), hi = lift_nat_hi(k);

    lo = lo < 0 ? 0 : lo;
    hi = hi > last ? last : hi;
    s->lo = lo < s->lo ? lo : s->lo;
    s->hi = hi > s->hi ? hi : s->hi;
}

bool ring_is_of_team(const struct stream *s)
{
    return lift_expr_mentions(s->made, LIFT_MAP_PAR);
}

/* Records streams in local memory. A stream is larger than the streams from which it is
 * computed. So the larger stream comes first, and its reads determine the offsets of the
 * smaller streams. Elements that move to registers are computed when they enter the
 * window. */
void rings_record(struct gen *g, struct window *w)
{
    struct stream *s;
    int first = WINDOW_STREAMS;

    while (!g->failed && first > 0 && (s = largest_left(w, first))) {
        const struct mem *mem =
            cg_mem(g, s->node->type->elem, KSPACE_LOCAL, cg_name(g, "ring"));

        if (lift_expr_is(s->made->u.prim.args[0]->u.lambda.body, LIFT_TO_PRIVATE))
            s->hi = w->size - 1;
        w->filling = s;
        for (int64_t k = s->hi; k > s->hi - w->step && k >= s->lo; k--)
            ring_compute(g, w, s, lift_nat_const(g->nats, k),
                         lift_dest_mem(g->arena, mem));
        w->filling = NULL;
        w->rings[--first] = s;
    }
    w->ring_count = WINDOW_STREAMS - first;
    for (int i = 0; i < w->ring_count; i++)
        w->rings[i] = w->rings[first + i];
}

enum {
    /* Bytes between places that are read together; not a multiple of the distance at
     * which cache lines conflict. */
    APART = 17 * 64,
};

/* Makes rows begin at multiples of CG_VECTOR elements, so that vectors of a row are
 * aligned. */
static void align_rows(struct gen *g, lift_type type, struct kbuffer *b)
{
    struct lift_layout *l = LIFT_NEW(g->arena, struct lift_layout);
    int64_t stride = 1;

    for (; type->kind == LIFT_TYPE_ARRAY && l->dims < LIFT_LAYOUT_DIMS; type = type->elem)
        l->length[l->dims++] = cg_const(g, type->len, "an array length");
    if (l->dims < 2 || l->length[l->dims - 1] < CG_VECTOR ||
        type->kind != LIFT_TYPE_SCALAR)
        return;
    for (int d = l->dims - 1; d >= 0; d--) {
        l->stride[d] = stride;
        stride *= l->length[d];
        if (d == l->dims - 1)
            stride = lift_round_up(stride, CG_VECTOR);
    }
    b->layout = l;
    b->count = stride;
}

/* Lays out slots for TMA copies: slots have the rows and the alignment of the box. */
static void align_boxes(struct gen *g, lift_type type, const struct box *box,
                        struct kbuffer *b)
{
    struct lift_layout *l = LIFT_NEW(g->arena, struct lift_layout);
    int64_t stride = 1;

    l->offset = box->lead;
    for (; type->kind == LIFT_TYPE_ARRAY; type = type->elem)
        l->length[l->dims++] = cg_const(g, type->len, "an array length");
    for (int d = l->dims - 1; d >= 0; d--) {
        l->stride[d] = stride;
        stride *= d == l->dims - 1 ? cg_box_row(box) : l->length[d];
        if (d == 1)
            stride = lift_round_up(stride, CG_LOCAL_ALIGN / lift_scalar_bytes(b->scalar));
    }
    b->layout = l;
    b->count = stride;
}

/* Lays out circular buffers that all threads share. Such buffers begin at pages, and
 * their slots are planes of the grid. The offsets of buffers and slots avoid cache
 * conflicts. */
static void spread(const struct window *w, const struct stream *s, struct kbuffer *b)
{
    int apart = APART / lift_scalar_bytes(b->scalar);
    struct lift_layout *l = (struct lift_layout *)b->layout;
    int n = 0;

    if (!l || !ring_is_of_team(s))
        return;
    while (n < w->ring_count && w->rings[n] != s)
        n++;
    l->offset = (n + 1) * apart;
    l->stride[0] += apart;
    b->count = l->offset + l->stride[0] * s->slots;
}

static const char *misplaced(const struct gen *g, const struct stream *s)
{
    if (lift_expr_mentions(s->made, LIFT_MAP_WRG))
        return "groups share a stream that is stored, and do not wait for each other";
    return cg_at_group_level(g) ? NULL
                                : "a stream stored in local memory inside a level that "
                                  "work-items share out";
}

void ring_declare(struct gen *g, const struct window *w, struct stream *s)
{
    const char *why = misplaced(g, s);
    lift_type type;

    if (why) {
        cg_fail(g, s->node->type, "%s", why);
        return;
    }
    s->slots =
        s->hi - s->lo + 1 +
        (w->registers_first ? lift_slide_ahead(w->slide, w->step) : ring_ahead(w, s));
    type = lift_type_array(g->ir, s->node->type->elem, lift_nat_const(g->nats, s->slots));
    s->ring = cg_mem(g, type, KSPACE_LOCAL, cg_name(g, "ring"));
    for (int i = 0; i < s->ring->leaf_count; i++)
        s->ring->leaves[i]->fenced = true;
    if (s->box)
        align_boxes(g, type, s->box, s->ring->leaves[0]);
    else if (s->ring->leaf_count == 1)
        align_rows(g, type, s->ring->leaves[0]);
    spread(w, s, s->ring->leaves[0]);
    cg_declare(g, s->ring);
}
