/* Operations of a program, counted in its expression. */
#include "base/bug.h"
#include "explore/explore_ops.h"
#include "ir/spine.h"
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

/* Position of an expression in the program. */
struct place {
    bool in_point;   /* inside a function whose result is no array */
    bool one;        /* the program reads one element of the array */
    uint64_t consts; /* bit i: Bound i is a constant */
};

struct found {
    struct place at;
    bool known, constant;
    double ops;
};

struct counter {
    const struct lift_nat_env *sizes;
    struct found *found; /* by id: the last place of each node */
    bool weighted;
    lift_ops_pick *pick; /* NULL: count the operations of one element */
    void *user;
};

static double number_of(const struct counter *c, lift_nat n)
{
    int64_t value;

    return lift_nat_eval(n, lift_nat_env_value, (void *)c->sizes, &value) ? (double)value
                                                                          : 1;
}

/* How many times a primitive calls its function, for one value or the whole array. */
static double repeats(const struct counter *c, lift_expr e, struct place at)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return 1;
    if (e->op == LIFT_ITERATE)
        return number_of(c, e->u.prim.nats[0]);
    if (lift_op_is_reduce(e->op))
        return number_of(c, e->u.prim.args[2]->type->len);
    if (!c->pick || e->op == LIFT_LET || (at.one && e->op == LIFT_MAP))
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

/* 'reduce((sum, x) => sum + f(x), 0, ...)': the first iteration adds nothing. */
static bool starts_neutral(lift_expr e)
{
    lift_expr body = e->u.prim.args[0]->u.lambda.body, init = e->u.prim.args[1];
    double neutral = body->op == LIFT_MUL;

    if (!lift_expr_is(body, LIFT_ADD) && !lift_expr_is(body, LIFT_MUL))
        return false;
    if (init->kind != LIFT_EXPR_LIT || body->type != init->type)
        return false;
    for (int i = 0; i < 2; i++) {
        lift_expr arg = body->u.prim.args[i];

        if (arg->kind == LIFT_EXPR_BOUND && arg->u.index == 1)
            return (lift_type_is_float(init->type) ? init->u.number
                                                   : (double)init->u.integer) == neutral;
    }
    return false;
}

/* The place of an argument of 'e' that is no function. */
static struct place child_place(lift_expr e, struct place at)
{
    at.one = lift_expr_is(e, LIFT_AT) ||
             (at.one && (lift_expr_is(e, LIFT_MAP) || lift_expr_is(e, LIFT_ZIP)));
    return at;
}

static struct found count_ops(struct counter *c, lift_expr e, struct place at);

/* Counts in the function 'child' of 'e'. Its parameters are constants if all arguments
 * are constants. The index of an array of weights is a constant, the index of a grid is
 * not. */
static struct found count_function(struct counter *c, lift_expr e, lift_expr child,
                                   struct place at, bool arguments)
{
    bool constants = e->op == LIFT_ARRAY ? at.in_point : arguments;
    uint64_t params = (1ull << child->arg_count) - 1;
    struct place in = {at.in_point, at.one && e->op == LIFT_LET,
                       (at.consts << child->arg_count) |
                           (constants && e->op != LIFT_PAD_VALUE ? params : 0)};
    struct found f;

    if (e->op != LIFT_ARRAY && e->op != LIFT_PAD_VALUE)
        in.in_point |= child->u.lambda.body->type->kind != LIFT_TYPE_ARRAY;
    f = count_ops(c, child->u.lambda.body, in);
    f.ops *= repeats(c, e, at);
    if (c->pick && lift_op_is_reduce(e->op) && starts_neutral(e))
        f.ops -= cost_of(c, child->u.lambda.body);
    return f;
}

/* True unless 'e' varies even if its arguments are constants. */
static bool may_be_constant(const struct counter *c, lift_expr e, struct place at)
{
    if (e->kind == LIFT_EXPR_BOUND)
        return e->u.index < 64 && (at.consts >> e->u.index & 1);
    if (e->kind == LIFT_EXPR_FREE) /* a parameter has one value in a launch */
        return c->pick && e->type->kind == LIFT_TYPE_SCALAR;
    return !lift_expr_is(e, LIFT_USER_FUN);
}

/* Counts the scalar operations that one element of the value depends on, as a tree:
 * members of tuples and parts of an array are alternatives. Or counts the whole value's
 * operations, without constants, which compilers compute. */
static struct found count_ops(struct counter *c, lift_expr e, struct place at)
{
    struct found *known = &c->found[e->id], f = {.known = true};
    bool alternatives = !c->pick && lift_moves_each(e);
    double most = 0;

    at.one &= e->type->kind == LIFT_TYPE_ARRAY;
    at.consts &= e->loose < 64 ? (1ull << e->loose) - 1 : ~0ull;
    if (known->known && known->at.in_point == at.in_point && known->at.one == at.one &&
        known->at.consts == at.consts)
        return *known;
    f.at = at;
    f.constant = may_be_constant(c, e, at);
    for (int functions = 0; functions < 2; functions++)
        for (int i = 0; i < lift_expr_child_count(e); i++) {
            lift_expr child = lift_expr_child(e, i);
            struct found part;

            if ((child->kind == LIFT_EXPR_LAMBDA) != functions)
                continue;
            part = functions ? count_function(c, e, child, at, f.constant)
                             : count_ops(c, child, child_place(e, at));
            f.constant &= part.constant;
            f.ops += part.ops;
            most = part.ops > most ? part.ops : most;
        }
    f.ops = (alternatives ? most : f.ops) + cost_of(c, e);
    if (c->pick && f.constant && (at.in_point || e->type->kind != LIFT_TYPE_ARRAY))
        f.ops = 0;
    f.ops = c->pick || f.ops < max_ops ? f.ops : max_ops;
    return *known = f;
}

static double ops_of(struct lift_ir *ir, lift_expr e, struct counter c)
{
    double ops;

    c.found = calloc(lift_ir_expr_count(ir), sizeof *c.found);
    LIFT_ASSERT(c.found);
    ops = count_ops(&c, e, (struct place){.in_point = false}).ops;
    free(c.found);
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
