/* Stores of scalars and vectors, under the remaining guards. */
#include "codegen/gen.h"

static void emit_store(struct gen *g, kx value, const struct mem *mem, lift_access path)
{
    struct scope scope = cg_enter(g, g->block);
    lift_nat at;
    struct kbuffer *buffer = cg_locate(g, mem, path, &at);
    struct ks *s = ks_store(g->arena, buffer, cg_by_facts(g, at), value);

    s->store.async = g->async;
    cg_use_buffer(g, buffer, true);
    if (g->wanted && value->kind != KX_VAR && value->kind != KX_LOAD)
        cg_fail(g, value->type, "asynchronous copies cannot store computed values");
    if (g->wanted)
        cg_open_if(g, g->wanted);
    g->wanted = NULL;
    cg_emit(g, s);
    cg_leave(g, scope);
}

static void store_scalar(struct gen *g, kx value, lift_dest dest, lift_access path)
{
    struct scope scope = cg_enter(g, g->block);
    lift_nat guards[CG_GUARDS];
    const struct mem *mem;
    kx cond = kx_bool(g->ir, true);
    int count = 0;

    path = cg_follow(g, dest, path, &mem, guards, &count);
    for (int i = 0; i < count; i++) {
        cond = kx_and(g->ir, cond, kx_ge0(g->ir, guards[i], g->facts, g->fact_count));
        cg_assume(g, guards[i]);
    }
    if (cond->kind != KX_BOOL)
        cg_open_if(g, cond);
    if (!kx_is_bool(cond, false))
        emit_store(g, value, mem, path);
    cg_leave(g, scope);
}

/* True if the lanes are contiguous in memory; 'path' is the path of an arbitrary lane. */
static bool is_row(struct gen *g, const struct mem *mem, lift_access path, lift_nat lane)
{
    lift_nat at;

    cg_locate(g, mem, path, &at);
    return !lift_nat_mentions(lift_nat_sub(at, lane), LIFT_VAR_META);
}

/* Stores a vector as a whole if all its lanes are stored; otherwise lane by lane. */
static void store_vector(struct gen *g, kx value, lift_dest dest)
{
    struct scope scope = cg_enter(g, g->block);
    lift_nat guards[CG_GUARDS], lane = cg_lane_var(g, value->type);
    const struct mem *mem;
    lift_access path;
    struct ks *test = NULL;
    kx cond;
    int count = 0;

    path = cg_follow(g, dest, cg_index(g, lane, NULL), &mem, guards, &count);
    cond = is_row(g, mem, path, lane) ? cg_all_hold(g, guards, count)
                                      : kx_bool(g->ir, false);
    if (cond->kind != KX_BOOL)
        test = cg_open_if(g, cond);
    if (!kx_is_bool(cond, false)) {
        path = cg_follow(g, dest, cg_index(g, lift_nat_const(g->nats, 0), NULL), &mem,
                         (lift_nat[CG_GUARDS]){NULL}, &(int){0});
        cg_assume_all(g, guards, count);
        emit_store(g, value, mem, path);
        g->fact_count = scope.fact_count;
    }
    if (test)
        g->block = &test->test.otherwise;
    if (test || kx_is_bool(cond, false)) {
        if (value->kind != KX_LANES)
            value = cg_variable(g, "lanes", value);
        for (int i = 0; i < value->type->count; i++)
            store_scalar(g, kx_lane(g->ir, value, i), dest,
                         cg_index(g, lift_nat_const(g->nats, i), NULL));
    }
    cg_leave(g, scope);
}

void cg_store(struct gen *g, kx value, lift_dest dest)
{
    if (value->type->kind == LIFT_TYPE_VECTOR)
        store_vector(g, value, dest);
    else
        store_scalar(g, value, dest, NULL);
}
