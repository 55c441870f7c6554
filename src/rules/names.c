/* Rules by name. Instances of a declaration have numbers or words in their names; what
 * rules that ship were called earlier, and which were removed, is in names.txt. */
#include "base/guess.h"
#include "rules/rule_t.h"
#include "rules/shipped.h"
#include <string.h>

enum { MOST_NAMED = 12 }; /* instances in a message */

/* As a person may write them: spaces do not matter. */
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

/* ---- names of before */

/* The lines of names.txt are 'OLD NEW' and 'OLD removed: WHY'. What follows the name up
 * to the end of the line, which is 'count' letters, or NULL. */
static const char *line_of(const char *name, size_t len, size_t *count)
{
    const char *line = shipped_names[0].text;

    for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, name, len) == 0 && line[len] == ' ') {
            *count = strcspn(line + len + 1, "\n");
            return line + len + 1;
        }
    return NULL;
}

/* The rule of the new name, or NULL. */
static const struct lift_rule *renamed(const struct rule_scope *scope, const char *name)
{
    size_t count;
    const char *new = line_of(name, strlen(name), &count);
    char now[100];

    if (!new || count >= sizeof now)
        return NULL;
    memcpy(now, new, count);
    now[count] = '\0';
    return rule_scope_find(scope, now);
}

bool lift_rules_removed(const char *name, struct lift_str *out)
{
    static const char mark[] = "removed: ";
    size_t count, skip = sizeof mark - 1;
    const char *why = line_of(name, strlen(name), &count);

    if (!why)
        why = line_of(name, strcspn(name, "("), &count);
    if (!why || strncmp(why, mark, skip) != 0)
        return false;
    lift_str_addf(out, "'%s' was removed: %.*s", name, (int)(count - skip), why + skip);
    return true;
}

const struct lift_rule *lift_rules_find_recorded(const struct lift_rules *rules,
                                                 const char *name)
{
    const struct rule_scope scope = {.rules = rules};
    const struct lift_rule *rule = rule_scope_find(&scope, name);

    return rule ? rule : renamed(&scope, name);
}

/* ---- why there is none */

static bool has_base(const struct lift_rule *rule, const char *name)
{
    size_t len = strcspn(name, "(");

    return strlen(rule->base) == len && strncmp(rule->base, name, len) == 0;
}

bool rule_scope_has_base(const struct rule_scope *scope, const char *name)
{
    for (int i = 0; i < count_of(scope); i++)
        if (has_base(rule_of(scope, i), name))
            return true;
    return false;
}

/* False if nothing has that name, with or without numbers. */
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
    const struct lift_rule *now = renamed(scope, name);
    struct lift_guess guess = {.word = name};

    if (now) {
        lift_str_addf(out, "'%s' is called '%s' now", name, now->name);
        return;
    }
    if (lift_rules_removed(name, out) || add_instances(scope, name, out))
        return;
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
