/* Strategies: how they are made. */
#include "rules/strategy/strategy.h"

static struct lift_strategy *make(struct lift_arena *arena, enum strategy_kind kind)
{
    struct lift_strategy *s = LIFT_NEW(arena, struct lift_strategy);

    s->kind = kind;
    return s;
}

static struct lift_strategy *with_parts(struct lift_arena *arena, enum strategy_kind kind,
                                        const lift_strategy *parts, int count)
{
    struct lift_strategy *s = make(arena, kind);

    s->parts = lift_arena_copy(arena, parts, (size_t)count * sizeof *parts);
    s->count = count;
    return s;
}

static lift_strategy with_rules(struct lift_arena *arena, enum strategy_kind kind,
                                const struct lift_rule *const *rules, int count, int max)
{
    struct lift_strategy *s = make(arena, kind);

    s->rules = lift_arena_copy(arena, rules, (size_t)count * sizeof *rules);
    s->rule_count = count;
    s->max = max;
    return s;
}

lift_strategy lift_strategy_rule(struct lift_arena *arena, const struct lift_rule *rule)
{
    return with_rules(arena, STRATEGY_RULE, &rule, 1, 0);
}

lift_strategy lift_strategy_pick(struct lift_arena *arena, const struct lift_rule *rule,
                                 int choice)
{
    return with_rules(arena, STRATEGY_RULE, &rule, 1, choice);
}

lift_strategy lift_strategy_seq(struct lift_arena *arena, const lift_strategy *parts,
                                int count)
{
    return with_parts(arena, STRATEGY_SEQ, parts, count);
}

lift_strategy lift_strategy_choice(struct lift_arena *arena, const lift_strategy *parts,
                                   int count)
{
    return with_parts(arena, STRATEGY_CHOICE, parts, count);
}

lift_strategy lift_strategy_any(struct lift_arena *arena, const lift_strategy *parts,
                                int count)
{
    return with_parts(arena, STRATEGY_ANY, parts, count);
}

lift_strategy lift_strategy_try(struct lift_arena *arena, lift_strategy s)
{
    lift_strategy parts[] = {s, make(arena, STRATEGY_SEQ)};

    return with_parts(arena, STRATEGY_CHOICE, parts, 2);
}

lift_strategy lift_strategy_repeat(struct lift_arena *arena, lift_strategy s, int least,
                                   int max)
{
    struct lift_strategy *repeat = with_parts(arena, STRATEGY_REPEAT, &s, 1);

    repeat->least = least;
    repeat->max = max;
    return repeat;
}

lift_strategy lift_strategy_topdown(struct lift_arena *arena, lift_strategy s)
{
    return with_parts(arena, STRATEGY_TOPDOWN, &s, 1);
}

lift_strategy lift_strategy_bottomup(struct lift_arena *arena, lift_strategy s)
{
    return with_parts(arena, STRATEGY_BOTTOMUP, &s, 1);
}

lift_strategy lift_strategy_all(struct lift_arena *arena, lift_strategy s)
{
    return with_parts(arena, STRATEGY_ALL, &s, 1);
}

lift_strategy lift_strategy_normalise(struct lift_arena *arena,
                                      const struct lift_rule *const *rules, int count,
                                      int max)
{
    return with_rules(arena, STRATEGY_NORMALISE, rules, count, max);
}

lift_strategy lift_strategy_of(struct lift_arena *arena, const struct lift_rule *rule)
{
    return rule->form == LIFT_RULE_MACRO ? rule->def->strategy
                                         : lift_strategy_rule(arena, rule);
}

lift_strategy lift_strategy_one(struct lift_arena *arena, lift_strategy s)
{
    return with_parts(arena, STRATEGY_ONE, &s, 1);
}

lift_strategy lift_strategy_some(struct lift_arena *arena, lift_strategy s)
{
    return with_parts(arena, STRATEGY_SOME, &s, 1);
}

lift_strategy lift_strategy_at(struct lift_arena *arena,
                               const struct lift_position *position, lift_strategy s)
{
    struct lift_strategy *at = with_parts(arena, STRATEGY_AT, &s, 1);

    at->position = lift_arena_copy(arena, position, sizeof *position);
    return at;
}

lift_strategy lift_strategy_each(struct lift_arena *arena,
                                 const struct lift_position *position,
                                 const struct lift_by_dims *by)
{
    struct lift_strategy *each = make(arena, STRATEGY_EACH);

    each->rules = lift_arena_copy(arena, by->rules, sizeof by->rules);
    each->rule_count = LIFT_RULE_DIMS;
    each->position = lift_arena_copy(arena, position, sizeof *position);
    return each;
}

lift_strategy lift_strategy_ranked(struct lift_arena *arena,
                                   const struct lift_by_dims *by)
{
    return with_rules(arena, STRATEGY_RANKED, by->rules, LIFT_RULE_DIMS, 0);
}

static bool all_succeed(lift_strategy s)
{
    for (int i = 0; i < s->count; i++)
        if (!lift_strategy_never_fails(s->parts[i]))
            return false;
    return true;
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
        return all_succeed(s);
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

/* A macro answers for its own rules. */
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
