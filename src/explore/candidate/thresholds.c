/* The numbers with which a program compares values. Inputs of a check must lie on both
 * sides of each number: otherwise the check misses a wrong comparison. */
#include "explore/problem.h"
#include <math.h>
#include <string.h>

/* Larger numbers serve as infinity, and inputs of that magnitude would overflow. */
static const double largest = 1e4, least = 1e-3;

struct thresholds {
    const struct explore_problem *problem;
    double high, low, integers;
};

static bool value_of(const struct explore_problem *p, lift_expr e, double *out);

static bool value_of_prim(const struct explore_problem *p, lift_expr e, double *out)
{
    double a, b = 0;

    if (e->arg_count < 1 || e->arg_count > 2 || !value_of(p, e->u.prim.args[0], &a) ||
        (e->arg_count == 2 && !value_of(p, e->u.prim.args[1], &b)))
        return false;
    switch (e->op) {
    case LIFT_NEG:
        *out = -a;
        return true;
    case LIFT_TO_F32:
    case LIFT_TO_F64:
    case LIFT_TO_F16:
    case LIFT_TO_BF16:
        *out = a;
        return true;
    case LIFT_ADD:
        *out = a + b;
        return true;
    case LIFT_SUB:
        *out = a - b;
        return true;
    case LIFT_MUL:
        *out = a * b;
        return true;
    case LIFT_DIV:
        *out = a / b;
        return true;
    default:
        return false;
    }
}

/* The value of a term of literals, parameters and operations. */
static bool value_of(const struct explore_problem *p, lift_expr e, double *out)
{
    if (e->type->kind != LIFT_TYPE_SCALAR)
        return false;
    if (e->kind == LIFT_EXPR_LIT) {
        *out = lift_scalar_is_real(e->type->scalar) ? e->u.number : (double)e->u.integer;
        return true;
    }
    for (int i = 0; e->kind == LIFT_EXPR_FREE && i < p->param_count; i++)
        if (strcmp(p->params[i]->u.name, e->u.name) == 0) {
            *out = p->param_values[i];
            return true;
        }
    return e->kind == LIFT_EXPR_PRIM && value_of_prim(p, e, out);
}

static bool compares(lift_expr e)
{
    return e->kind == LIFT_EXPR_PRIM && (e->op == LIFT_MIN || e->op == LIFT_MAX ||
                                         lift_op_class_of(e->op) == LIFT_CLASS_compare);
}

static bool visit(void *user, lift_expr e)
{
    struct thresholds *t = user;

    for (int i = 0; compares(e) && i < e->arg_count; i++) {
        lift_expr x = e->u.prim.args[i];
        double size = 0;

        if (!value_of(t->problem, x, &size) || fabs(size) > largest)
            continue;
        size = fabs(size);
        if (!lift_scalar_is_real(x->type->scalar)) {
            t->integers = fmax(t->integers, size);
            continue;
        }
        t->high = fmax(t->high, size);
        if (size >= least)
            t->low = fmin(t->low, size);
    }
    return true;
}

/* Default inputs of (-2, 2) or [0.25, 2), and integers of -9 .. 9, lie on both sides of
 * most numbers. Sums and means of neighbours have less range. */
void explore_find_reach(struct explore_problem *p)
{
    const double usual = p->positive ? 1.5 : 1, small = 0.3, whole = 9;
    struct thresholds t = {p, 0, small, 0};

    lift_expr_each(p->root, visit, &t);
    p->reach = (struct explore_reach){
        .high = t.high > usual ? 4 * t.high : 0,
        .low = p->positive && t.low < small ? t.low : 0,
        .integers = t.integers > whole ? 2 * t.integers : 0,
    };
}
