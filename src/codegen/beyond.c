/* Elements that no result depends on (pad any). A read outside the array needs no
 * boundary check if its buffer has an element there: any value is correct. In streams
 * that are divided among work-items, conditions on the path may have their values inside
 * the array. Such conditions only select values; they never decide whether a load is
 * valid. */
#include "codegen/gen.h"
#include <string.h>

enum { MAX_DEPTH = 8 };

/* True if the facts prove n >= 0. The facts from 'from' on come first, since a proof from
 * few facts is fast. */
static bool is_ge0(const struct gen *g, int from, lift_nat n)
{
    return lift_nat_proves_ge0(n, g->facts + from, g->fact_count - from) ||
           lift_nat_proves_ge0(n, g->facts, g->fact_count);
}

static bool is_unchanged_input(const struct gen *g, const struct kbuffer *b)
{
    return b->space == KSPACE_GLOBAL && b->bind >= 0 &&
           g->binds[b->bind].kind == LIFT_BIND_INPUT && !cg_is_overwritten(g, b);
}

/* True if the buffer has the loaded elements, and no other work-item changes them: the
 * buffer belongs to an unchanged input, or barriers order the accesses. */
static bool has(const struct gen *g, int from, kx load)
{
    const struct kbuffer *b = load->load.buffer;
    lift_nat at = load->load.at;
    int lanes = kx_is_vector(load) ? load->type->count : 1;
    lift_nat behind = lift_nat_sub(lift_nat_const(g->nats, b->count - lanes), at);

    return (b->fenced || is_unchanged_input(g, b)) && is_ge0(g, from, at) &&
           is_ge0(g, from, behind);
}

/* True if 'has' holds for all loads of 'e'. Facts from 'from' on come from conditions
 * inside 'e'. */
static bool has_all(struct gen *g, int from, kx e)
{
    struct scope scope = cg_enter(g, g->block);
    bool all = e->kind != KX_LOAD || has(g, from, e);

    for (int i = 0; i < e->arg_count && all; i++) {
        if (i == 1 && kx_is_op(e, LIFT_SELECT))
            cg_assume_cond(g, e->args[0]);
        else
            cg_leave(g, scope);
        all = has_all(g, from, e->args[i]);
    }
    cg_leave(g, scope);
    return all;
}

/* The value at a path that may leave the array. NULL if the read needs statements, or if
 * a load may leave its buffer. */
static kx read_beyond(struct gen *g, lift_expr e, lift_env env, lift_access path)
{
    struct beyond *outer = g->beyond;
    struct beyond own = {.depth = outer ? outer->depth + 1 : 1};
    struct kblock trial = {0};
    int wishes = g->wishes ? g->wishes->count : 0;
    struct scope scope;
    kx x;

    if (own.depth > MAX_DEPTH)
        return NULL;
    scope = cg_enter(g, &trial);
    g->beyond = &own;
    x = cg_read(g, e, env, path);
    g->beyond = outer;
    cg_leave(g, scope);
    if (!own.failed && !trial.first && has_all(g, g->fact_count, x))
        return x;
    if (g->wishes)
        g->wishes->count = wishes;
    return NULL;
}

/* The largest known power of two that divides both the length and 'j' without its
 * constant term. */
static int64_t common_step(lift_nat j, lift_nat len)
{
    lift_nat tight = lift_nat_tight(j);
    int64_t n, step = 1;

    if (!lift_nat_is_const(len, &n))
        return 1;
    while (step * 2 <= n && n % (step * 2) == 0 &&
           lift_nat_proves_divides(lift_nat_const(lift_nat_pool(j), step * 2), tight))
        step *= 2;
    return step;
}

/* 'j' where 'j' is in range, otherwise an index in range. Consecutive indices of a vector
 * stay consecutive. */
static lift_nat into_range(struct gen *g, lift_nat j, lift_nat len)
{
    int64_t step = common_step(j, len), rest;
    lift_nat first = j, zero = lift_nat_const(g->nats, 0);

    if (!lift_nat_is_const(lift_nat_mod(j, lift_nat_const(g->nats, step)), &rest))
        rest = 0;
    first = lift_nat_add_const(j, -rest);
    first = lift_nat_max(zero, lift_nat_min(first, lift_nat_add_const(len, -step)));
    return cg_by_facts(g, lift_nat_add_const(first, rest));
}

static void mean(struct gen *g, lift_nat nonneg)
{
    if (g->meant_count < CG_MEANT)
        g->meant[g->meant_count++] = lift_nat_least(nonneg);
}

kx cg_meant_ge0(const struct gen *g, lift_nat n)
{
    lift_nat all[CG_FACTS + CG_MEANT];
    kx x = kx_ge0(g->ir, n, g->facts, g->fact_count);
    int count = 0;

    if (!g->meant_count || x->kind == KX_BOOL)
        return x;
    for (int i = 0; i < g->fact_count; i++)
        all[count++] = g->facts[i];
    for (int i = 0; i < g->meant_count; i++)
        all[count++] = g->meant[i];
    return kx_ge0(g->ir, lift_nat_assume(n, all, count), all, count);
}

static kx read_any(struct gen *g, lift_expr e, lift_env env, lift_nat j, lift_access path)
{
    kx x = read_beyond(g, e, env, cg_index(g, j, path));
    lift_nat behind = lift_nat_sub(lift_nat_add_const(e->type->len, -1), j);

    if (x)
        return x;
    if (g->wishes)
        g->wishes->of_any -= g->wishes->count;
    if (!cg_holds_or_wished(g, j) || !cg_holds_or_wished(g, behind))
        j = into_range(g, j, e->type->len);
    if (g->wishes)
        g->wishes->of_any += g->wishes->count;
    return cg_read(g, e, env, cg_index(g, j, path));
}

kx cg_read_any(struct gen *g, lift_expr e, lift_env env, lift_nat j, lift_access path)
{
    int meant = g->meant_count;
    kx x;

    if (cg_in_shared_stream(g)) {
        mean(g, j);
        mean(g, lift_nat_sub(lift_nat_add_const(e->type->len, -1), j));
    }
    x = read_any(g, e, env, j, path);
    g->meant_count = meant;
    return x;
}

struct known cg_forget(struct gen *g, int facts)
{
    struct known k = {.fact_count = g->fact_count, .meant_count = g->meant_count};

    memcpy(k.facts, g->facts, sizeof k.facts);
    memcpy(k.meant, g->meant, sizeof k.meant);
    g->fact_count = facts;
    g->meant_count = 0;
    return k;
}

void cg_know(struct gen *g, const struct known *k)
{
    memcpy(g->facts, k->facts, sizeof k->facts);
    memcpy(g->meant, k->meant, sizeof k->meant);
    g->fact_count = k->fact_count;
    g->meant_count = k->meant_count;
}
