/* Numbers at which rules may change: the literals of a rule and the ends of its tunables.
 * The check draws lengths, tunables and inputs on both sides of these numbers. */
#include "rules/check/check_gen.h"
#include <math.h>

enum { LONGEST = 64 }; /* longest array that the check makes for a size */

static void add_size(struct check_marks *m, int64_t size)
{
    for (int i = 0; i < m->size_count; i++)
        if (m->sizes[i] == size)
            return;
    if (size > 1 && size < INT32_MAX && m->size_count < CHECK_MARKS)
        m->sizes[m->size_count++] = size;
}

static void add_real(struct check_marks *m, double x)
{
    for (int i = 0; i < m->real_count; i++)
        if (m->reals[i] == x)
            return;
    if (isfinite(x) && x != 0 && m->real_count < CHECK_MARKS)
        m->reals[m->real_count++] = x;
}

/* ---- of a rule */

static void of_number(void *marks, int64_t number)
{
    add_size(marks, number);
}

static void of_nat(struct check_marks *m, lift_nat n)
{
    lift_nat_each_number(n, of_number, m);
}

static bool compares(enum lift_op op)
{
    return op == LIFT_MIN || op == LIFT_MAX || lift_op_class_of(op) == LIFT_CLASS_compare;
}

/* Collects the numbers of a pattern. 'compared': the pattern is an operand of a
 * comparison, minimum or maximum. */
static void of_pattern(struct check_marks *m, const struct pat *p, bool compared)
{
    int args = p->kind == PAT_LAMBDA ? 1 : p->count;
    bool compares_them = p->kind == PAT_PRIM && compares(p->op);

    if (p->kind == PAT_LIT && p->scalar != LIFT_BOOL && (compared || !m->compared))
        add_real(m, lift_scalar_is_real(p->scalar) ? p->number : (double)p->integer);
    if (p->kind == PAT_LIT &&
        p->scalar == LIFT_I32) /* the rule may compare the literal with a size */
        add_size(m, p->integer);
    for (int i = 0; i < LIFT_MAX_NATS; i++)
        if (p->nats[i])
            of_nat(m, p->nats[i]);
    for (int i = 0; i < args; i++)
        of_pattern(m, p->args[i], compares_them);
}

void check_marks_of_rule(struct check_marks *m, const struct rule_def *def)
{
    if (def->lhs)
        of_pattern(m, def->lhs, false);
    if (def->rhs)
        of_pattern(m, def->rhs, false);
    for (int i = 0; i < def->cond_count; i++) {
        of_nat(m, def->conds[i].a);
        of_nat(m, def->conds[i].b);
    }
    for (int i = 0; i < def->tunable_count; i++) {
        of_nat(m, def->tunables[i].lo);
        of_nat(m, def->tunables[i].hi);
    }
}

void check_marks_of_tunable(struct check_marks *m, int64_t lo, int64_t hi)
{
    add_size(m, lo);
    add_size(m, hi);
}

/* ---- of a redex */

static bool visit(void *marks, lift_expr e)
{
    struct check_marks *m = marks;
    bool all = !m->compared || (e->kind == LIFT_EXPR_PRIM && compares(e->op));

    for (int i = 0; all && e->kind == LIFT_EXPR_PRIM && i < e->arg_count; i++) {
        lift_expr x = e->u.prim.args[i];

        if (x->kind != LIFT_EXPR_LIT || lift_type_is_scalar(x->type, LIFT_BOOL))
            continue;
        add_real(m, lift_scalar_is_real(x->type->scalar) ? x->u.number
                                                         : (double)x->u.integer);
    }
    return true;
}

void check_marks_of_term(struct check_marks *m, lift_expr e)
{
    lift_expr_each(e, visit, m);
}

/* ---- drawing */

int64_t check_marks_length(const struct check_marks *m, struct lift_rng *rng)
{
    int64_t mark = m->size_count ? m->sizes[lift_rng_below(rng, (uint64_t)m->size_count)]
                                 : LONGEST + 1;

    return mark > LONGEST ? 0 : mark + lift_rng_range(rng, -1, 1);
}

int64_t check_marks_tunable(const struct check_marks *m, struct lift_rng *rng, int64_t lo,
                            int64_t hi)
{
    enum { NEAR = 23, LARGEST = 1024 };
    int64_t value = lo;

    switch (lift_rng_below(rng, 8)) {
    case 0:
        return lo;
    case 1:
        value = hi <= LARGEST ? hi : lo;
        break;
    case 2:
    case 3:
        if (m->size_count)
            value = m->sizes[lift_rng_below(rng, (uint64_t)m->size_count)] +
                    lift_rng_range(rng, -1, 1);
        break;
    default:
        value = lift_rng_range(rng, lo, hi > lo + NEAR ? lo + NEAR : hi);
    }
    return value < lo ? lo : value > hi ? hi : value;
}
