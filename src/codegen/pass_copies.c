/* Asynchronous stores: what is a load from global memory is copied without passing
 * through registers; under a condition, where that holds. All else is stored at once. */
#include "gen.h"

/* The value of a variable that the statement before declares. */
static kx declared(kx value, const struct ks *before)
{
    bool here = before && before->kind == KS_DECL && value->kind == KX_VAR &&
                value->name == before->name;

    return here ? before->value : value;
}

static bool is_copy(const struct ks *store, kx value)
{
    return value->kind == KX_LOAD && value->buffer->space == KSPACE_GLOBAL &&
           value->buffer->scalar == store->buffer->scalar &&
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

static void visit_block(struct gen *g, struct ks *block)
{
    struct ks fresh = {0};
    const struct ks *before = NULL;
    struct scope scope = cg_enter(g, &fresh);

    for (struct ks *s = block->first, *next; s; before = s, s = next) {
        kx value = s->async ? declared(s->value, before) : NULL;

        next = s->next;
        visit_block(g, s);
        if (s->otherwise)
            visit_block(g, s->otherwise);
        if (value && has_copy(s, value))
            emit(g, s, value);
        else {
            s->async = false;
            cg_emit(g, s);
        }
    }
    cg_leave(g, scope);
    block->first = fresh.first;
    block->last = fresh.last;
}

void cg_pass_copies(struct gen *g, struct kernel *kernel)
{
    visit_block(g, kernel->body);
}
