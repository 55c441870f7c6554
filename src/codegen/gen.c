#include "codegen/gen.h"
#include "base/bug.h"
#include "base/memory.h"
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

struct scope cg_enter(struct gen *g, struct kblock *block)
{
    struct scope scope = {g->block, g->memos, g->fact_count, g->around, g->shared};

    g->block = block;
    return scope;
}

void cg_leave(struct gen *g, struct scope scope)
{
    g->block = scope.block;
    g->memos = scope.memos;
    g->fact_count = scope.fact_count;
    g->around = scope.around;
    g->shared = scope.shared;
}

void cg_emit(struct gen *g, struct ks *stmt)
{
    ks_append(g->block, stmt);
}

void cg_refill(struct gen *g, struct kblock *block,
               struct ks *(*each)(void *user, struct ks *s), void *user)
{
    struct kblock fresh = {.of = block->of, .style = block->style};
    struct scope scope = cg_enter(g, &fresh);

    for (struct ks *s = block->first; s;)
        s = each(user, s);
    cg_leave(g, scope);
    block->first = fresh.first;
    block->last = fresh.last;
}

struct ks *cg_open_if(struct gen *g, kx cond)
{
    struct ks *test = ks_if(g->arena, cond);

    cg_emit(g, test);
    g->block = &test->test.body;
    return test;
}

/* Ignores facts beyond the limit: the code stays correct and keeps a boundary check. */
void cg_assume(struct gen *g, lift_nat nonneg)
{
    if (g->fact_count < CG_FACTS)
        g->facts[g->fact_count++] = lift_nat_least(nonneg);
}

void cg_assume_cond(struct gen *g, kx cond)
{
    if (cg_nonneg(cond))
        cg_assume(g, cg_nonneg(cond));
    for (int i = 0; kx_is_op(cond, LIFT_AND) && i < cond->arg_count; i++)
        cg_assume_cond(g, cond->args[i]);
}

lift_nat cg_by_facts(const struct gen *g, lift_nat n)
{
    return lift_nat_assume(n, g->facts, g->fact_count);
}

static bool is_open(const struct gen *g, const struct memo *m)
{
    return g->memos && m->height <= g->memos->height && g->memo_stack[m->height] == m;
}

/* The newest memo of an environment. Memos of closed scopes are dropped, so all older
 * ones belong to open scopes. */
static const struct memo **memos_of(struct gen *g, lift_env env)
{
    const struct memo **newest =
        env ? (const struct memo **)&((struct lift_env *)env)->notes : &g->outer_memos;

    while (*newest && !is_open(g, *newest))
        *newest = (*newest)->older;
    return newest;
}

const struct lift_bound *cg_remembered(struct gen *g, lift_expr e, lift_env env)
{
    const struct memo *m = *memos_of(g, env);

    while (m && m->expr != e)
        m = m->older;
    return m ? &m->value : NULL;
}

void cg_remember(struct gen *g, lift_expr e, lift_env env, struct lift_bound value)
{
    const struct memo **newest = memos_of(g, env);
    struct memo *m = LIFT_NEW(g->arena, struct memo);

    *m = (struct memo){.expr = e,
                       .env = env,
                       .value = value,
                       .next = g->memos,
                       .older = *newest,
                       .height = g->memos ? g->memos->height + 1 : 0};
    LIFT_ROOM(g->memo_stack, m->height, g->memo_cap);
    g->memo_stack[m->height] = *newest = m;
    g->memos = m;
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
    const char *name;

    if (kx_is_trivial(value))
        return value;
    name = cg_name(g, hint);
    cg_emit(g, ks_decl(g->arena, name, value));
    return kx_var(g->ir, name, value->type);
}
