/* Random redexes of rules for scalars: sums, products and quotients of a few inputs.
 * Divisors near zero are rare. */
#include "rules/check/check_gen.h"

enum { INPUTS = 4, DEPTH = 4 };

static lift_expr number(struct check_gen *g)
{
    static const double values[] = {0.5, 1, 2, 16, -3};

    return lift_expr_float(g->ir, LIFT_F32,
                           values[gen_below(g, sizeof values / sizeof *values)]);
}

static lift_expr atom(struct check_gen *g)
{
    return g->inputs[gen_below(g, INPUTS)];
}

static lift_expr divisor(struct check_gen *g)
{
    lift_expr a = atom(g);

    switch (gen_below(g, 5)) {
    case 0:
        return lift_call2(g->ir, LIFT_MUL, a, atom(g));
    case 1:
        return lift_call2(g->ir, LIFT_DIV, a, atom(g));
    case 2: /* above zero */
        return lift_call2(g->ir, LIFT_ADD, lift_expr_float(g->ir, LIFT_F32, 1),
                          lift_call2(g->ir, LIFT_MUL, a, a));
    case 3:
        return number(g);
    default:
        return a;
    }
}

static lift_expr arithmetic(struct check_gen *g, int depth)
{
    static const enum lift_op ops[] = {LIFT_ADD, LIFT_SUB, LIFT_MUL};
    enum lift_op op = ops[gen_below(g, 3)];
    lift_expr a;

    if (depth == 0 || gen_chance(g, 15))
        return gen_chance(g, 75) ? atom(g) : number(g);
    a = arithmetic(g, depth - 1);
    if (gen_chance(g, 40))
        return lift_call2(g->ir, LIFT_DIV, a, divisor(g));
    if (gen_chance(g, 10))
        return lift_call1(g->ir, LIFT_NEG, a);
    return lift_call2(g->ir, op, a, arithmetic(g, depth - 1));
}

static void draw_inputs(struct check_gen *g)
{
    for (int i = 0; i < INPUTS; i++)
        gen_input(g, gen_f32(g));
}

lift_expr redex_quotient(struct check_gen *g)
{
    draw_inputs(g);
    return arithmetic(g, DEPTH);
}

/* Builds let y = e in an expression of y, or in a choice by y. */
lift_expr redex_named_quotient(struct check_gen *g)
{
    lift_expr value, kept, body;

    draw_inputs(g);
    value = arithmetic(g, 2);
    kept = g->inputs[0];
    g->inputs[0] = lift_fresh(g->ir, "y", gen_f32(g));
    body = lift_call2(g->ir, LIFT_MUL, g->inputs[0], arithmetic(g, 2));
    if (gen_chance(g, 30))
        body = lift_call3(g->ir, LIFT_SELECT, lift_call2(g->ir, LIFT_LT, atom(g), kept),
                          body, atom(g));
    body = lift_fun(g->ir, body, g->inputs[0]);
    g->inputs[0] = kept;
    return lift_let(g->ir, value, body);
}
