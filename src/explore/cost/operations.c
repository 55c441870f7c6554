/* Operations of a program, counted in its expression. */
#include "lift/bug.h"
#include "lift/explore_ops.h"
#include "lift/spine.h"
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

struct counter {
    const struct lift_nat_env *sizes;
    double *known; /* by id; negative: unknown */
    bool weighted;
    lift_ops_pick *pick; /* NULL: the operations of one element are counted */
    void *user;
};

static double number_of(const struct counter *c, lift_nat n)
{
    int64_t value;

    return lift_nat_eval(n, lift_nat_env_value, (void *)c->sizes, &value) ? (double)value
                                                                          : 1;
}

/* How often the function of a primitive adds to one value, or to the whole array. */
static double repeats(const struct counter *c, lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return 1;
    if (e->op == LIFT_ITERATE)
        return number_of(c, e->u.prim.nats[0]);
    if (lift_op_is_reduce(e->op))
        return number_of(c, e->u.prim.args[2]->type->len);
    if (!c->pick || e->op == LIFT_LET)
        return 1;
    if (e->op == LIFT_PAD_VALUE)
        return number_of(c, e->u.prim.nats[0]) + number_of(c, e->u.prim.nats[1]);
    return number_of(c, e->type->len);
}

static double cost_of(const struct counter *c, lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM || lift_prim_info(e->op)->level != LIFT_LEVEL_SCALAR)
        return 0;
    if (c->pick)
        return c->pick(c->user, e);
    if (c->weighted)
        return lift_op_weight(e->op);
    return e->op == LIFT_NAT ? 0 : 1;
}

/* Scalar operations that one element of the value depends on, counted as a tree: members
 * of tuples and parts of an array are alternatives. Or those of the whole value. */
static double count_ops(struct counter *c, lift_expr e)
{
    double sum = 0, most = 0;
    bool alternatives = !c->pick && lift_moves_each(e);

    if (c->known[e->id] >= 0)
        return c->known[e->id];
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        lift_expr child = lift_expr_child(e, i);
        double ops = count_ops(c, child);

        if (child->kind == LIFT_EXPR_LAMBDA)
            ops *= repeats(c, e);
        sum += ops;
        most = ops > most ? ops : most;
    }
    sum = (alternatives ? most : sum) + cost_of(c, e);
    return c->known[e->id] = c->pick || sum < max_ops ? sum : max_ops;
}

static double ops_of(struct lift_ir *ir, lift_expr e, struct counter c)
{
    uint32_t nodes = lift_ir_expr_count(ir);
    double ops;

    c.known = malloc(nodes * sizeof(double));
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
    return ops_of(ir, e, (struct counter){.sizes = sizes, .weighted = true});
}

double lift_ops_count(struct lift_ir *ir, lift_expr e, const struct lift_nat_env *sizes)
{
    return ops_of(ir, e, (struct counter){.sizes = sizes});
}

double lift_ops_total(struct lift_ir *ir, lift_expr e, const struct lift_nat_env *sizes,
                      lift_ops_pick *pick, void *user)
{
    return ops_of(ir, e, (struct counter){.sizes = sizes, .pick = pick, .user = user});
}
