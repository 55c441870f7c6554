/* Compares the values before and after a rule by its soundness class. */
#include "ir/eval.h"
#include "rules/check/check.h"
#include <math.h>

/* Compares the elements at least 'margin' away from the borders of every dimension. Sets
 * 'any' if there are such elements. */
static bool inner_close(struct lift_value a, struct lift_value b, int margin, bool *any)
{
    if (a.kind != LIFT_VALUE_ARRAY || b.kind != LIFT_VALUE_ARRAY) {
        *any = true;
        return lift_value_same(a, b, NULL);
    }
    if (a.count != b.count)
        return false;
    for (int64_t i = margin; i < a.count - margin; i++)
        if (!inner_close(a.u.items[i], b.u.items[i], margin, any))
            return false;
    return true;
}

enum case_outcome check_compare(const struct lift_rule *rule, double most,
                                struct lift_value a, struct lift_value b,
                                struct lift_str *where)
{
    bool any = false, close;
    double tolerance;

    switch (rule->soundness) {
    case LIFT_RULE_INTERIOR:
        close = inner_close(a, b, rule->margin, &any);
        if (close && !any)
            return CASE_NO_DRAW;
        break;
    case LIFT_RULE_REASSOCIATES:
        /* C functions round to their declared types. Errors of products grow
         * quadratically. */
        tolerance = lift_rule_functions(rule, NULL, 0) ? 1e-5 : 1e-9;
        close =
            lift_value_close(a, b, tolerance * fmax(1, most * most), tolerance, where);
        break;
    default:
        close = lift_value_same(a, b, where);
    }
    return close ? CASE_AGREES : CASE_DIFFERS;
}
