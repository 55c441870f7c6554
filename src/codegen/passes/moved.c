/* The bytes that a kernel moves between global memory and its work-items, each element
 * counted once.
 *
 * A statement stores one element (or vector) per iteration of its loops. Several
 * statements may load the same elements for neighbouring grid points. So the loads of an
 * array are the loads of the statement that loads most. This number is at least the
 * number of stored grid points, and at most the length of the array. */
#include "codegen/gen.h"
#include <math.h>

struct moved {
    const struct kernel *kernel;
    const struct kbuffer **buffers; /* loads, stores and TMA copies in global memory */
    int count;
    double *read, *written; /* elements of each buffer */
    double times;           /* executions of the current statement */
};

/* The entry of a buffer in 'of'; NULL: the buffer is not in global memory. */
static double *place(const struct moved *m, double *of, const struct kbuffer *b)
{
    for (int i = 0; i < m->count; i++)
        if (m->buffers[i] == b)
            return &of[i];
    return NULL;
}

static void add_buffer(struct moved *m, const struct kbuffer *b)
{
    if (b->space == KSPACE_GLOBAL && !place(m, m->read, b))
        m->buffers[m->count++] = b;
}

static double lanes_of(lift_type t)
{
    return t->kind == LIFT_TYPE_VECTOR ? t->count : 1;
}

static void note_load(void *moved, kx e)
{
    const struct moved *m = moved;
    double *read = e->kind == KX_LOAD ? place(m, m->read, e->load.buffer) : NULL;

    if (read)
        *read = fmax(*read, m->times * lanes_of(e->type));
}

static void note_box(const struct moved *m, int tensor)
{
    const struct ktensor *t = &m->kernel->tensors[tensor];
    double *read = place(m, m->read, t->buffer), box = 1;

    for (int d = 0; d < t->shape.dims; d++)
        box *= t->shape.box[d];
    if (read)
        *read = fmax(*read, m->times * box);
}

static void walk(struct moved *m, const struct kblock *block)
{
    double times = m->times, *written;

    for (const struct ks *s = block->first; s; s = s->next) {
        if (ks_expr(s))
            kx_each(ks_expr(s), note_load, m);
        if (s->kind == KS_BOX)
            note_box(m, s->box.of.tensor);
        if (s->kind == KS_STORE && (written = place(m, m->written, s->store.buffer)))
            *written += times * lanes_of(s->store.value->type);
        m->times = s->kind == KS_LOOP ? times * (double)s->loop.extent : times;
        for (int i = 0; ks_block(s, i); i++)
            walk(m, ks_block(s, i));
        m->times = times;
    }
}

/* Elements of the grid, without its halo. */
static double elements_of(const struct kbuffer *b)
{
    double n = 1;

    if (!b->layout)
        return (double)b->count;
    for (int d = 0; d < b->layout->dims; d++)
        n *= (double)b->layout->length[d];
    return n;
}

void cg_measure_moved(const struct gen *g, const struct kernel *k,
                      struct lift_kernel *out)
{
    int most = k->buffer_count + k->tensor_count + 1;
    struct moved m = {k,
                      LIFT_NEW_ARRAY(g->arena, const struct kbuffer *, most),
                      0,
                      LIFT_NEW_ARRAY(g->arena, double, most),
                      LIFT_NEW_ARRAY(g->arena, double, most),
                      1};
    double points = 0;

    for (int i = 0; i < k->buffer_count; i++)
        add_buffer(&m, k->buffers[i]);
    for (int i = 0; i < k->tensor_count; i++)
        add_buffer(&m, k->tensors[i].buffer);
    walk(&m, &k->body);
    for (int i = 0; i < m.count; i++) {
        m.written[i] = fmin(m.written[i], elements_of(m.buffers[i]));
        points = fmax(points, m.written[i]);
    }
    for (int i = 0; i < m.count; i++) {
        const struct kbuffer *b = m.buffers[i];
        double read = m.read[i] > 0 ? fmin(fmax(m.read[i], points), elements_of(b)) : 0;

        out->read_bytes += (int64_t)read * lift_scalar_bytes(b->scalar);
        out->written_bytes += (int64_t)m.written[i] * lift_scalar_bytes(b->scalar);
    }
}
