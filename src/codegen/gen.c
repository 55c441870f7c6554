#include "codegen/gen.h"
#include "lift/bug.h"
#include <stdarg.h>

kx cg_fail(struct gen *g, lift_type type, const char *format, ...)
{
    va_list args;

    if (g->beyond)
        g->beyond->failed = true;
    else if (!g->failed) {
        va_start(args, format);
        lift_str_vaddf(g->why, format, args);
        va_end(args);
    }
    g->failed |= !g->beyond;
    if (type->kind == LIFT_TYPE_SCALAR && type->scalar == LIFT_BOOL)
        return kx_bool(g->ir, false);
    return lift_type_is_scalar(type, LIFT_I32) ? kx_int(g->ir, 0)
                                               : kx_float(g->ir, LIFT_F32, 0);
}

struct scope cg_enter(struct gen *g, struct ks *block)
{
    struct scope scope = {g->block, g->memos, g->fact_count, g->nest_bits, g->shared};

    g->block = block;
    return scope;
}

void cg_leave(struct gen *g, struct scope scope)
{
    g->block = scope.block;
    g->memos = scope.memos;
    g->fact_count = scope.fact_count;
    g->nest_bits = scope.nest_bits;
    g->shared = scope.shared;
}

void cg_emit(struct gen *g, struct ks *stmt)
{
    ks_append(g->block, stmt);
}

/* Facts beyond the limit are forgotten: code stays right and keeps a test. */
void cg_assume(struct gen *g, lift_nat nonneg)
{
    if (g->fact_count < CG_FACTS)
        g->facts[g->fact_count++] = lift_nat_least(nonneg);
}

const struct env *cg_bind(struct gen *g, const struct env *env, struct value value)
{
    struct env *e = LIFT_NEW(g->arena, struct env);

    e->value = value;
    e->next = env;
    return e;
}

lift_access cg_index(struct gen *g, lift_nat index, lift_access next)
{
    return lift_access_index(g->arena, index, next);
}

lift_access cg_member(struct gen *g, int member, lift_access next)
{
    return lift_access_member(g->arena, member, next);
}

int64_t cg_const(struct gen *g, lift_nat n, const char *what)
{
    struct lift_str text = {0};
    int64_t value;

    if (lift_nat_is_const(n, &value))
        return value;
    lift_nat_print(n, 0, &text);
    cg_fail(g, lift_type_scalar(g->ir, LIFT_I32), "%s is not a number: '%s'", what,
            lift_str_get(&text));
    lift_str_fini(&text);
    return 1;
}

kx cg_variable(struct gen *g, const char *hint, kx value)
{
    struct ks *decl;

    if (kx_is_trivial(value))
        return value;
    decl = ks_new(g->arena, KS_DECL);
    decl->name = cg_name(g, hint);
    decl->value = value;
    cg_emit(g, decl);
    return kx_var(g->ir, decl->name, value->type);
}
