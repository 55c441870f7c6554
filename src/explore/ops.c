/* Operations of a program, counted in its expression. */
#include "lift/bug.h"
#include "lift/explore_ops.h"
#include <stdlib.h>

static const double max_ops = 1e6;

double lift_op_weight(enum lift_op op)
{
    switch (op) {
    case LIFT_EXP:
    case LIFT_LOG:
    case LIFT_SIN:
    case LIFT_COS:
    case LIFT_POW:
    case LIFT_USER_FUN:
        return 16;
    case LIFT_DIV:
    case LIFT_SQRT:
        return 4;
    default:
        return 1;
    }
}

/* How often the function of a primitive adds to one value. */
static double repeats(lift_expr e, const struct lift_nat_env *sizes)
{
    int64_t length;

    if (lift_expr_is(e, LIFT_ITERATE))
        return lift_nat_eval(e->u.prim.nats[0], lift_nat_env_value, (void *)sizes,
                             &length)
                   ? (double)length
                   : 1;
    if (e->kind != LIFT_EXPR_PRIM || !lift_op_is_reduce(e->op))
        return 1;
    return lift_nat_eval(e->u.prim.args[2]->type->len, lift_nat_env_value, (void *)sizes,
                         &length)
               ? (double)length
               : 1;
}

struct counter {
    const struct lift_nat_env *sizes;
    double *known; /* by id; negative: unknown */
    bool weighted;
};

static double cost_of(const struct counter *c, lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM || lift_prim_info(e->op)->level != LIFT_LEVEL_SCALAR)
        return 0;
    if (c->weighted)
        return lift_op_weight(e->op);
    return e->op == LIFT_NAT ? 0 : 1;
}

/* Scalar operations that one element of the value depends on, counted as a tree: members
 * of tuples and parts of an array are alternatives. */
static double count_ops(struct counter *c, lift_expr e)
{
    double sum = 0, most = 0;
    bool alternatives =
        e->kind == LIFT_EXPR_PRIM && (e->op == LIFT_ZIP || e->op == LIFT_TUPLE ||
                                      e->op == LIFT_CONCAT || e->op == LIFT_INSET);

    if (c->known[e->id] >= 0)
        return c->known[e->id];
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        lift_expr child = lift_expr_child(e, i);
        double ops = count_ops(c, child);

        if (child->kind == LIFT_EXPR_LAMBDA)
            ops *= repeats(e, c->sizes);
        sum += ops;
        most = ops > most ? ops : most;
    }
    sum = (alternatives ? most : sum) + cost_of(c, e);
    return c->known[e->id] = sum < max_ops ? sum : max_ops;
}

static double ops_of(struct lift_ir *ir, lift_expr e, const struct lift_nat_env *sizes,
                     bool weighted)
{
    uint32_t nodes = lift_ir_expr_count(ir);
    struct counter c = {sizes, malloc(nodes * sizeof(double)), weighted};
    double ops;

    LIFT_ASSERT(c.known);
    for (uint32_t i = 0; i < nodes; i++)
        c.known[i] = -1;
    ops = count_ops(&c, e);
    free(c.known);
    return ops;
}

double lift_ops_weighted(struct lift_ir *ir, lift_expr e,
                         const struct lift_nat_env *sizes)
{
    return ops_of(ir, e, sizes, true);
}

double lift_ops_count(struct lift_ir *ir, lift_expr e, const struct lift_nat_env *sizes)
{
    return ops_of(ir, e, sizes, false);
}
