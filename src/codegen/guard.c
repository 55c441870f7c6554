/* One guard for many stores: the guard of the element nearest to, or farthest from, the
 * boundary. */
#include "codegen/gen.h"
#include <string.h>

lift_nat cg_nonneg(kx e)
{
    bool not = kx_is_op(e, LIFT_NOT);
    kx of = not ? e->args[0] : e;
    bool less = kx_is_op(of, LIFT_LT);
    lift_nat n;

    if ((!less && !kx_is_op(of, LIFT_LE)) || of->args[0]->kind != KX_NAT ||
        of->args[1]->kind != KX_NAT)
        return NULL;
    n = lift_nat_sub(of->args[1]->nat, of->args[0]->nat);
    n = less ? lift_nat_add_const(n, -1) : n;
    return not ? lift_nat_add_const(lift_nat_mul_const(n, -1), -1) : n;
}

struct extreme {
    struct gen *g;
    lift_nat n; /* NULL: not known */
    bool greatest;
    const char *prefix; /* prefix of the names of variables to replace */
};

/* Replaces one variable by the end of its range at which the sum is extreme. */
static void take_end(void *user, const struct lift_var *var)
{
    struct extreme *x = user;
    lift_nat ends[2];

    if (var->kind != LIFT_VAR_META || !x->n ||
        strncmp(var->name, x->prefix, strlen(x->prefix)) != 0)
        return;
    for (int i = 0; i < 2; i++)
        ends[i] = lift_nat_with(x->n, var->nat,
                                lift_nat_const(x->g->nats, i ? var->hi : var->lo));
    for (int i = 0; i < 2; i++)
        if (x->greatest ? lift_nat_proves_le(x->n, ends[i])
                        : lift_nat_proves_le(ends[i], x->n)) {
            x->n = ends[i];
            return;
        }
    x->n = NULL;
}

static lift_nat extreme(struct gen *g, lift_nat n, bool greatest, const char *prefix)
{
    struct extreme x = {g, n, greatest, prefix};

    lift_nat_each_var(n, take_end, &x);
    return x.n;
}

static lift_nat least_of(struct gen *g, lift_nat n)
{
    return extreme(g, n, false, "");
}

lift_nat cg_any_lane(struct gen *g, lift_nat n)
{
    return extreme(g, n, true, CG_LANE);
}

lift_nat cg_lane_var(struct gen *g, lift_type vector)
{
    const char *name = lift_arena_printf(g->arena, CG_LANE "%d", vector->count);

    return lift_nat_var(g->nats, name, LIFT_VAR_META, 0, vector->count - 1);
}

kx cg_all_hold(struct gen *g, const lift_nat *guards, int count)
{
    kx all = kx_bool(g->ir, true);

    for (int i = 0; i < count; i++) {
        lift_nat least = least_of(g, guards[i]);

        if (!least)
            return kx_bool(g->ir, false);
        all = kx_and(g->ir, all, kx_ge0(g->ir, least, g->facts, g->fact_count));
    }
    return all;
}

void cg_assume_all(struct gen *g, const lift_nat *guards, int count)
{
    for (int i = 0; i < count; i++)
        cg_assume(g, least_of(g, guards[i]));
}

void cg_assume_not_all(struct gen *g, const lift_nat *guards, int count)
{
    lift_nat open = NULL;

    for (int i = 0; i < count; i++) {
        lift_nat least = least_of(g, guards[i]);

        if (lift_nat_proves_ge0(least, g->facts, g->fact_count))
            continue;
        if (open)
            return;
        open = least;
    }
    if (open)
        cg_assume(g, lift_nat_add_const(lift_nat_mul_const(open, -1), -1));
}

void cg_drop_implied(struct gen *g, lift_nat *nonneg, int count)
{
    for (int i = 0; i < count; i++) {
        lift_nat n = nonneg[i];

        nonneg[i] = lift_nat_const(g->nats, 0);
        if (!lift_nat_proves_ge0(n, nonneg, count))
            nonneg[i] = n;
    }
}

/* Moves the comparisons of indices in the conjunction 'tests' to 'nonneg', and returns
 * the other conditions. */
static kx collect(struct gen *g, kx tests, lift_nat nonneg[CG_FACTS], int *count)
{
    lift_nat n = cg_nonneg(tests);
    kx rest = kx_bool(g->ir, true);

    for (int i = 0; kx_is_op(tests, LIFT_AND) && i < 2; i++)
        rest = kx_and(g->ir, rest, collect(g, tests->args[i], nonneg, count));
    if (kx_is_op(tests, LIFT_AND))
        return rest;
    if (!n || *count == CG_FACTS)
        return tests;
    nonneg[(*count)++] = lift_nat_tight(n);
    return rest;
}

kx cg_without_implied(struct gen *g, kx tests)
{
    lift_nat nonneg[CG_FACTS];
    int count = 0;
    kx all = collect(g, tests, nonneg, &count);

    cg_drop_implied(g, nonneg, count);
    for (int i = 0; i < count; i++)
        all = kx_and(g->ir, all, kx_ge0(g->ir, nonneg[i], NULL, 0));
    return all;
}
