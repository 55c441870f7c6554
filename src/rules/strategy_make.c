/* Strategies: how they are made and printed. */
#include "strategy.h"

static struct lift_strategy *make(struct lift_arena *arena, enum strategy_kind kind)
{
    struct lift_strategy *s = LIFT_NEW(arena, struct lift_strategy);

    s->kind = kind;
    return s;
}

static lift_strategy with_parts(struct lift_arena *arena, enum strategy_kind kind,
                                const lift_strategy *parts, int count, int max)
{
    struct lift_strategy *s = make(arena, kind);

    s->parts = lift_arena_copy(arena, parts, (size_t)count * sizeof *parts);
    s->count = count;
    s->max = max;
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

lift_strategy lift_strategy_seq(struct lift_arena *arena, const lift_strategy *parts,
                                int count)
{
    return with_parts(arena, STRATEGY_SEQ, parts, count, 0);
}

lift_strategy lift_strategy_choice(struct lift_arena *arena, const lift_strategy *parts,
                                   int count)
{
    return with_parts(arena, STRATEGY_CHOICE, parts, count, 0);
}

lift_strategy lift_strategy_try(struct lift_arena *arena, lift_strategy s)
{
    lift_strategy parts[] = {s, make(arena, STRATEGY_SEQ)};

    return with_parts(arena, STRATEGY_CHOICE, parts, 2, 0);
}

lift_strategy lift_strategy_repeat(struct lift_arena *arena, lift_strategy s, int max)
{
    return with_parts(arena, STRATEGY_REPEAT, &s, 1, max);
}

lift_strategy lift_strategy_topdown(struct lift_arena *arena, lift_strategy s)
{
    return with_parts(arena, STRATEGY_TOPDOWN, &s, 1, 0);
}

lift_strategy lift_strategy_bottomup(struct lift_arena *arena, lift_strategy s)
{
    return with_parts(arena, STRATEGY_BOTTOMUP, &s, 1, 0);
}

lift_strategy lift_strategy_all(struct lift_arena *arena, lift_strategy s)
{
    return with_parts(arena, STRATEGY_ALL, &s, 1, 0);
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

/* ---- text */

static void print_parts(lift_strategy s, int count, struct lift_str *out)
{
    for (int i = 0; i < count; i++) {
        lift_str_add(out, i ? ", " : "");
        rule_print_strategy(s->parts[i], out);
    }
    for (int i = 0; i < s->rule_count; i++)
        lift_str_addf(out, "%s%s", i ? ", " : "", s->rules[i]->name);
}

void rule_print_strategy(lift_strategy s, struct lift_str *out)
{
    static const char *const words[] = {NULL,      "seq",      "choice", "repeat",
                                        "topdown", "bottomup", "all",    "normalise"};
    bool is_try = s->kind == STRATEGY_CHOICE && s->count == 2 &&
                  s->parts[1]->kind == STRATEGY_SEQ && s->parts[1]->count == 0;

    if (s->kind == STRATEGY_RULE) {
        lift_str_add(out, s->rules[0]->name);
        return;
    }
    lift_str_addf(out, "%s(", is_try ? "try" : words[s->kind]);
    if (s->kind == STRATEGY_REPEAT || s->kind == STRATEGY_NORMALISE)
        lift_str_addf(out, "%d, ", s->max);
    print_parts(s, is_try ? 1 : s->count, out);
    lift_str_addc(out, ')');
}
