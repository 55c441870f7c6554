/* Non-temporal stores and loads of GPU kernels, where a loop asks for them. Stores of
 * scalars and of aligned vectors to global memory are non-temporal. Loads are
 * non-temporal if each thread reads elements of the buffer only where it stores results,
 * so that no other thread needs the cache line. */
#include "codegen/passes/passes.h"

enum { MAX_PLACES = 256 };

/* Elements of a grid point: 'count' from 'at' on. */
struct place {
    lift_nat at;
    int count;
};

struct walk {
    struct gen *g;
    struct kernel *kernel;
    struct place stored[MAX_PLACES];
    int stored_count;
    struct lift_ptrmap shared; /* buffers that are read at other places, too */
};

static int lanes_of(kx e)
{
    return kx_is_vector(e) ? e->type->count : 1;
}

static void mark_store(void *walk, struct ks *s)
{
    struct walk *w = walk;
    int lanes = s->kind == KS_STORE ? lanes_of(s->store.value) : 0;

    if (s->kind != KS_STORE || s->store.buffer->space != KSPACE_GLOBAL ||
        (lanes > 1 && !kx_is_aligned(s->store.at, lanes)))
        return;
    s->store.nontemporal = true;
    w->g->found_once.stores = true;
}

static void note_store(void *walk, struct ks *s)
{
    struct walk *w = walk;

    if (s->kind == KS_STORE && s->store.buffer->space == KSPACE_GLOBAL &&
        w->stored_count < MAX_PLACES)
        w->stored[w->stored_count++] =
            (struct place){s->store.at, lanes_of(s->store.value)};
}

/* True if a store of the kernel covers the element. */
static bool is_stored(const struct walk *w, lift_nat at)
{
    for (int i = 0; i < w->stored_count; i++)
        for (int k = 0; k < w->stored[i].count; k++)
            if (lift_nat_add_const(w->stored[i].at, k) == at)
                return true;
    return false;
}

static void check_load(void *walk, kx e)
{
    struct walk *w = walk;

    if (e->kind != KX_LOAD || e->load.buffer->space != KSPACE_GLOBAL)
        return;
    for (int k = 0; k < lanes_of(e); k++)
        if (!is_stored(w, lift_nat_add_const(e->load.at, k)))
            lift_ptrmap_put(&w->shared, e->load.buffer, e->load.buffer);
}

static void check_loads(void *walk, struct ks *s)
{
    if (ks_expr(s))
        kx_each(ks_expr(s), check_load, walk);
    /* The hardware of asynchronous copies has no such hint. */
    if (ks_is_async(s) && s->store.value->kind == KX_LOAD)
        lift_ptrmap_put(&((struct walk *)walk)->shared, s->store.value->load.buffer,
                        s->store.value->load.buffer);
}

static void add_once(void *walk, kx e)
{
    struct walk *w = walk;
    struct kernel *k = w->kernel;

    if (e->kind != KX_LOAD || e->load.buffer->space != KSPACE_GLOBAL ||
        lift_ptrmap_get(&w->shared, e->load.buffer) ||
        kernel_reads_once(k, e->load.buffer))
        return;
    k->once[k->once_count++] = e->load.buffer;
    w->g->found_once.loads = true;
}

static void add_loads(void *walk, struct ks *s)
{
    if (ks_expr(s))
        kx_each(ks_expr(s), add_once, walk);
}

static void find_wish(void *wishes, struct ks *s)
{
    struct nontemporal *n = wishes;

    if (ks_is_loop(s, KLOOP_GLB) || ks_is_loop(s, KLOOP_WRG)) {
        n->stores |= s->loop.nontemporal;
        n->loads |= s->loop.nontemporal_loads;
    }
}

void cg_pass_nontemporal(struct gen *g, struct kernel *kernel)
{
    struct nontemporal wishes = {false, false};
    struct walk *w;

    ks_each(&kernel->body, find_wish, &wishes);
    if (!wishes.stores && !wishes.loads)
        return;
    w = LIFT_NEW(g->arena, struct walk);
    *w = (struct walk){.g = g, .kernel = kernel};
    if (wishes.stores)
        ks_each(&kernel->body, mark_store, w);
    if (!wishes.loads)
        return;
    kernel->once = LIFT_NEW_ARRAY(g->arena, struct kbuffer *, kernel->buffer_count + 1);
    ks_each(&kernel->body, note_store, w);
    ks_each(&kernel->body, check_loads, w);
    ks_each(&kernel->body, add_loads, w);
    lift_ptrmap_fini(&w->shared);
}

void cg_check_nontemporal(struct gen *g)
{
    if (g->options->last_pass)
        return;
    if (g->wanted_once.stores && !g->found_once.stores)
        cg_fail(g, lift_type_scalar(g->ir, LIFT_I32),
                "no store can be non-temporal: no vector is known to be aligned");
    else if (g->wanted_once.loads && !g->found_once.loads)
        cg_fail(g, lift_type_scalar(g->ir, LIFT_I32),
                "no load can be non-temporal: each input is read at other grid points, "
                "or copied asynchronously");
}
