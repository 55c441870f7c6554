/* Reads of elements that may be outside an array: facts, and choices between two sides.
 */
#include "codegen/gen.h"

lift_nat cg_reindex(enum lift_pad_kind kind, lift_nat j, lift_nat n)
{
    lift_nat last = lift_nat_add_const(n, -1), zero = lift_nat_sub(n, n);
    lift_nat low =
        lift_nat_sub(lift_nat_sub(zero, j), lift_nat_const(lift_nat_pool(n), 1));
    lift_nat high = lift_nat_sub(lift_nat_add(n, last), j);

    if (kind == LIFT_PAD_CLAMP)
        return lift_nat_max(zero, lift_nat_min(j, last));
    if (kind == LIFT_PAD_MIRROR)
        return lift_nat_max(low, lift_nat_min(j, high));
    return lift_nat_mod(lift_nat_add(j, n), n);
}

bool cg_holds_or_wished(struct gen *g, lift_nat n)
{
    if (lift_nat_proves_ge0(n, g->facts, g->fact_count))
        return true;
    if (!g->wishes || lift_nat_hi(n) < 0)
        return false;
    if (g->wishes->count < CG_WISHES)
        g->wishes->items[g->wishes->count++] = n;
    cg_assume(g, n);
    return true;
}

bool cg_is_inside(const struct gen *g, lift_nat j, lift_nat last)
{
    return lift_nat_proves_ge0(j, g->facts, g->fact_count) &&
           lift_nat_proves_ge0(lift_nat_sub(last, j), g->facts, g->fact_count);
}

kx cg_read_side(struct gen *g, const struct side *s, const lift_nat *facts, int count)
{
    struct kblock trial = {0};
    struct scope scope = cg_enter(g, &trial);
    kx x;

    for (int i = 0; i < count; i++)
        cg_assume(g, facts[i]);
    x = cg_read(g, s->expr, s->env, s->at ? cg_index(g, s->at, s->path) : s->path);
    cg_leave(g, scope);
    if (!trial.first)
        return x;
    return cg_read(g, s->expr, s->env, s->at ? cg_index(g, s->safe, s->path) : s->path);
}

lift_nat cg_clamp_to(struct gen *g, lift_nat j, lift_nat n)
{
    return cg_by_facts(g, cg_reindex(LIFT_PAD_CLAMP, j, n));
}

kx cg_choose(struct gen *g, lift_nat j, lift_nat n, const struct side *inside,
             const struct side *outside)
{
    lift_nat facts[2] = {j, lift_nat_sub(lift_nat_add_const(n, -1), j)};
    kx cond;

    if (g->wishes && cg_holds_or_wished(g, facts[0]))
        cg_holds_or_wished(g, facts[1]);
    cond = kx_and(g->ir, kx_ge0(g->ir, facts[0], g->facts, g->fact_count),
                  kx_ge0(g->ir, facts[1], g->facts, g->fact_count));
    if (kx_is_bool(cond, true))
        return cg_read_side(g, inside, facts, 2);
    if (kx_is_bool(cond, false))
        return cg_read_side(g, outside, NULL, 0);
    return kx_select(g->ir, cond, cg_read_side(g, inside, facts, 2),
                     cg_read_side(g, outside, NULL, 0));
}

/* The path into the box, clamped to the nearest element. Adds the condition that the path
 * is inside to '*inside'. */
static lift_access into_box(struct gen *g, const struct lift_view *v, int k,
                            lift_access path, kx *inside)
{
    lift_nat j, behind;

    if (k == v->dims)
        return path;
    j = path->index;
    behind = lift_nat_sub(lift_nat_add_const(v->count[k], -1), j);
    *inside = kx_and(g->ir, *inside, kx_ge0(g->ir, j, g->facts, g->fact_count));
    *inside = kx_and(g->ir, *inside, kx_ge0(g->ir, behind, g->facts, g->fact_count));
    return cg_index(g, cg_clamp_to(g, j, v->count[k]),
                    into_box(g, v, k + 1, path->next, inside));
}

kx cg_read_box(struct gen *g, lift_expr e, lift_env env, lift_access path)
{
    kx inside = kx_bool(g->ir, true);
    lift_access at = lift_view_read(&g->walker.indices, e, 1, path);
    struct lift_view v;

    lift_view_of(e, 1, &v);
    at = into_box(g, &v, 0, at, &inside);
    if (kx_is_bool(inside, false))
        return cg_read(g, lift_expr_arg(e, 0), env, path);
    if (kx_is_bool(inside, true))
        return cg_read(g, lift_expr_arg(e, 1), env, at);
    return kx_select(g->ir, inside, cg_read(g, lift_expr_arg(e, 1), env, at),
                     cg_read(g, lift_expr_arg(e, 0), env, path));
}
