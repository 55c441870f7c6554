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

static struct ks *visit(void *pass, struct ks *s)
{
    struct pass *p = pass;
    kx value = ks_is_async(s) ? declared(p, ks_expr(s)) : NULL;
    struct ks *next = s->next;

    if (s->kind == KS_DECL)
        lift_ptrmap_put(&p->declared, ks_name(s), s);
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

    cg_refill(g, &kernel->body, visit, &p);
    lift_ptrmap_fini(&p.declared);
}
