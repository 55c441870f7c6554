/* Reduces the number of buffers. An intermediate that is also a result uses the result's
 * buffer. Temporaries share the memory of unused temporaries or results.
 *
 * Kernels run one after the other. So a buffer is in use from its first kernel to its
 * last kernel, and a result from its first kernel to the end. */
#include "codegen/passes/passes.h"
#include <limits.h>
#include <string.h>

enum { MAX_LIVES = 96 };

/* A temporary or a result. */
struct life {
    struct kbuffer *buffer;
    int first, last; /* first and last kernel that use the buffer */
};

struct reuse {
    struct gen *g;
    struct kernel *kernels;
    int count;
    struct life lives[MAX_LIVES];
    int life_count;
};

static enum lift_bind_kind kind_of(const struct gen *g, const struct kbuffer *b)
{
    return g->binds[b->bind].kind;
}

/* True if both buffers have their elements at equal offsets. */
static bool same_places(const struct kbuffer *a, const struct kbuffer *b)
{
    const struct lift_layout *x = a->layout, *y = b->layout;

    if (a->scalar != b->scalar || a->count != b->count || !x != !y)
        return false;
    return !x || (x->dims == y->dims && x->offset == y->offset &&
                  !memcmp(x->length, y->length, sizeof x->length) &&
                  !memcmp(x->stride, y->stride, sizeof x->stride));
}

/* ---- intermediates that are results */

/* The search for the buffer that a result copies. */
struct copy {
    struct reuse *r;
    struct lift_ptrmap sets; /* cg_find_sets of the kernel */
    const struct kbuffer *to;
    struct kbuffer *from;
    bool wrong;
};

/* The buffer whose element at offset 'at' is the value; NULL: none. */
static struct kbuffer *loaded_at(struct copy *c, kx e, lift_nat at)
{
    kx load = cg_loaded(c->r->g, &c->sets, e);

    return load->kind == KX_LOAD && load->load.at == at ? load->load.buffer : NULL;
}

/* The buffer whose elements a store copies to equal offsets; NULL: none. A vector may
 * consist of lanes that were loaded separately. */
static struct kbuffer *stored_from(struct copy *c, const struct ks *s)
{
    struct lift_nats *nats = c->r->g->nats;
    kx e = cg_loaded(c->r->g, &c->sets, s->store.value);
    struct kbuffer *from = NULL;

    if (e->kind != KX_LANES)
        return loaded_at(c, s->store.value, s->store.at);
    for (int i = 0; i < e->type->count; i++) {
        struct kbuffer *b = loaded_at(c, e->args[e->arg_count > 1 ? i : 0],
                                      lift_nat_add(s->store.at, lift_nat_const(nats, i)));

        if (!b || (from && b != from))
            return NULL;
        from = b;
    }
    return from;
}

static void check_store(void *copy, struct ks *s)
{
    struct copy *c = copy;
    struct kbuffer *from;

    if (c->wrong || s->kind != KS_STORE || s->store.buffer != c->to)
        return;
    from = stored_from(c, s);
    c->wrong = !from || from->space != KSPACE_GLOBAL || (c->from && c->from != from) ||
               kind_of(c->r->g, from) != LIFT_BIND_TEMP || !same_places(from, c->to);
    c->from = from;
}

static void remove_stores(struct kblock *block, const struct kbuffer *to)
{
    struct ks *next, *s = block->first;

    block->first = block->last = NULL;
    for (; s; s = next) {
        next = s->next;
        for (int i = 0; ks_block(s, i); i++)
            remove_stores(ks_block(s, i), to);
        if (s->kind != KS_STORE || s->store.buffer != to)
            ks_append(block, s);
    }
}

static void remove_buffer(struct kernel *k, const struct kbuffer *b)
{
    int kept = 0;

    remove_stores(&k->body, b);
    for (int i = 0; i < k->buffer_count; i++)
        if (k->buffers[i] != b)
            k->buffers[kept++] = k->buffers[i];
    k->buffer_count = kept;
}

static void put_into(struct kbuffer *b, const struct kbuffer *other)
{
    b->bind = other->bind;
    b->name = other->name;
    b->layout = other->layout;
}

/* Stores a temporary directly in result 'to' if each element of the result is a copy of
 * the temporary's element at the same offset. */
static void store_in_result(struct reuse *r, const struct kbuffer *to)
{
    struct copy c = {.r = r, .to = to};

    if (kind_of(r->g, to) != LIFT_BIND_OUTPUT)
        return;
    for (int i = 0; i < r->count; i++) {
        cg_find_sets(&r->kernels[i].body, &c.sets);
        ks_each(&r->kernels[i].body, check_store, &c);
        lift_ptrmap_fini(&c.sets);
        c.sets = (struct lift_ptrmap){0};
    }
    if (c.wrong || !c.from)
        return;
    put_into(c.from, to);
    for (int i = 0; i < r->count; i++) {
        remove_buffer(&r->kernels[i], to);
        cg_simplify(r->g, &r->kernels[i]);
    }
}

static void find_effect(void *any, struct ks *s)
{
    *(bool *)any |= s->kind == KS_STORE && s->store.buffer->space == KSPACE_GLOBAL;
}

static void drop_kernels(struct reuse *r)
{
    int kept = 0;

    for (int i = 0; i < r->count; i++) {
        bool any = false;

        ks_each(&r->kernels[i].body, find_effect, &any);
        if (any)
            r->kernels[kept++] = r->kernels[i];
    }
    r->count = kept;
}

/* ---- unused memory */

/* The last kernel that may use a value: a loop may read earlier values in each iteration.
 */
static int last_use(const struct reuse *r, int first, int kernel)
{
    int loop = r->kernels[kernel].loop;

    if (!loop || r->kernels[first].loop == loop)
        return kernel;
    while (kernel + 1 < r->count && r->kernels[kernel + 1].loop == loop)
        kernel++;
    return kernel;
}

static void note_life(struct reuse *r, struct kbuffer *b, int kernel)
{
    bool result = b->bind >= 0 && kind_of(r->g, b) == LIFT_BIND_OUTPUT;
    int i = 0;

    if (b->bind < 0 || (!result && kind_of(r->g, b) != LIFT_BIND_TEMP))
        return;
    while (i < r->life_count && r->lives[i].buffer != b)
        i++;
    if (i == r->life_count)
        r->lives[r->life_count++] = (struct life){b, kernel, kernel};
    r->lives[i].last = result ? INT_MAX : last_use(r, r->lives[i].first, kernel);
}

static bool is_in_use(const struct reuse *r, int bind, const struct life *meanwhile)
{
    for (int i = 0; i < r->life_count; i++) {
        const struct life *l = &r->lives[i];

        if (l->buffer->bind == bind && l != meanwhile && l->first <= meanwhile->last &&
            l->last >= meanwhile->first)
            return true;
    }
    return false;
}

/* Shares the memory of a result, which exists in any case, or of a later temporary. The
 * caller starts with the last temporary, so that every other temporary of a chain uses
 * the result's memory. */
static void share_memory(struct reuse *r, const struct life *l)
{
    static const enum lift_bind_kind kinds[] = {LIFT_BIND_OUTPUT, LIFT_BIND_TEMP};

    for (int k = 0; k < 2 && kind_of(r->g, l->buffer) == LIFT_BIND_TEMP; k++)
        for (int i = 0; i < r->life_count; i++) {
            const struct kbuffer *other = r->lives[i].buffer;

            if (other->bind != l->buffer->bind && kind_of(r->g, other) == kinds[k] &&
                (kinds[k] == LIFT_BIND_OUTPUT || &r->lives[i] > l) &&
                same_places(l->buffer, other) && !is_in_use(r, other->bind, l)) {
                put_into(l->buffer, other);
                return;
            }
        }
}

/* Removes temporaries that no kernel stores, and renumbers the other binds. */
static void renumber(struct reuse *r)
{
    struct gen *g = r->g;
    int index = 0, count = 0;

    for (int bind = 0; bind < g->bind_count; bind++) {
        bool used = g->binds[bind].kind != LIFT_BIND_TEMP;

        for (int i = 0; i < r->life_count; i++)
            if (r->lives[i].buffer->bind == bind) {
                used = true;
                r->lives[i].buffer->bind = count;
            }
        if (!used)
            continue;
        g->binds[count] = g->binds[bind];
        if (g->binds[count].kind == LIFT_BIND_TEMP)
            g->binds[count].index = index++;
        count++;
    }
    g->bind_count = count;
    for (int k = 0; k < r->count; k++)
        for (int i = 0; i < r->kernels[k].tensor_count; i++)
            r->kernels[k].tensors[i].shape.bind = r->kernels[k].tensors[i].buffer->bind;
}

int cg_reuse_buffers(struct gen *g, const struct mem *output, struct kernel *kernels,
                     int count)
{
    struct reuse r = {.g = g, .kernels = kernels, .count = count};

    for (int i = 0; i < output->leaf_count; i++)
        store_in_result(&r, output->leaves[i]);
    drop_kernels(&r);
    for (int k = 0; k < r.count; k++) {
        for (int i = 0; i < r.kernels[k].buffer_count; i++)
            note_life(&r, r.kernels[k].buffers[i], k);
        for (int i = 0; i < r.kernels[k].tensor_count; i++)
            note_life(&r, r.kernels[k].tensors[i].buffer, k);
    }
    for (int i = r.life_count - 1; i >= 0; i--)
        share_memory(&r, &r.lives[i]);
    renumber(&r);
    return r.count;
}
