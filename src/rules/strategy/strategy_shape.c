/* Static analysis of strategies: the root operation that a strategy requires, and the
 * root operation of its results. LIFT_OP_COUNT: the operation depends on the term. */
#include "rules/strategy/strategy.h"

/* Returns the operation that all parts share; LIFT_OP_COUNT if the parts differ. */
static enum lift_op common_root(const lift_strategy *parts, int count)
{
    enum lift_op op = count ? strategy_root(parts[0]) : LIFT_OP_COUNT;

    for (int i = 1; i < count; i++)
        if (strategy_root(parts[i]) != op)
            return LIFT_OP_COUNT;
    return op;
}

enum lift_op strategy_root(lift_strategy s)
{
    switch (s->kind) {
    case STRATEGY_RULE:
        return s->rules[0]->def->root;
    case STRATEGY_SEQ:
        return s->count ? strategy_root(s->parts[0]) : LIFT_OP_COUNT;
    case STRATEGY_REPEAT:
        return s->least ? strategy_root(s->parts[0]) : LIFT_OP_COUNT;
    case STRATEGY_CHOICE:
        return common_root(s->parts, s->count);
    default:
        return LIFT_OP_COUNT;
    }
}

enum lift_op lift_rule_makes(const struct lift_rule *rule)
{
    const struct rule_def *def = rule->def;

    switch (rule->form) {
    case LIFT_RULE_EQUATION:
        return def->rhs->kind == PAT_PRIM ? def->rhs->op : LIFT_OP_COUNT;
    case LIFT_RULE_MACRO:
        return strategy_leaves(def->strategy);
    case LIFT_RULE_NATIVE:
        break;
    }
    return LIFT_OP_COUNT;
}

enum lift_op strategy_leaves(lift_strategy s)
{
    if (s->kind == STRATEGY_RULE)
        return lift_rule_makes(s->rules[0]);
    if (s->kind == STRATEGY_SEQ && s->count)
        return strategy_leaves(s->parts[s->count - 1]);
    return LIFT_OP_COUNT;
}

enum lift_op strategy_position_op(const struct lift_position *position)
{
    switch (position->kind) {
    case LIFT_POSITION_PRIM:
        return position->op;
    case LIFT_POSITION_LOOP:
    case LIFT_POSITION_BORDER:
    case LIFT_POSITION_COPY:
    case LIFT_POSITION_OUTER:
    case LIFT_POSITION_ROLE:
        return LIFT_MAP;
    case LIFT_POSITION_INTERIOR:
    case LIFT_POSITION_PATH:
        break;
    }
    return LIFT_OP_COUNT;
}
