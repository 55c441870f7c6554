/* Reductions: an accumulator in a variable, by a loop or in straight-line code. */
#include "gen.h"

static void assign(struct gen *g, const char *name, kx value)
{
    struct ks *s = ks_new(g->arena, KS_ASSIGN);

    s->name = name;
    s->value = value;
    cg_emit(g, s);
}

/* acc = f(acc, xs[index]) */
static void accumulate(struct gen *g, lift_expr e, const struct env *env, kx acc,
                       lift_nat index)
{
    lift_expr f = e->u.prim.args[0];
    struct value a = {.kind = VALUE_SCALAR, .scalar = acc};
    const struct env *inner =
        cg_bind(g, cg_bind(g, env, a), cg_element(g, e->u.prim.args[2], env, index, f));

    assign(g, acc->name, cg_read(g, f->u.lambda.body, inner, NULL));
}

static kx declare(struct gen *g, lift_expr e, const struct env *env)
{
    struct ks *decl = ks_new(g->arena, KS_DECL);

    decl->value = cg_read(g, e->u.prim.args[1], env, NULL);
    decl->name = cg_name(g, "acc");
    cg_emit(g, decl);
    return kx_var(g->ir, decl->name, e->type);
}

kx cg_read_reduce(struct gen *g, lift_expr e, const struct env *env)
{
    const struct memo *known = cg_remembered(g, e, env);
    int64_t n = cg_const(g, e->u.prim.args[2]->type->len, "the length of a reduction");
    struct scope scope;
    kx acc;

    if (known)
        return known->value.scalar;
    if (e->op == LIFT_REDUCE_UNROLL && n > 1024)
        return cg_fail(g, e->type, "'reduceUnroll' of %lld elements", (long long)n);
    cg_prepare(g, e->u.prim.args[2], env);
    acc = declare(g, e, env);
    for (int64_t i = 0; e->op == LIFT_REDUCE_UNROLL && i < n; i++)
        accumulate(g, e, env, acc, lift_nat_const(g->nats, i));
    if (e->op == LIFT_REDUCE_SEQ && n > 0) {
        scope = cg_enter(g, g->block);
        accumulate(g, e, env, acc, cg_open_loop(g, KLOOP_SEQ, 0, n));
        cg_leave(g, scope);
    }
    cg_remember(g, e, env, (struct value){.kind = VALUE_SCALAR, .scalar = acc});
    return acc;
}
