/* Nats as indices of views (ir/view.h). */
#include "base/bug.h"
#include "codegen/gen.h"

static const void *number(void *user, lift_nat n)
{
    (void)user;
    return n;
}

static const void *add(void *user, const void *i, lift_nat n, bool minus)
{
    (void)user;
    return minus ? lift_nat_sub(i, n) : lift_nat_add(i, n);
}

/* The start of row i; a shifted last row ends with the array. */
static lift_nat start(const struct gen *g, const struct lift_view *v, lift_nat i)
{
    lift_nat at = lift_nat_mul(i, v->n);

    return v->whole ? cg_by_facts(g, lift_nat_min(at, lift_nat_sub(v->whole, v->size)))
                    : at;
}

static const void *merge(void *user, const struct lift_view *v, const void *i,
                         const void *j)
{
    return lift_nat_add(start(user, v, i), j);
}

static void cut(void *user, const struct lift_view *v, const void *i, const void **row,
                const void **rest)
{
    *row = cg_by_facts(user, lift_nat_div(i, v->n));
    *rest = v->whole ? lift_nat_sub(i, start(user, v, *row))
                     : cg_by_facts(user, lift_nat_mod(i, v->n));
}

static const void *misfit(void *user)
{
    (void)user;
    LIFT_BUG("a path that does not fit the type of what it leads into");
}

const struct lift_index_ops cg_index_ops = {number, add, merge, cut, misfit};
