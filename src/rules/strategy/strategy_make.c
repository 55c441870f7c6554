#include "rules/strategy/strategy.h"
#include <string.h>

lift_strategy strategy_keep(struct lift_arena *arena, struct lift_strategy s)
{
    s.parts = lift_arena_copy(arena, s.parts, (size_t)s.count * sizeof *s.parts);
    s.rules = lift_arena_copy(arena, s.rules, (size_t)s.rule_count * sizeof *s.rules);
    if (s.position)
        s.position = lift_arena_copy(arena, s.position, sizeof *s.position);
    return lift_arena_copy(arena, &s, sizeof s);
}

lift_strategy lift_strategy_rule(struct lift_arena *arena, const struct lift_rule *rule)
{
    return strategy_keep(
        arena,
        (struct lift_strategy){.kind = STRATEGY_RULE, .rules = &rule, .rule_count = 1});
}

lift_strategy strategy_of_parts(struct lift_arena *arena, enum strategy_kind kind,
                                const lift_strategy *parts, int count)
{
    return strategy_keep(
        arena, (struct lift_strategy){.kind = kind, .parts = parts, .count = count});
}

lift_strategy lift_strategy_seq(struct lift_arena *arena, const lift_strategy *parts,
                                int count)
{
    return strategy_of_parts(arena, STRATEGY_SEQ, parts, count);
}

lift_strategy lift_strategy_topdown(struct lift_arena *arena, lift_strategy s)
{
    return strategy_of_parts(arena, STRATEGY_TOPDOWN, &s, 1);
}

bool lift_strategy_never_fails(lift_strategy s)
{
    switch (s->kind) {
    case STRATEGY_RULE:
        return s->rules[0]->form == LIFT_RULE_MACRO &&
               lift_strategy_never_fails(s->rules[0]->def->strategy);
    case STRATEGY_SEQ:
    case STRATEGY_TOPDOWN:
    case STRATEGY_BOTTOMUP:
    case STRATEGY_ALL:
        for (int i = 0; i < s->count; i++)
            if (!lift_strategy_never_fails(s->parts[i]))
                return false;
        return true;
    case STRATEGY_CHOICE:
    case STRATEGY_ANY:
        for (int i = 0; i < s->count; i++)
            if (lift_strategy_never_fails(s->parts[i]))
                return true;
        return false;
    case STRATEGY_REPEAT:
        return s->least == 0;
    case STRATEGY_NORMALISE:
        return true;
    default:
        return false;
    }
}

static bool has_only(lift_strategy s, const struct lift_rule **rule)
{
    for (int i = 0; i < s->rule_count; i++) {
        if (!*rule)
            *rule = s->rules[i];
        if (s->rules[i] && strcmp(s->rules[i]->base, (*rule)->base) != 0)
            return false;
    }
    for (int i = 0; i < s->count; i++)
        if (!has_only(s->parts[i], rule))
            return false;
    return true;
}

const struct lift_rule *strategy_only_rule(lift_strategy s)
{
    const struct lift_rule *rule = NULL;

    return has_only(s, &rule) ? rule : NULL;
}

/* Finds a rule outside the class. The class of a macro covers its own rules, so the
 * search does not descend into macros. */
const struct lift_rule *strategy_unsound(lift_strategy s, enum lift_rule_class allowed)
{
    const struct lift_rule *found = NULL;

    for (int i = 0; !found && i < s->rule_count; i++)
        if (s->rules[i] && s->rules[i]->soundness > allowed)
            found = s->rules[i];
    for (int i = 0; !found && i < s->count; i++)
        found = strategy_unsound(s->parts[i], allowed);
    return found;
}
