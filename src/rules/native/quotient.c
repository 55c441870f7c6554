/* Combines divisions: rewrites an expression of sums, products and quotients to one
 * quotient,
 *
 *     a / b + c = (a + c * b) / b,  (a / b) / (c / b) = a / c,  ...
 *
 * with the least common denominator by syntactic factors. Other subexpressions, and
 * quotients by numbers, are unchanged. */
#include "rules/native/natives.h"
#include "rules/nd.h"

enum { MOST_FACTORS = 24 };

struct product {
    lift_expr factors[MOST_FACTORS];
    int count;
};

/* num / den; a 'den' without factors is 1. */
struct ratio {
    lift_expr num;
    struct product den;
};

struct quotients {
    struct lift_ir *ir;
    bool failed; /* there are more than MOST_FACTORS factors */
};

static bool is_number(lift_expr e)
{
    return e->kind == LIFT_EXPR_LIT;
}

static bool is_arithmetic(lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM || !lift_type_is_float(e->type) ||
        e->type->kind != LIFT_TYPE_SCALAR)
        return false;
    return e->op == LIFT_ADD || e->op == LIFT_SUB || e->op == LIFT_MUL ||
           e->op == LIFT_DIV || e->op == LIFT_NEG;
}

/* ---- products */

static void add_factor(struct quotients *q, struct product *p, lift_expr factor)
{
    q->failed = q->failed || p->count == MOST_FACTORS;
    if (!q->failed)
        p->factors[p->count++] = factor;
}

static void add_factors(struct quotients *q, struct product *p,
                        const struct product *more)
{
    for (int i = 0; i < more->count; i++)
        add_factor(q, p, more->factors[i]);
}

/* Adds the factors of a product, or the expression itself. */
static void add_factors_of(struct quotients *q, struct product *p, lift_expr e)
{
    if (!is_arithmetic(e) || e->op != LIFT_MUL) {
        add_factor(q, p, e);
        return;
    }
    add_factors_of(q, p, lift_expr_arg(e, 0));
    add_factors_of(q, p, lift_expr_arg(e, 1));
}

static bool take_factor(struct product *p, lift_expr factor)
{
    for (int i = 0; i < p->count; i++)
        if (p->factors[i] == factor) {
            p->factors[i] = p->factors[--p->count];
            return true;
        }
    return false;
}

/* Returns the factors of 'p' that 'taken' lacks, and removes common factors from 'taken'.
 */
static struct product apart(struct quotients *q, const struct product *p,
                            struct product *taken)
{
    struct product rest = {.count = 0};

    for (int i = 0; i < p->count; i++)
        if (!take_factor(taken, p->factors[i]))
            add_factor(q, &rest, p->factors[i]);
    return rest;
}

static lift_expr times(struct quotients *q, lift_expr x, lift_expr y)
{
    if (!x || !y)
        return x ? x : y;
    if (is_number(x) && x->u.number == 1)
        return y;
    return lift_call2(q->ir, LIFT_MUL, x, y);
}

/* Returns the product of the factors; NULL if there are no factors. Factors without bound
 * variables form a separate product, which neighbouring points share. */
static lift_expr multiplied(struct quotients *q, const struct product *p)
{
    lift_expr closed = NULL, open = NULL;

    for (int i = 0; i < p->count; i++)
        if (p->factors[i]->loose == 0)
            closed = times(q, closed, p->factors[i]);
        else
            open = times(q, open, p->factors[i]);
    return times(q, closed, open);
}

/* ---- quotients */

static struct ratio ratio_of(struct quotients *q, lift_expr e);

static struct ratio sum_of(struct quotients *q, enum lift_op op, struct ratio a,
                           struct ratio b)
{
    struct product rest = a.den, of_a = apart(q, &b.den, &rest), of_b = rest;

    /* 'of_a': factors of b's denominator only; 'of_b': factors of a's denominator only */
    a.num = times(q, a.num, multiplied(q, &of_a));
    b.num = times(q, b.num, multiplied(q, &of_b));
    a.num = lift_call2(q->ir, op, a.num, b.num);
    add_factors(q, &a.den, &of_a);
    return a;
}

static struct ratio quotient_of(struct quotients *q, struct ratio a,
                                const struct ratio *b)
{
    struct product above = apart(q, &b->den, &a.den);

    a.num = times(q, a.num, multiplied(q, &above));
    add_factors_of(q, &a.den, b->num);
    return a;
}

static struct ratio combined(struct quotients *q, lift_expr e, struct ratio a)
{
    struct ratio b = ratio_of(q, lift_expr_arg(e, 1));

    if (e->op == LIFT_DIV && is_number(lift_expr_arg(e, 1)))
        a.num = lift_call2(q->ir, LIFT_DIV, a.num, lift_expr_arg(e, 1));
    else if (e->op == LIFT_DIV)
        return quotient_of(q, a, &b);
    else if (e->op != LIFT_MUL)
        return sum_of(q, e->op, a, b);
    else {
        a.num = times(q, a.num, b.num);
        add_factors(q, &a.den, &b.den);
    }
    return a;
}

static struct ratio ratio_of(struct quotients *q, lift_expr e)
{
    struct ratio a = {.num = e};

    if (!is_arithmetic(e) || q->failed)
        return a;
    a = ratio_of(q, lift_expr_arg(e, 0));
    if (e->op == LIFT_NEG)
        a.num = lift_call1(q->ir, LIFT_NEG, a.num);
    else
        a = combined(q, e, a);
    if (a.den.count == 0)
        a.num = e;
    return a;
}

/* Counts distinct divisions in sums and products, except divisions by numbers. */
static bool count_division(void *count, lift_expr e)
{
    if (!lift_expr_mentions(e, LIFT_DIV) || !is_arithmetic(e))
        return false;
    *(int *)count += e->op == LIFT_DIV && !is_number(lift_expr_arg(e, 1));
    return true;
}

static int count_divisions(lift_expr e)
{
    int count = 0;

    lift_expr_each(e, count_division, &count);
    return count;
}

void rule_combine_quotients(struct rule_redex *redex)
{
    struct quotients q = {.ir = redex->ir};
    struct ratio r;

    if (count_divisions(redex->at) < 2)
        return;
    r = ratio_of(&q, redex->at);
    if (!q.failed)
        redex_emit(redex, lift_call2(q.ir, LIFT_DIV, r.num, multiplied(&q, &r.den)));
}

/* ---- named quotients */

/* True if 'x' is only an operand of sums, products and quotients, and if inlining does
 * not repeat its computation. */
static bool is_only_operand(lift_expr e, lift_expr x)
{
    bool named = lift_expr_is(e, LIFT_LET), arithmetic = is_arithmetic(e);

    for (int i = 0; i < lift_expr_child_count(e); i++) {
        lift_expr c = lift_expr_child(e, i);

        if (c == x && !arithmetic)
            return false;
        if (c->kind == LIFT_EXPR_LAMBDA && !named && nd_count(c, x, 1))
            return false;
        if (c != x && !is_only_operand(c, x))
            return false;
    }
    return true;
}

/* let(v, f) = f(v), where v contains divisions and x is only an operand */
void rule_inline_quotient(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    lift_expr value = lift_expr_arg(redex->at, 0), f = lift_expr_arg(redex->at, 1);
    lift_expr x = lift_fresh(ir, "x", value->type), body = lift_expr_apply(ir, f, &x);

    if (count_divisions(value) > 0 && body != x && is_only_operand(body, x))
        redex_emit(redex, lift_expr_apply(ir, f, &value));
}
