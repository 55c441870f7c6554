/* Finds rules by name. Instances of a declaration have numbers or words in their names.
 * names.txt lists the former names of shipped rules, and the removed rules. */
#include "base/guess.h"
#include "rules/rule_t.h"
#include "rules/shipped.h"
#include <string.h>

enum { MOST_NAMED = 12 }; /* limit of instances in a message */

/* Compares names without their spaces. */
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == ' ')
            a++;
        while (*b == ' ')
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}

static int count_of(const struct rule_scope *scope)
{
    return scope->own_count + scope->rules->count;
}

static const struct lift_rule *rule_of(const struct rule_scope *scope, int index)
{
    return index < scope->own_count ? scope->own[index]
                                    : scope->rules->items[index - scope->own_count];
}

const struct lift_rule *rule_scope_find(const struct rule_scope *scope, const char *name)
{
    for (int i = 0; i < count_of(scope); i++)
        if (same_name(rule_of(scope, i)->name, name))
            return rule_of(scope, i);
    return NULL;
}

const struct lift_rule *lift_rules_find(const struct lift_rules *rules, const char *name)
{
    return rule_scope_find(&(struct rule_scope){.rules = rules}, name);
}

/* ---- former names */

/* Finds a line 'KIND OLD NEW' or 'KIND OLD removed: WHY' of names.txt. Returns the rest
 * of the line after OLD, which has 'count' bytes; NULL if there is no such line. */
static const char *line_of(const char *kind, const char *name, size_t len, size_t *count)
{
    const char *line = shipped_names[0].text;
    size_t word = strlen(kind);

    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *old = line + word + 1;

        if (strncmp(line, kind, word) == 0 && line[word] == ' ' &&
            strncmp(old, name, len) == 0 && old[len] == ' ') {
            *count = strcspn(old + len + 1, "\n");
            return old + len + 1;
        }
    }
    return NULL;
}

static const char removed[] = "removed: ";
static const char *const kinds[] = {"rule", "decision", "option", "family"};

bool rule_former(enum rule_name_kind kind, const char *name, struct lift_str *now)
{
    size_t count, base = strcspn(name, "(");
    const char *present = line_of(kinds[kind], name, strlen(name), &count), *numbers = "";

    if (!present && kind == RULE_NAME_RULE && name[base]) {
        present = line_of(kinds[kind], name, base, &count);
        present = present && memchr(present, '(', count)
                      ? NULL
                      : present; /* the new name already has numbers */
        numbers = name + base;
    }
    if (!present || strncmp(present, removed, sizeof removed - 1) == 0)
        return false;
    lift_str_addf(now, "%.*s%s", (int)count, present, numbers);
    return true;
}

bool lift_former_name(const char *name, struct lift_str *now)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (rule_former((enum rule_name_kind)i, name, now))
            return true;
    return false;
}

const char *lift_name_now(const char *name, struct lift_str *buffer)
{
    lift_str_clear(buffer);
    return lift_former_name(name, buffer) ? lift_str_get(buffer) : name;
}

void rule_note_former(struct lift_rules *rules, const char *name, const char *now)
{
    for (int i = 0; i < rules->former_count; i += 2)
        if (strcmp(rules->former[i], name) == 0)
            return;
    for (int i = 0; i < 2; i++) {
        LIFT_ARENA_ROOM(rules->arena, rules->former, rules->former_count,
                        rules->former_cap);
        rules->former[rules->former_count++] =
            lift_arena_strdup(rules->arena, i ? now : name);
    }
}

int lift_rules_former(const struct lift_rules *rules, const char *const **out)
{
    *out = rules->former;
    return rules->former_count / 2;
}

/* Returns the rule with the present name, or NULL. For an option, returns one of the
 * rules that replaced the option. */
static const struct lift_rule *renamed(const struct rule_scope *scope, const char *name)
{
    LIFT_SCOPED(lift_str) now = {0};
    char *rest = NULL;

    if (!strchr(name, '='))
        return rule_former(RULE_NAME_RULE, name, &now)
                   ? rule_scope_find(scope, lift_str_get(&now))
                   : NULL;
    if (rule_former(RULE_NAME_OPTION, name, &now))
        for (char *pair = strtok_r(now.data, ",", &rest); pair;
             pair = strtok_r(NULL, ",", &rest))
            if (rule_scope_find(scope, pair))
                return rule_scope_find(scope, pair);
    return NULL;
}

bool lift_rules_removed(const char *name, struct lift_str *out)
{
    size_t count, skip = sizeof removed - 1, all = strlen(name);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *why = line_of(kinds[i], name, all, &count);

        if (!why)
            why = line_of(kinds[i], name, strcspn(name, "("), &count);
        if (!why || strncmp(why, removed, skip) != 0)
            continue;
        lift_str_addf(out, "'%s' was removed: %.*s", name, (int)(count - skip),
                      why + skip);
        return true;
    }
    return false;
}

const struct lift_rule *lift_rules_find_recorded(const struct lift_rules *rules,
                                                 const char *name)
{
    const struct rule_scope scope = {.rules = rules};
    const struct lift_rule *rule = rule_scope_find(&scope, name);

    return rule ? rule : renamed(&scope, name);
}

const struct lift_rule *rule_scope_find_noting(const struct rule_scope *scope,
                                               const char *name)
{
    const struct lift_rule *rule = rule_scope_find(scope, name);
    LIFT_SCOPED(lift_str) now = {0};

    if (rule || !rule_former(RULE_NAME_RULE, name, &now))
        return rule;
    rule = rule_scope_find(scope, lift_str_get(&now));
    if (rule)
        rule_note_former((struct lift_rules *)scope->rules, name, lift_str_get(&now));
    return rule;
}

/* ---- messages for missing rules */

static bool has_base(const struct lift_rule *rule, const char *name)
{
    size_t len = strcspn(name, "(");

    return strlen(rule->base) == len && strncmp(rule->base, name, len) == 0;
}

bool rule_scope_has_base(const struct rule_scope *scope, const char *name)
{
    LIFT_SCOPED(lift_str) now = {0};

    for (int i = 0; i < count_of(scope); i++)
        if (has_base(rule_of(scope, i), name))
            return true;
    if (rule_former(RULE_NAME_RULE, name, &now))
        for (int i = 0; i < count_of(scope); i++)
            if (has_base(rule_of(scope, i), lift_str_get(&now)))
                return true;
    return false;
}

/* Appends the instances of a name. Returns false if no rule has this name, with or
 * without numbers. */
static bool add_instances(const struct rule_scope *scope, const char *name,
                          struct lift_str *out)
{
    bool numbers = strchr(name, '(') != NULL;
    int named = 0;

    for (int i = 0; i < count_of(scope); i++) {
        const struct lift_rule *rule = rule_of(scope, i);

        if (!has_base(rule, name))
            continue;
        if (rule->part_count == 0) {
            lift_str_addf(out, "'%s' is one rule, without numbers", rule->name);
            return true;
        }
        if (named == 0)
            lift_str_addf(out, "%s%s%s'%s' has instances ", numbers ? "no rule '" : "",
                          numbers ? name : "", numbers ? "': " : "", rule->base);
        if (named < MOST_NAMED)
            lift_str_addf(out, "%s%s", named ? ", " : "", rule->name);
        named++;
    }
    lift_str_add(out, named > MOST_NAMED ? ", ..." : "");
    return named > 0;
}

void rule_scope_missing(const struct rule_scope *scope, const char *name,
                        const char *where, struct lift_str *out)
{
    LIFT_SCOPED(lift_str) now = {0};
    struct lift_guess guess = {.word = name};

    if (!rule_former(RULE_NAME_RULE, name, &now)) {
        if (lift_rules_removed(name, out) || add_instances(scope, name, out))
            return;
        lift_former_name(name, &now);
    }
    if (now.len) {
        lift_str_addf(out, "'%s' is called '%s' now", name, lift_str_get(&now));
        return;
    }
    for (int i = 0; i < count_of(scope); i++) {
        lift_guess_add(&guess, rule_of(scope, i)->name);
        lift_guess_add(&guess, rule_of(scope, i)->base);
    }
    lift_str_addf(out, "no rule or strategy '%s'%s", name, where);
    lift_guess_print(&guess, out);
}

void lift_rules_missing(const struct lift_rules *rules, const char *name,
                        struct lift_str *out)
{
    rule_scope_missing(&(struct rule_scope){.rules = rules}, name, "", out);
}
