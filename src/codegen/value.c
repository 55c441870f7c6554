/* Values that variables stand for, those that are remembered, and how they are read. */
#include "base/bug.h"
#include "codegen/gen.h"

const struct memo *cg_remembered(const struct gen *g, lift_expr e, const struct env *env)
{
    const struct memo *m = g->memos;

    while (m && (m->expr != e || m->env != env))
        m = m->next;
    return m;
}

void cg_remember(struct gen *g, lift_expr e, const struct env *env, struct value value)
{
    struct memo *m = LIFT_NEW(g->arena, struct memo);

    *m = (struct memo){e, env, value, g->memos};
    g->memos = m;
}

kx cg_read_value(struct gen *g, const struct value *v, lift_access path, lift_type type)
{
    switch (v->kind) {
    case VALUE_EXPR:
        return cg_read(g, v->expr, v->env, lift_access_append(g->arena, v->at, path));
    case VALUE_MEM:
        return cg_load(g, v->mem, lift_access_append(g->arena, v->at, path), type);
    case VALUE_WINDOW:
        return cg_read_window(g, v->window, path, type);
    case VALUE_SCALAR:
        break;
    }
    LIFT_ASSERT(!path);
    return v->scalar;
}

const struct value *cg_lookup(const struct env *env, int index)
{
    while (index--)
        env = env->next;
    return &env->value;
}

struct value cg_scalar_value(kx x)
{
    return (struct value){.kind = VALUE_SCALAR, .scalar = x};
}

struct value cg_value(struct gen *g, const char *hint, lift_expr e, const struct env *env)
{
    const struct memo *known;

    cg_prepare(g, e, env);
    known = cg_remembered(g, e, env);
    if (known)
        return known->value;
    if (lift_type_is_value(e->type))
        return cg_scalar_value(cg_variable(g, hint, cg_read(g, e, env, NULL)));
    return (struct value){.kind = VALUE_EXPR, .expr = e, .env = env};
}

struct value cg_element(struct gen *g, lift_expr xs, const struct env *env,
                        lift_nat index, lift_expr lambda)
{
    struct value v = {
        .kind = VALUE_EXPR, .expr = xs, .env = env, .at = cg_index(g, index, NULL)};

    if (!lift_type_is_value(xs->type->elem) ||
        !lift_expr_uses_bound(lambda->u.lambda.body, 0, 1))
        return v;
    return cg_scalar_value(
        cg_variable(g, "x", cg_read_value(g, &v, NULL, xs->type->elem)));
}
