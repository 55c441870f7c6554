/* Asynchronous stores: what is a load from global memory is copied without passing
 * through registers; under a condition, where that holds. All else is stored at once. */
#include "codegen/passes/passes.h"

struct pass {
    struct gen *g;
    struct lift_ptrmap declared; /* from the name of a variable to its declaration */
};

/* What a variable was declared as. If that is a load from an input, it is the value at
 * any time; a lane of it is a load, too. */
static kx declared(const struct pass *p, kx value)
{
    const struct ks *decl =
        value->kind == KX_VAR ? lift_ptrmap_get(&p->declared, value->name) : NULL;
    kx vector = value->kind == KX_LANE ? declared(p, value->args[0]) : NULL;

    if (vector && vector->kind == KX_LOAD)
        return kx_load(p->g->ir, vector->load.buffer,
                       lift_nat_add_const(vector->load.at, value->lane), value->type);
    return decl ? ks_expr(decl) : value;
}

static bool is_copy(const struct ks *store, kx value)
{
    return kx_can_copy(value, store->store.buffer->scalar);
}

static bool has_copy(const struct ks *store, kx value)
{
    if (!kx_is_op(value, LIFT_SELECT))
        return is_copy(store, value);
    return has_copy(store, value->args[1]) || has_copy(store, value->args[2]);
}

static void emit(struct gen *g, const struct ks *store, kx value);

static void emit_choice(struct gen *g, const struct ks *store, kx value)
{
    struct scope scope = cg_enter(g, g->block);
    struct ks *test = cg_open_if(g, value->args[0]);

    emit(g, store, value->args[1]);
    g->block = &test->test.otherwise;
    emit(g, store, value->args[2]);
    cg_leave(g, scope);
}

static void emit(struct gen *g, const struct ks *store, kx value)
{
    struct ks *s;

    if (!is_copy(store, value) && has_copy(store, value)) {
        emit_choice(g, store, value);
        return;
    }
    s = ks_copy(g->arena, store);
    s->store.value = value;
    s->store.async = is_copy(store, value);
    cg_emit(g, s);
}

/* ---- bulk copies */

/* 'n' in a turn of the loop. */
static lift_nat in_turn(struct gen *g, const struct ks *loop, lift_nat n, int64_t number)
{
    return lift_nat_with(n, loop->loop.index, lift_nat_const(g->nats, number));
}

/* Where 'at' begins in the first turn of a loop, if the turns follow each other and that
 * is at a multiple of 16 bytes; else NULL. */
static lift_nat start_of_row(struct gen *g, const struct ks *loop, lift_nat at, int lanes,
                             int bytes)
{
    lift_nat first = in_turn(g, loop, at, 0);
    lift_nat rest = lift_nat_sub(at, lift_nat_mul_const(loop->loop.index, lanes));

    return rest == first && kx_is_aligned(first, 16 / bytes) ? first : NULL;
}

/* That a condition holds in all turns: what grows evenly is least at one of the ends.
 * NULL if that cannot be said. */
static kx in_all_turns(struct gen *g, const struct ks *loop, kx cond)
{
    lift_nat n, first, step;
    kx a, b;

    if (!kx_is_op(cond, LIFT_AND) && !kx_is_op(cond, LIFT_LE))
        return NULL;
    a = cond->args[0];
    b = cond->args[1];
    if (kx_is_op(cond, LIFT_AND)) {
        a = in_all_turns(g, loop, a);
        b = in_all_turns(g, loop, b);
        return a && b ? kx_and(g->ir, a, b) : NULL;
    }
    if (a->kind != KX_NAT || b->kind != KX_NAT)
        return NULL;
    n = lift_nat_sub(b->nat, a->nat);
    first = in_turn(g, loop, n, 0);
    step = lift_nat_sub(in_turn(g, loop, n, 1), first);
    if (n != lift_nat_add(first, lift_nat_mul(step, loop->loop.index)))
        return NULL;
    if (n == first)
        return cond;
    return kx_and(g->ir, kx_ge0(g->ir, first, NULL, 0),
                  kx_ge0(g->ir, in_turn(g, loop, n, loop->loop.extent - 1), NULL, 0));
}

/* The only thing that a block does, beside declaring variables, where the tests on the
 * way hold in all turns of the loop: a store, or NULL. '*all' gets these tests. */
static struct ks *only_store(struct gen *g, const struct ks *loop,
                             const struct kblock *block, kx *all)
{
    struct ks *only = NULL;
    kx cond;

    for (struct ks *s = block->first; s; s = s->next) {
        if (s->kind == KS_DECL)
            continue;
        if (only)
            return NULL;
        only = s;
    }
    if (!only || only->kind == KS_STORE)
        return only;
    cond = only->kind == KS_IF ? in_all_turns(g, loop, only->test.cond) : NULL;
    if (!cond)
        return NULL;
    *all = kx_and(g->ir, *all, cond);
    return only_store(g, loop, &only->test.body, all);
}

/* A loop of work-items that copies a row, as one copy; '*all' gets what must hold. */
static struct ks *as_row(struct gen *g, const struct ks *loop, kx *all)
{
    struct ks *s, *row;
    int bytes, lanes;
    lift_nat to, from;
    kx load;

    if (!ks_is_loop(loop, KLOOP_LCL) || loop->loop.dim != 0)
        return NULL;
    s = only_store(g, loop, &loop->loop.body, all);
    if (!s || !s->store.async || !s->store.batch.bars)
        return NULL;
    load = s->store.value;
    bytes = lift_scalar_bytes(s->store.buffer->scalar);
    lanes = kx_is_vector(load) ? load->type->count : 1;
    to = start_of_row(g, loop, s->store.at, lanes, bytes);
    from = start_of_row(g, loop, load->load.at, lanes, bytes);
    if (!to || !from || loop->loop.extent * lanes * bytes % 16 != 0)
        return NULL;
    row = ks_copy(g->arena, s);
    row->store.at = to;
    row->store.value = kx_load(g->ir, load->load.buffer, from,
                               lift_type_scalar(g->ir, s->store.buffer->scalar));
    row->store.row = loop->loop.extent * lanes;
    return row;
}

static void store_at_once(void *user, struct ks *s)
{
    (void)user;
    if (s->kind != KS_STORE)
        return;
    s->store.async = false;
    s->store.batch = (struct kbatch){0};
}

/* Where not all of the row is read without a test, the work-items copy it at once. */
static void emit_row(struct gen *g, struct ks *loop, struct ks *row, kx all)
{
    struct scope scope = cg_enter(g, g->block);

    if (kx_is_bool(all, true)) {
        cg_emit(g, row);
        return;
    }
    ks_each_in(loop, store_at_once, NULL);
    if (!kx_is_bool(all, false)) {
        struct ks *test = cg_open_if(g, all);

        cg_emit(g, row);
        g->block = &test->test.otherwise;
    }
    cg_emit(g, loop);
    cg_emit(g, ks_fence(g->arena));
    cg_leave(g, scope);
}

static void check_bulk(void *user, struct ks *s)
{
    struct gen *g = user;

    if (s->kind == KS_STORE && s->store.batch.bars && !s->store.row)
        cg_fail(g, lift_type_scalar(g->ir, s->store.buffer->scalar),
                "'copy=bulk' of what is no row of whole 16 bytes in global memory, read "
                "without a test");
}

/* ---- */

static struct ks *visit(void *pass, struct ks *s)
{
    struct pass *p = pass;
    kx value = ks_is_async(s) ? declared(p, ks_expr(s)) : NULL;
    kx all = kx_bool(p->g->ir, true);
    struct ks *next = s->next, *row;

    if (s->kind == KS_DECL)
        lift_ptrmap_put(&p->declared, ks_name(s), s);
    for (int i = 0; ks_block(s, i); i++)
        cg_refill(p->g, ks_block(s, i), visit, p);
    row = as_row(p->g, s, &all);
    if (value && has_copy(s, value))
        emit(p->g, s, value);
    else if (row)
        emit_row(p->g, s, row, all);
    else {
        if (s->kind == KS_STORE)
            s->store.async = false;
        cg_emit(p->g, s);
    }
    return next;
}

void cg_pass_copies(struct gen *g, struct kernel *kernel)
{
    struct pass p = {.g = g};

    cg_refill(g, &kernel->body, visit, &p);
    ks_each(&kernel->body, check_bulk, g);
    lift_ptrmap_fini(&p.declared);
}
