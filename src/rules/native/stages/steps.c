/* Iterates of many steps. Several steps become one function, and thus one repeated
 * kernel. */
#include "ir/spine.h"
#include "rules/native/natives.h"

/* True for an iterate whose steps may be split, since the steps are not yet repeated
 * kernels. */
static bool is_open(struct rule_redex *redex)
{
    if (lift_is_repeated(redex->at))
        redex_refuse(redex, "its steps are stored, and so they are repeated kernels");
    return !lift_is_repeated(redex->at);
}

void rule_iterate_one(struct rule_redex *redex)
{
    lift_expr e = redex->at;

    if (lift_nat_is(e->u.prim.nats[0], 1) && is_open(redex))
        redex_emit(redex,
                   lift_expr_apply(redex->ir, e->u.prim.args[0], &e->u.prim.args[1]));
}

static lift_expr iterated(struct lift_ir *ir, lift_nat n, lift_expr f, lift_expr x)
{
    struct lift_prim_args a = {.nats = {n}, .arg_count = 2, .args = {f, x}};

    return lift_make(ir, LIFT_ITERATE, &a);
}

void rule_iterate_step(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    lift_expr f = redex->at->u.prim.args[0], x = redex->at->u.prim.args[1];
    lift_nat n = redex->at->u.prim.nats[0];
    lift_expr y = lift_fresh(ir, f->u.lambda.names[0], f->type->parts[0]);
    int64_t steps;

    if (!lift_nat_is_const(n, &steps) || steps < 2 || steps > LIFT_MOST_NAMED ||
        !is_open(redex))
        return;
    redex_emit(redex,
               lift_let(ir, lift_expr_apply(ir, f, &x),
                        lift_fun(ir, iterated(ir, lift_nat_add_const(n, -1), f, y), y)));
}

/* let y = (a, b) in f(y) = let p = a in let q = b in f((p, q)) */
void rule_let_of_tuple(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    lift_expr value = redex->at->u.prim.args[0], f = redex->at->u.prim.args[1];
    lift_expr vars[LIFT_MAX_ARGS], e;

    if (!lift_expr_is(value, LIFT_TUPLE) || !lift_is_grids(value->type))
        return;
    for (int i = 0; i < value->arg_count; i++)
        vars[i] = lift_fresh(ir, f->u.lambda.names[0], value->type->parts[i]);
    e = lift_call(ir, LIFT_TUPLE, vars, value->arg_count);
    e = lift_expr_apply(ir, f, &e);
    for (int i = value->arg_count - 1; i >= 0 && e; i--)
        e = lift_let(ir, value->u.prim.args[i], lift_fun(ir, e, vars[i]));
    redex_emit(redex, e);
}

/* Builds iterate(times, fun(y => toGlobal(iterate(n, f, y))), x). */
static lift_expr block(struct rule_redex *redex, lift_nat times, lift_nat n, lift_expr x)
{
    struct lift_ir *ir = redex->ir;
    lift_expr f = redex->at->u.prim.args[0];
    lift_expr y = lift_fresh(ir, f->u.lambda.names[0], f->type->parts[0]);
    lift_expr e = lift_call1(ir, LIFT_TO_GLOBAL, iterated(ir, n, f, y));

    return e ? iterated(ir, times, lift_fun(ir, e, y), x) : NULL;
}

/* iterate(n, f, x) = iterate(n / m, f^m, iterate(1, f^(n mod m), x)). The inner iterate
 * has no iteration if m divides n. */
void rule_steps_fused(struct rule_redex *redex)
{
    lift_expr e = redex->at, x = e->u.prim.args[1];
    struct lift_nats *nats = lift_ir_nats(redex->ir);
    lift_nat m = lift_nat_const(nats, redex->numbers.dims), n = e->u.prim.nats[0];
    lift_nat rest = lift_nat_mod(n, m), some = lift_nat_const(nats, 1);

    if (e->loose > 0 || !lift_is_grids(e->type) || !is_open(redex))
        return;
    if (!lift_nat_is(rest, 0))
        x = block(redex, lift_nat_min(some, rest), rest, x);
    redex_emit(redex, lift_nat_is(lift_nat_div(n, m), 0)
                          ? x
                          : block(redex, lift_nat_div(n, m), m, x));
}
