/* Marks the rules that options of decisions apply. */
#include "base/memory.h"
#include "rules/strategy/strategy.h"
#include <stdlib.h>

/* 'seen' marks the visited rules, by index. */
static void mark_strategy(lift_strategy s, bool *seen);

static void mark_rule(const struct lift_rule *rule, bool *seen)
{
    if (!rule || seen[rule->index])
        return;
    seen[rule->index] = true;
    if (rule->form == LIFT_RULE_MACRO)
        mark_strategy(rule->def->strategy, seen);
}

static void mark_strategy(lift_strategy s, bool *seen)
{
    for (int i = 0; i < s->rule_count; i++)
        mark_rule(s->rules[i], seen);
    for (int i = 0; i < s->count; i++)
        mark_strategy(s->parts[i], seen);
}

int lift_rules_unexplored(const struct lift_rules *rules, const struct lift_rule **out,
                          int max)
{
    LIFT_FREED bool *seen = lift_alloc((size_t)lift_rules_count(rules) + 1, sizeof *seen);
    int count = 0;

    for (int i = 0; i < lift_rules_count(rules); i++)
        if (lift_rules_get(rules, i)->option)
            mark_rule(lift_rules_get(rules, i), seen);
    for (int i = 0; i < lift_rules_count(rules); i++)
        if (!seen[i] && !lift_rules_get(rules, i)->shipped) {
            if (count < max)
                out[count] = lift_rules_get(rules, i);
            count++;
        }
    return count;
}
