/* Asynchronous stores: a load from global memory becomes an asynchronous copy that
 * bypasses registers. A conditional load becomes a conditional copy. Other values are
 * stored synchronously. */
#include "codegen/passes/passes.h"

struct pass {
    struct gen *g;
    struct lift_ptrmap sets;
};

static void note_set(void *sets, struct ks *s)
{
    bool sets_one = s->kind == KS_DECL || s->kind == KS_ASSIGN;

    if (sets_one)
        lift_ptrmap_put(sets, ks_name(s), lift_ptrmap_get(sets, ks_name(s)) ? sets : s);
}

void cg_find_sets(const struct kblock *block, struct lift_ptrmap *sets)
{
    ks_each(block, note_set, sets);
}

kx cg_loaded(struct gen *g, const struct lift_ptrmap *sets, kx e)
{
    kx vector;

    while (e->kind == KX_VAR) {
        const void *set = lift_ptrmap_get(sets, e->name);

        if (!set || set == sets)
            return e;
        e = ks_expr(set);
    }
    vector = e->kind == KX_LANE ? cg_loaded(g, sets, e->args[0]) : NULL;
    return vector && vector->kind == KX_LOAD
               ? kx_load(g->ir, vector->load.buffer,
                         lift_nat_add_const(vector->load.at, e->lane), e->type)
               : e;
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

static struct ks *visit(void *pass, struct ks *s)
{
    struct pass *p = pass;
    kx value = ks_is_async(s) ? cg_loaded(p->g, &p->sets, ks_expr(s)) : NULL;
    struct ks *next = s->next;

    for (int i = 0; ks_block(s, i); i++)
        cg_refill(p->g, ks_block(s, i), visit, p);
    if (value && has_copy(s, value))
        emit(p->g, s, value);
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

    cg_find_sets(&kernel->body, &p.sets);
    cg_refill(g, &kernel->body, visit, &p);
    lift_ptrmap_fini(&p.sets);
}
