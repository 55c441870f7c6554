/* Asynchronous stores: what is a load from global memory is copied without passing
 * through registers; under a condition, where that holds. All else is stored at once. */
#include "gen.h"

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

static lift_nat at_first(void *user, lift_nat var)
{
    const struct ks *loop = user;

    return var == loop->index ? lift_nat_const(lift_nat_pool(var), 0) : NULL;
}

/* Where 'at' begins in the first turn of a loop, if the turns follow each other and that
 * is at a multiple of 16 bytes; else NULL. */
static lift_nat start_of_row(struct gen *g, const struct ks *loop, lift_nat at, int lanes,
                             int bytes)
{
    lift_nat first = lift_nat_subst(g->nats, at, at_first, (void *)loop);
    lift_nat rest = lift_nat_sub(at, lift_nat_mul_const(loop->index, lanes));

    return rest == first && kx_is_aligned(first, 16 / bytes) ? first : NULL;
}

/* The only thing that the loop does, beside declaring variables. */
static struct ks *only_store(const struct ks *loop)
{
    struct ks *store = NULL;

    for (struct ks *s = loop->first; s; s = s->next) {
        if (s->kind == KS_DECL)
            continue;
        if (store || s->kind != KS_STORE)
            return NULL;
        store = s;
    }
    return store;
}

/* A loop of work-items that copies a row, as one copy. */
static struct ks *as_row(struct gen *g, const struct ks *loop)
{
    struct ks *s = only_store(loop), *row;
    int bytes = s ? lift_scalar_bytes(s->buffer->scalar) : 1, lanes;
    lift_nat to, from;

    if (!s || !s->async || !s->bars || loop->loop != KLOOP_LCL || loop->dim != 0)
        return NULL;
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
    struct ks *row;

    if (s->kind == KS_DECL)
        lift_ptrmap_put(&p->declared, s->name, s);
    visit_block(p, s);
    if (s->otherwise)
        visit_block(p, s->otherwise);
    row = as_row(p->g, s);
    if (value && has_copy(s, value)) {
        emit(p->g, s, value);
        return;
    }
    s->async = false;
    cg_emit(p->g, row ? row : s);
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
