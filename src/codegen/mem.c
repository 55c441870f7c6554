#include "base/bug.h"
#include "codegen/gen.h"

int cg_leaf_count(lift_type t)
{
    int n = 0;

    t = lift_type_base(t);
    if (t->kind != LIFT_TYPE_TUPLE)
        return 1;
    for (int i = 0; i < t->count; i++)
        n += cg_leaf_count(t->parts[i]);
    return n;
}

/* Adds one buffer per leaf; 'outer': number of elements of the enclosing arrays. */
static void add_leaves(struct gen *g, struct mem *mem, lift_type t, int64_t outer,
                       struct kbuffer template)
{
    struct kbuffer *b;

    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        outer *= cg_const(g, t->len, "an array length");
    if (t->kind == LIFT_TYPE_TUPLE) {
        const char *name = template.name;

        for (int i = 0; i < t->count; i++) {
            template.name = lift_arena_printf(g->arena, "%s_%d", name, i);
            add_leaves(g, mem, t->parts[i], outer, template);
        }
        return;
    }
    b = lift_arena_copy(g->arena, &template, sizeof template);
    b->scalar = t->scalar;
    b->count = outer * (t->kind == LIFT_TYPE_VECTOR ? t->count : 1);
    mem->leaves[mem->leaf_count++] = b;
}

const struct mem *cg_mem(struct gen *g, lift_type type, enum kspace space,
                         const char *name)
{
    struct mem *mem = LIFT_NEW(g->arena, struct mem);

    mem->type = type;
    mem->leaves = LIFT_NEW_ARRAY(g->arena, struct kbuffer *, cg_leaf_count(type));
    add_leaves(g, mem, type, 1,
               (struct kbuffer){.name = name, .space = space, .bind = -1});
    return mem;
}

static lift_nat laid_out(struct gen *g, const struct lift_layout *l,
                         const lift_nat *index)
{
    lift_nat at = lift_nat_const(g->nats, l->offset);

    for (int d = 0; d < l->dims; d++)
        at = lift_nat_add(at, lift_nat_mul_const(index[d], l->stride[d]));
    return at;
}

/* Elements are row-major, unless the buffer has a layout. The lanes of a vector are
 * contiguous. Each member of a tuple inside arrays has a separate buffer with the arrays'
 * dimensions. */
struct kbuffer *cg_locate(struct gen *g, const struct mem *mem, lift_access path,
                          lift_nat *at)
{
    lift_nat index[LIFT_LAYOUT_DIMS];
    lift_type t = mem->type;
    int leaf = 0, dims = 0;

    *at = lift_nat_const(g->nats, 0);
    for (; path; path = path->next)
        if (path->index && t->kind == LIFT_TYPE_VECTOR) {
            *at = lift_nat_add(lift_nat_mul_const(*at, t->count), path->index);
            t = lift_type_scalar(g->ir, t->scalar);
        } else if (path->index) {
            LIFT_ASSERT(t->kind == LIFT_TYPE_ARRAY);
            *at = lift_nat_add(lift_nat_mul(*at, t->len), path->index);
            if (dims < LIFT_LAYOUT_DIMS)
                index[dims++] = path->index;
            t = t->elem;
        } else {
            LIFT_ASSERT(t->kind == LIFT_TYPE_TUPLE);
            for (int i = 0; i < path->member; i++)
                leaf += cg_leaf_count(t->parts[i]);
            t = t->parts[path->member];
        }
    LIFT_ASSERT(lift_type_is_value(t));
    if (t->kind == LIFT_TYPE_VECTOR)
        *at = lift_nat_mul_const(*at, t->count);
    if (mem->leaves[leaf]->layout) {
        LIFT_ASSERT(dims == mem->leaves[leaf]->layout->dims);
        *at = laid_out(g, mem->leaves[leaf]->layout, index);
    }
    return mem->leaves[leaf];
}

void cg_use_buffer(struct gen *g, struct kbuffer *buffer, bool write)
{
    struct kernel *k = g->kernel;

    buffer->written |= write;
    for (int i = 0; i < k->buffer_count; i++)
        if (k->buffers[i] == buffer)
            return;
    if (k->buffer_count == k->buffer_cap) {
        struct kbuffer **old = k->buffers;

        k->buffer_cap = k->buffer_cap ? 2 * k->buffer_cap : 8;
        k->buffers = LIFT_NEW_ARRAY(g->arena, struct kbuffer *, k->buffer_cap);
        for (int i = 0; i < k->buffer_count; i++)
            k->buffers[i] = old[i];
    }
    k->buffers[k->buffer_count++] = buffer;
}

static void note_store(void *user, struct ks *s)
{
    (void)user;
    if (s->kind == KS_STORE)
        s->store.buffer->written = true;
}

void cg_note_written(const struct kernel *k)
{
    for (int i = 0; i < k->buffer_count; i++)
        k->buffers[i]->written &= k->buffers[i]->space != KSPACE_GLOBAL;
    ks_each(&k->body, note_store, NULL);
}

kx cg_load(struct gen *g, const struct mem *mem, lift_access path, lift_type type)
{
    lift_nat at;
    struct kbuffer *buffer = cg_locate(g, mem, path, &at);
    kx load;
    struct kx *placed;

    load = kx_load(g->ir, buffer, cg_by_facts(g, at), type);
    cg_use_buffer(g, buffer, false);
    if (buffer->space != KSPACE_GLOBAL)
        return load;
    placed = lift_arena_copy(g->arena, load, sizeof *load);
    placed->load.mem = mem;
    placed->load.path = path;
    return placed;
}
