#include "base/bug.h"
#include "rules/rule_t.h"
#include "rules/shipped.h"
#include <stdlib.h>

struct lift_rules *lift_rules_create(void)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_rules *rules = LIFT_NEW(arena, struct lift_rules);

    rules->arena = arena;
    rules->nats = lift_nats_create(arena);
    return rules;
}

void lift_rules_destroy(struct lift_rules *rules)
{
    if (!rules)
        return;
    free((void *)rules->items);
    lift_nats_fini(rules->nats);
    lift_arena_destroy(rules->arena);
}

struct lift_rules *lift_rules_shipped(void)
{
    struct lift_rules *rules = lift_rules_create();
    struct lift_error errors = {0};

    for (const struct shipped_rules *s = shipped_rules; s->name; s++)
        if (!lift_rules_load(rules, s->name, s->text, &errors)) {
            lift_error_print(&errors, stderr);
            LIFT_BUG("the shipped rules '%s' cannot be read", s->name);
        }
    for (int i = 0; i < rules->count; i++)
        ((struct lift_rule *)rules->items[i])->shipped = true;
    return rules;
}

bool lift_rules_load_file(struct lift_rules *rules, const char *path,
                          struct lift_error *errors)
{
    struct lift_source source;
    bool ok;

    if (!lift_source_load(path, &source, errors))
        return false;
    ok = lift_rules_load(rules, path, source.text, errors);
    lift_source_free(&source);
    return ok;
}

void lift_rules_keep_mistyped(struct lift_rules *rules)
{
    rules->keep_mistyped = true;
}

int lift_rules_count(const struct lift_rules *rules)
{
    return rules->count;
}

const struct lift_rule *lift_rules_get(const struct lift_rules *rules, int index)
{
    LIFT_ASSERT(index >= 0 && index < rules->count);
    return rules->items[index];
}

struct lift_hash lift_rules_hash(const struct lift_rules *rules)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_rules_print(rules, &text);
    return lift_hash_combine(lift_hash_text("rules"),
                             lift_hash_text(lift_str_get(&text)));
}

static int add_functions(const struct pat *p, const char **out, int count, int max)
{
    if (p->kind == PAT_PRIM && p->op == LIFT_USER_FUN) {
        if (count < max)
            out[count] = p->text;
        count++;
    }
    for (int i = 0; i < (p->kind == PAT_LAMBDA ? 1 : p->count); i++)
        if (p->args)
            count = add_functions(p->args[i], out, count, max);
    return count;
}

int lift_rule_functions(const struct lift_rule *rule, const char **out, int max)
{
    int count = 0;

    if (rule->form == LIFT_RULE_EQUATION) {
        count = add_functions(rule->def->lhs, out, count, max);
        count = add_functions(rule->def->rhs, out, count, max);
    }
    return count;
}

const char *lift_rule_class_name(enum lift_rule_class soundness)
{
    static const char *const names[] = {"exact", "reassociates", "interior"};

    return names[soundness];
}
