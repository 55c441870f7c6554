/* Applies one rule at one place. */
#include "base/number.h"
#include "ir/cut.h"
#include "ir/spine.h"
#include "ir/tunable.h"
#include "rules/native/native.h"
#include "rules/nd.h"
#include <string.h>

enum cond_state rule_condition(struct rule_results *out, enum lift_side_kind kind,
                               lift_nat a, lift_nat b, const char *why)
{
    int cap = (int)(sizeof out->conditions / sizeof *out->conditions);

    if (lift_side_proved(kind, a, b))
        return COND_PROVED;
    if ((kind == LIFT_SIDE_LE && lift_nat_proves_lt(b, a)) || out->condition_count == cap)
        return COND_FAILS;
    if (!lift_nat_mentions(a, LIFT_VAR_TUNABLE) &&
        !lift_nat_mentions(b, LIFT_VAR_TUNABLE))
        return COND_FAILS;
    out->conditions[out->condition_count++] =
        (struct lift_side_condition){kind, a, b, why};
    return COND_OPEN;
}

static bool holds(struct rule_results *out, enum cond_kind kind, lift_nat a, lift_nat b)
{
    static const char why[] = "a condition of a rule";

    switch (kind) {
    case COND_LE:
        return rule_condition(out, LIFT_SIDE_LE, a, b, why) != COND_FAILS;
    case COND_LT:
        return rule_condition(out, LIFT_SIDE_LE, lift_nat_add_const(a, 1), b, why) !=
               COND_FAILS;
    case COND_DIVIDES:
        return rule_condition(out, LIFT_SIDE_DIVIDES, a, b, why) != COND_FAILS;
    case COND_EQ:
        return a == b || (rule_condition(out, LIFT_SIDE_LE, a, b, why) != COND_FAILS &&
                          rule_condition(out, LIFT_SIDE_LE, b, a, why) != COND_FAILS);
    case COND_NE:
        return lift_nat_proves_lt(a, b) || lift_nat_proves_lt(b, a);
    }
    return false;
}

static bool check_conditions(struct lift_ir *ir, const struct rule_def *def,
                             const struct bindings *b, struct rule_results *out)
{
    for (int i = 0; i < def->cond_count; i++) {
        const struct rule_cond *c = &def->conds[i];
        lift_nat x = rule_nat(lift_ir_nats(ir), &def->names, c->a, b);
        lift_nat y = rule_nat(lift_ir_nats(ir), &def->names, c->b, b);

        if (!x || !y || !holds(out, c->kind, x, y))
            return false;
    }
    return true;
}

/* Returns the number of loops inside the outermost loop of a nest. In a 3D grid, planes
 * give 2, rows of a plane 1, and points of a row 0. */
static int loops_inside(lift_expr e)
{
    while (!(e->kind == LIFT_EXPR_PRIM && lift_op_is_map(e->op))) {
        int i = 0;

        while (i < lift_expr_child_count(e) && !lift_leads_to_result(e, i))
            i++;
        if (i == lift_expr_child_count(e))
            return -1;
        e = lift_expr_child(e, i);
    }
    if (lift_is_movement(e->u.prim.args[0]) && !nd_is_copy(e))
        return loops_inside(e->u.prim.args[1]);
    return 1 + loops_inside(e->u.prim.args[0]);
}

/* Evaluates ranges to constants. Returns false if a range is empty, or if another
 * variable has the name. Upper bounds are at most INT32_MAX, the longest array. */
static bool make_tunables(const struct rule_def *def, struct bindings *b,
                          struct rule_fresh *fresh, int level)
{
    struct lift_nats *nats = lift_ir_nats(fresh->ir);

    for (int i = 0; i < def->tunable_count; i++) {
        const struct rule_tunable *t = &def->tunables[i];
        lift_nat lo = rule_nat(nats, &def->names, t->lo, b);
        lift_nat hi = rule_nat(nats, &def->names, t->hi, b);

        struct rule_tunable_word word = {t->word, -1};
        int64_t least, most;

        if (!lo || !hi)
            return false;
        if (t->dim >= 0 || lift_tunable_word(t->word))
            word.dim = (int)lift_max(0, level - lift_max(0, t->dim));
        least = lift_nat_lo(lo);
        most = lift_nat_hi(hi) < INT32_MAX ? lift_nat_hi(hi) : INT32_MAX;
        if (least > most)
            return false;
        b->nats[t->nat] =
            t->alike
                ? rule_same_tunable(fresh, word, t->dim < 0 ? 0 : t->dim, least, most)
                : rule_fresh_tunable(fresh, word, least, most);
        if (!b->nats[t->nat])
            return false;
    }
    return true;
}

static enum rule_status accept(struct rule_results *out, lift_expr from, lift_expr to,
                               int first)
{
    if (!to)
        return RULE_ILL_TYPED;
    if (to->type != from->type) {
        out->rejected = to;
        return RULE_OTHER_TYPE;
    }
    if (out->count == RULE_MAX_RESULTS || to == from)
        return RULE_NO_MATCH;
    out->items[out->count++] =
        (struct rule_result){to, first, out->condition_count - first};
    return RULE_APPLIED;
}

static enum rule_status apply_equation(struct lift_ir *ir, const struct rule_def *def,
                                       lift_expr e, struct rule_fresh *fresh,
                                       struct rule_results *out)
{
    struct bindings b;

    if (!rule_match(ir, def, e, &b))
        return RULE_NO_MATCH;
    if (!make_tunables(def, &b, fresh, loops_inside(e)) ||
        !check_conditions(ir, def, &b, out))
        return RULE_CONDITION;
    return accept(out, e, rule_instance(ir, def, &b, &out->error), 0);
}

static enum rule_status apply_native(struct lift_ir *ir, const struct rule_def *def,
                                     lift_expr e, struct rule_fresh *fresh,
                                     struct rule_results *out)
{
    struct rule_redex redex = {ir, e, def->numbers, def->native, fresh, out, 0};

    if (lift_type_is_data(e->type))
        def->native->fn(&redex);
    return out->count ? RULE_APPLIED : out->status;
}

static enum rule_status apply_macro(struct lift_ir *ir, const struct rule_def *def,
                                    lift_expr e, struct rule_fresh *fresh,
                                    struct rule_results *out)
{
    LIFT_SCOPED(lift_steps) steps = {0};
    lift_expr to = rule_run_strategy(ir, def->strategy, e, fresh, &steps);
    int cap = (int)(sizeof out->conditions / sizeof *out->conditions);
    enum rule_status status = RULE_NO_MATCH;

    if (to && steps.condition_count <= cap) {
        for (int i = 0; i < steps.condition_count; i++)
            out->conditions[i] = steps.conditions[i];
        out->condition_count = steps.condition_count;
        status = accept(out, e, to, 0);
    }
    return status;
}

enum rule_status rule_apply(struct lift_ir *ir, const struct lift_rule *rule, lift_expr e,
                            struct rule_fresh *fresh, struct rule_results *out)
{
    const struct rule_def *def = rule->def;

    fresh->at = e;
    out->count = out->condition_count = 0;
    out->status = RULE_NO_MATCH;
    out->error.text[0] = '\0';
    out->why = NULL;
    if (e->kind == LIFT_EXPR_LAMBDA ||
        (def->root != LIFT_OP_COUNT && !lift_expr_is(e, def->root)))
        return RULE_NO_MATCH;
    switch (rule->form) {
    case LIFT_RULE_EQUATION:
        out->status = apply_equation(ir, def, e, fresh, out);
        break;
    case LIFT_RULE_NATIVE:
        out->status = apply_native(ir, def, e, fresh, out);
        break;
    case LIFT_RULE_MACRO:
        out->status = apply_macro(ir, def, e, fresh, out);
        break;
    }
    return out->status;
}

/* ---- for native rules */

lift_nat redex_tunable(struct rule_redex *redex, const char *word, int index, int64_t lo,
                       int64_t hi)
{
    int dim = redex->numbers.dims - 1 - index;

    return rule_fresh_tunable(redex->fresh, (struct rule_tunable_word){word, dim}, lo,
                              hi);
}

lift_nat redex_same_tunable(struct rule_redex *redex, const char *word, int index,
                            int64_t lo, int64_t hi)
{
    int dim = redex->numbers.dims - 1 - index;

    return rule_same_tunable(redex->fresh, (struct rule_tunable_word){word, dim}, index,
                             lo, hi);
}

bool redex_require(struct rule_redex *redex, enum lift_side_kind kind, lift_nat a,
                   lift_nat b, const char *why)
{
    if (rule_condition(redex->results, kind, a, b, why) != COND_FAILS)
        return true;
    redex->results->status = RULE_CONDITION;
    return false;
}

void redex_refuse(struct rule_redex *redex, const char *why)
{
    redex->results->status = RULE_CONDITION;
    redex->results->why = why;
}

void redex_emit(struct rule_redex *redex, lift_expr to)
{
    enum rule_status status =
        accept(redex->results, redex->at, to, redex->first_condition);

    if (status == RULE_APPLIED) {
        redex->first_condition = redex->results->condition_count;
        return;
    }
    redex->results->condition_count = redex->first_condition;
    if (status != RULE_NO_MATCH)
        redex->results->status = status;
    if (!to && lift_ir_error(redex->ir))
        strncpy(redex->results->error.text, lift_ir_error(redex->ir),
                sizeof redex->results->error.text - 1);
    lift_ir_clear_error(redex->ir);
}
