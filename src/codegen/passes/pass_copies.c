/* Asynchronous stores: what is a load from global memory is copied without passing
 * through registers; under a condition, where that holds. All else is stored at once. */
#include "codegen/gen.h"

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
        return kx_load(p->g->ir, vector->buffer, lift_nat_add(vector->nat, value->nat),
                       value->type);
    return decl ? decl->value : value;
}

static bool is_copy(const struct ks *store, kx value)
{
    return value->kind == KX_LOAD && value->buffer->space == KSPACE_GLOBAL &&
           !value->buffer->written && value->buffer->scalar == store->buffer->scalar &&
           lift_scalar_bytes(value->buffer->scalar) >= 4;
}

static bool has_copy(const struct ks *store, kx value)
{
    if (value->kind != KX_OP || value->op != LIFT_SELECT)
        return is_copy(store, value);
    return has_copy(store, value->args[1]) || has_copy(store, value->args[2]);
}

static void emit(struct gen *g, const struct ks *store, kx value);

static void emit_choice(struct gen *g, const struct ks *store, kx value)
{
    struct scope scope = cg_enter(g, g->block);
    struct ks *test = ks_new(g->arena, KS_IF);

    test->cond = value->args[0];
    test->otherwise = ks_new(g->arena, KS_BLOCK);
    cg_emit(g, test);
    g->block = test;
    emit(g, store, value->args[1]);
    g->block = test->otherwise;
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
    s = lift_arena_copy(g->arena, store, sizeof *store);
    s->value = value;
    s->async = is_copy(store, value);
    cg_emit(g, s);
}

/* ---- bulk copies */

struct turn {
    lift_nat index;
    int64_t number;
};

static lift_nat number_of(void *user, lift_nat var)
{
    const struct turn *t = user;

    return var == t->index ? lift_nat_const(lift_nat_pool(var), t->number) : NULL;
}

/* 'n' in a turn of the loop. */
static lift_nat in_turn(struct gen *g, const struct ks *loop, lift_nat n, int64_t number)
{
    struct turn t = {loop->index, number};

    return lift_nat_subst(g->nats, n, number_of, &t);
}

/* Where 'at' begins in the first turn of a loop, if the turns follow each other and that
 * is at a multiple of 16 bytes; else NULL. */
static lift_nat start_of_row(struct gen *g, const struct ks *loop, lift_nat at, int lanes,
                             int bytes)
{
    lift_nat first = in_turn(g, loop, at, 0);
    lift_nat rest = lift_nat_sub(at, lift_nat_mul_const(loop->index, lanes));

    return rest == first && kx_is_aligned(first, 16 / bytes) ? first : NULL;
}

/* That a condition holds in all turns: what grows evenly is least at one of the ends.
 * NULL if that cannot be said. */
static kx in_all_turns(struct gen *g, const struct ks *loop, kx cond)
{
    lift_nat n, first, step;
    kx a, b;

    if (cond->kind != KX_OP || (cond->op != LIFT_AND && cond->op != LIFT_LE))
        return NULL;
    a = cond->args[0];
    b = cond->args[1];
    if (cond->op == LIFT_AND) {
        a = in_all_turns(g, loop, a);
        b = in_all_turns(g, loop, b);
        return a && b ? kx_and(g->ir, a, b) : NULL;
    }
    if (a->kind != KX_NAT || b->kind != KX_NAT)
        return NULL;
    n = lift_nat_sub(b->nat, a->nat);
    first = in_turn(g, loop, n, 0);
    step = lift_nat_sub(in_turn(g, loop, n, 1), first);
    if (n != lift_nat_add(first, lift_nat_mul(step, loop->index)))
        return NULL;
    if (n == first)
        return cond;
    return kx_and(g->ir, kx_ge0(g->ir, first, NULL, 0),
                  kx_ge0(g->ir, in_turn(g, loop, n, loop->extent - 1), NULL, 0));
}

/* The only thing that a block does, beside declaring variables, where the tests on the
 * way hold in all turns of the loop: a store, or NULL. '*all' gets these tests. */
static struct ks *only_store(struct gen *g, const struct ks *loop, const struct ks *block,
                             kx *all)
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
    cond = only->kind == KS_IF ? in_all_turns(g, loop, only->cond) : NULL;
    if (!cond)
        return NULL;
    *all = kx_and(g->ir, *all, cond);
    return only_store(g, loop, only, all);
}

/* A loop of work-items that copies a row, as one copy; '*all' gets what must hold. */
static struct ks *as_row(struct gen *g, const struct ks *loop, kx *all)
{
    struct ks *s, *row;
    int bytes, lanes;
    lift_nat to, from;

    if (loop->kind != KS_LOOP || loop->loop != KLOOP_LCL || loop->dim != 0)
        return NULL;
    s = only_store(g, loop, loop, all);
    if (!s || !s->async || !s->bars)
        return NULL;
    bytes = lift_scalar_bytes(s->buffer->scalar);
    lanes = s->value->type->kind == LIFT_TYPE_VECTOR ? s->value->type->count : 1;
    to = start_of_row(g, loop, s->at, lanes, bytes);
    from = start_of_row(g, loop, s->value->nat, lanes, bytes);
    if (!to || !from || loop->extent * lanes * bytes % 16 != 0)
        return NULL;
    row = lift_arena_copy(g->arena, s, sizeof *s);
    row->at = to;
    row->value = kx_load(g->ir, s->value->buffer, from,
                         lift_type_scalar(g->ir, s->buffer->scalar));
    row->row = loop->extent * lanes;
    return row;
}

static void store_at_once(struct ks *block)
{
    for (struct ks *s = block->first; s; s = s->next) {
        s->async = false;
        s->bars = NULL;
        s->batch = NULL;
        store_at_once(s);
        if (s->otherwise)
            store_at_once(s->otherwise);
    }
}

/* Where not all of the row is read without a test, the work-items copy it at once. */
static void emit_row(struct gen *g, struct ks *loop, struct ks *row, kx all)
{
    struct scope scope = cg_enter(g, g->block);

    if (kx_is_bool(all, true)) {
        cg_emit(g, row);
        return;
    }
    store_at_once(loop);
    if (!kx_is_bool(all, false)) {
        struct ks *test = ks_new(g->arena, KS_IF);

        test->cond = all;
        test->otherwise = ks_new(g->arena, KS_BLOCK);
        ks_append(test, row);
        cg_emit(g, test);
        g->block = test->otherwise;
    }
    cg_emit(g, loop);
    cg_emit(g, ks_new(g->arena, KS_FENCE));
    cg_leave(g, scope);
}

static void check_bulk(struct gen *g, const struct ks *s)
{
    if (s->kind == KS_STORE && s->bars && !s->row)
        cg_fail(g, lift_type_scalar(g->ir, s->buffer->scalar),
                "'copy=bulk' of what is no row of whole 16 bytes in global memory, read "
                "without a test");
    for (const struct ks *c = s->first; c; c = c->next)
        check_bulk(g, c);
    for (const struct ks *c = s->otherwise ? s->otherwise->first : NULL; c; c = c->next)
        check_bulk(g, c);
}

/* ---- */

static void visit_block(struct pass *p, struct ks *block);

/* A statement, with those inside, moved to the current block. */
static void visit(struct pass *p, struct ks *s)
{
    kx value = s->async ? declared(p, s->value) : NULL;
    kx all = kx_bool(p->g->ir, true);
    struct ks *row;

    if (s->kind == KS_DECL)
        lift_ptrmap_put(&p->declared, s->name, s);
    visit_block(p, s);
    if (s->otherwise)
        visit_block(p, s->otherwise);
    row = as_row(p->g, s, &all);
    if (value && has_copy(s, value)) {
        emit(p->g, s, value);
        return;
    }
    s->async = false;
    if (row)
        emit_row(p->g, s, row, all);
    else
        cg_emit(p->g, s);
}

static void visit_block(struct pass *p, struct ks *block)
{
    struct ks fresh = {0};
    struct scope scope = cg_enter(p->g, &fresh);

    for (struct ks *s = block->first, *next; s; s = next) {
        next = s->next;
        visit(p, s);
    }
    cg_leave(p->g, scope);
    block->first = fresh.first;
    block->last = fresh.last;
}

void cg_pass_copies(struct gen *g, struct kernel *kernel)
{
    struct pass p = {.g = g};

    visit_block(&p, kernel->body);
    check_bulk(g, kernel->body);
    lift_ptrmap_fini(&p.declared);
}
