/* Kernels by hand: a family, or one with other options ("vector4,halo=allocated"), as a
 * strategy. */
#ifndef POINTS_H
#define POINTS_H

#include "rules/decision.h"
#include "rules/strategy.h"

/* The results of a point's options, in order. */
static inline lift_strategy
point_strategy(struct lift_arena *arena, const struct lift_rules *rules, const char *text)
{
    lift_strategy parts[LIFT_MAX_DECISIONS];
    struct lift_configuration point = {{0}};
    struct lift_str why = {0};
    int count = 0;

    if (!lift_configuration_read(rules, text, &point, &why))
        fail_msg("%s: %s", text, lift_str_get(&why));
    lift_str_fini(&why);
    for (int i = 0; i < lift_decision_count(rules); i++) {
        const struct lift_option *o = lift_configuration_option(rules, &point, i);

        if (o->rule)
            parts[count++] = lift_strategy_rule(arena, o->rule);
    }
    return lift_strategy_seq(arena, parts, count);
}

#endif
