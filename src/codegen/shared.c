/* What groups that run at once read of arrays that they share: they wait for those beside
 * them alone, so that it has to be stored by these. Accesses are noted as they are made,
 * with an index for each dimension, and looked at when the loops are known: for each
 * group along a dimension, what it reads there lies within what it and those beside it
 * store. */
#include "codegen/gen.h"
#include "codegen/passes/passes.h"

struct shared_access {
    const struct kbuffer *buffer;
    lift_nat index[LIFT_LAYOUT_DIMS];
    int dims;
    bool store;
    struct shared_access *next;
};

void cg_note_shared(struct gen *g, const struct kbuffer *buffer, lift_access path,
                    bool store)
{
    struct shared_access a = {
        .buffer = buffer, .store = store, .next = g->shared_accesses};

    for (; buffer->shared && path; path = path->next)
        if (path->index && a.dims < LIFT_LAYOUT_DIMS)
            a.index[a.dims++] = path->index;
    if (buffer->shared)
        g->shared_accesses = lift_arena_copy(g->arena, &a, sizeof a);
}

/* The loop over groups whose index is in a nat. */
struct owner {
    lift_nat at;
    const struct ks *loop; /* NULL: there is none */
    bool several;
};

static void find_owner(void *owner, struct ks *s)
{
    struct owner *o = owner;

    if (!ks_is_loop(s, KLOOP_WRG) || !lift_nat_has(o->at, s->loop.index))
        return;
    o->several |= o->loop != NULL;
    o->loop = s;
}

static struct owner owner_of(const struct kernel *kernel, lift_nat at)
{
    struct owner o = {.at = at};

    ks_each(&kernel->body, find_owner, &o);
    return o;
}

static lift_nat of_group(struct gen *g, const struct owner *o, int64_t group)
{
    return lift_nat_with(o->at, o->loop->loop.index, lift_nat_const(g->nats, group));
}

/* Along one dimension; of a single share all is there. */
static bool reaches(struct gen *g, const struct owner *read, const struct owner *stored)
{
    int64_t count = stored->loop ? stored->loop->loop.extent : 1;

    if (count == 1)
        return true;
    if (!read->loop || read->several || stored->several ||
        read->loop->loop.dim != stored->loop->loop.dim ||
        read->loop->loop.extent != count)
        return false;
    for (int64_t i = 0; i < count; i++)
        if ((i > 0 && lift_nat_lo(of_group(g, read, i)) <
                          lift_nat_lo(of_group(g, stored, i - 1))) ||
            (i + 1 < count &&
             lift_nat_hi(of_group(g, read, i)) > lift_nat_hi(of_group(g, stored, i + 1))))
            return false;
    return true;
}

/* The first index is that of a slot. */
static bool is_beside(struct gen *g, const struct kernel *kernel,
                      const struct shared_access *read, const struct shared_access *store)
{
    for (int d = 1; d < read->dims && d < store->dims; d++) {
        struct owner from = owner_of(kernel, read->index[d]);
        struct owner to = owner_of(kernel, store->index[d]);

        if (!reaches(g, &from, &to))
            return false;
    }
    return true;
}

bool cg_shared_beside(struct gen *g, const struct kernel *kernel)
{
    for (const struct shared_access *a = g->shared_accesses; a; a = a->next)
        for (const struct shared_access *b = g->shared_accesses; b; b = b->next)
            if (!a->store && b->store && a->buffer == b->buffer &&
                !is_beside(g, kernel, a, b))
                return false;
    return true;
}
