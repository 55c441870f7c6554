/* Reads configurations from text. The text may contain former names. */
#include "base/guess.h"
#include "rules/rule_t.h"
#include <string.h>

static bool no_decision(const struct lift_rules *rules, const char *name,
                        struct lift_str *why)
{
    struct lift_guess guess = {.word = name};

    for (int i = 0; i < rules->decision_count; i++)
        lift_guess_add(&guess, rules->decisions[i]->name);
    lift_str_addf(why, "no decision '%s'", name);
    lift_guess_print(&guess, why);
    return false;
}

static bool no_option(const struct lift_decision *decision, const char *name,
                      struct lift_str *why)
{
    lift_str_addf(why, "no option '%s' of '%s':", name, decision->name);
    for (int i = 0; i < decision->option_count; i++)
        lift_str_addf(why, "%s %s", i ? "," : "", decision->options[i]->name);
    return false;
}

/* State of the reader. */
struct reading {
    const struct lift_rules *rules;
    struct lift_configuration *configuration;
    struct lift_str *why;
    lift_former_note *note; /* called for each former name; may be NULL */
    void *user;
};

static void note(const struct reading *r, const char *name, const char *now)
{
    if (r->note)
        r->note(r->user, name, now);
}

static bool read_family(const struct reading *r, const char *name)
{
    const struct lift_family *family = lift_family_find(r->rules, name);
    struct lift_guess guess = {.word = name};
    LIFT_SCOPED(lift_str) now = {0};

    if (!family && rule_former(RULE_NAME_FAMILY, name, &now)) {
        family = lift_family_find(r->rules, lift_str_get(&now));
        note(r, name, lift_str_get(&now));
    }
    if (family) {
        for (int i = 0; i < family->option_count; i++)
            r->configuration->option[family->options[i]->decision->index] =
                (uint8_t)family->options[i]->index;
        return true;
    }
    if (lift_rules_removed(name, r->why))
        return false;
    for (int i = 0; i < r->rules->family_count; i++)
        lift_guess_add(&guess, r->rules->families[i]->name);
    lift_str_addf(r->why, "no family '%s', and DECISION=OPTION it is not", name);
    lift_guess_print(&guess, r->why);
    return false;
}

/* Finds the option of "D=O"; NULL if there is none. */
static const struct lift_option *find_pair(const struct lift_rules *rules,
                                           const char *pair)
{
    size_t len = strcspn(pair, "=");

    for (int i = 0; i < rules->decision_count; i++) {
        const struct lift_decision *d = rules->decisions[i];

        if (strlen(d->name) == len && strncmp(d->name, pair, len) == 0)
            return lift_option_find(d, pair + len + 1);
    }
    return NULL;
}

/* Sets the options "D=O,E=P". The decisions "D,E" replaced a former decision; a decision
 * without an option in the text gets its default. */
static bool take_former(const struct reading *r, const char *decisions,
                        const char *options)
{
    LIFT_SCOPED(lift_str) copy = {0};
    char *rest = NULL;

    lift_str_add(&copy, decisions);
    for (char *word = strtok_r(copy.data, ",", &rest); word;
         word = strtok_r(NULL, ",", &rest)) {
        const struct lift_decision *d = lift_decision_find(r->rules, word);

        if (d)
            r->configuration->option[d->index] = 0;
    }
    lift_str_clear(&copy);
    lift_str_add(&copy, options);
    for (char *pair = strtok_r(copy.data, ",", &rest); pair;
         pair = strtok_r(NULL, ",", &rest)) {
        const struct lift_option *o = find_pair(r->rules, pair);

        if (!o)
            return false;
        r->configuration->option[o->decision->index] = (uint8_t)o->index;
    }
    return true;
}

/* Sets a user's option of a renamed decision. */
static bool take_own(const struct reading *r, const char *pair, const char *option,
                     char *decisions)
{
    char *rest = NULL;

    for (char *word = strtok_r(decisions, ",", &rest); word;
         word = strtok_r(NULL, ",", &rest)) {
        const struct lift_decision *d = lift_decision_find(r->rules, word);
        const struct lift_option *o = d ? lift_option_find(d, option) : NULL;
        LIFT_SCOPED(lift_str) now = {0};

        if (!o)
            continue;
        r->configuration->option[d->index] = (uint8_t)o->index;
        lift_str_addf(&now, "%s=%s", d->name, o->name);
        note(r, pair, lift_str_get(&now));
        return true;
    }
    return false;
}

/* Reads "D=O" where D or O is a former name. */
static bool read_former_pair(const struct reading *r, const char *pair)
{
    LIFT_SCOPED(lift_str) decision = {0}, now = {0}, decisions = {0};
    const char *option = strchr(pair, '=') + 1;

    lift_str_addf(&decision, "%.*s", (int)(option - 1 - pair), pair);
    rule_former(RULE_NAME_DECISION, lift_str_get(&decision), &decisions);
    if (!rule_former(RULE_NAME_OPTION, pair, &now))
        return decisions.len && take_own(r, pair, option, decisions.data);
    if (!take_former(r, lift_str_get(&decisions), lift_str_get(&now)))
        return false;
    note(r, pair, lift_str_get(&now));
    return true;
}

/* Reads one "copy=tma", or a family. */
static bool read_pair(const struct reading *r, const char *pair)
{
    const char *equals = strchr(pair, '=');
    const struct lift_option *option = equals ? find_pair(r->rules, pair) : NULL;
    const struct lift_decision *decision;
    LIFT_SCOPED(lift_str) name = {0};

    if (!equals)
        return read_family(r, pair);
    if (option) {
        r->configuration->option[option->decision->index] = (uint8_t)option->index;
        return true;
    }
    if (read_former_pair(r, pair))
        return true;
    if (lift_rules_removed(pair, r->why))
        return false;
    lift_str_addf(&name, "%.*s", (int)(equals - pair), pair);
    decision = lift_decision_find(r->rules, lift_str_get(&name));
    return decision ? no_option(decision, equals + 1, r->why)
                    : no_decision(r->rules, lift_str_get(&name), r->why);
}

bool lift_configuration_read_noting(const struct lift_rules *rules, const char *text,
                                    struct lift_configuration *configuration,
                                    struct lift_str *why, lift_former_note *former,
                                    void *user)
{
    const struct reading r = {rules, configuration, why, former, user};
    LIFT_SCOPED(lift_str) copy = {0};
    char *rest = NULL;
    bool good = true;

    lift_str_add(&copy, text);
    for (char *pair = strtok_r(copy.data, ",", &rest); pair && good;
         pair = strtok_r(NULL, ",", &rest))
        good = read_pair(&r, pair);
    return good;
}

bool lift_configuration_read(const struct lift_rules *rules, const char *text,
                             struct lift_configuration *configuration,
                             struct lift_str *why)
{
    return lift_configuration_read_noting(rules, text, configuration, why, NULL, NULL);
}
