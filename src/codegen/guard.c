/* Guards of many stores at once: by the element of them for which they are hardest or
 * easiest to hold. */
#include "codegen/gen.h"
#include <string.h>

struct extreme {
    struct gen *g;
    lift_nat n; /* NULL: not known */
    bool greatest;
    const char *prefix; /* of the variables that it is about */
};

/* One variable takes the end of its range at which the sum is the extreme one. */
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
