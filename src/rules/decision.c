/* Decisions, options, families and configurations: lookup, conditions and random draws.
 */
#include "base/bug.h"
#include "rules/rule_t.h"
#include "rules/strategy.h"
#include <string.h>

int lift_decision_count(const struct lift_rules *rules)
{
    return rules->decision_count;
}

const struct lift_decision *lift_decision_get(const struct lift_rules *rules, int index)
{
    LIFT_ASSERT(index >= 0 && index < rules->decision_count);
    return rules->decisions[index];
}

const struct lift_decision *lift_decision_find(const struct lift_rules *rules,
                                               const char *name)
{
    for (int i = 0; i < rules->decision_count; i++)
        if (strcmp(rules->decisions[i]->name, name) == 0)
            return rules->decisions[i];
    return NULL;
}

const struct lift_option *lift_option_find(const struct lift_decision *decision,
                                           const char *name)
{
    for (int i = 0; i < decision->option_count; i++)
        if (strcmp(decision->options[i]->name, name) == 0)
            return decision->options[i];
    return NULL;
}

int lift_family_count(const struct lift_rules *rules)
{
    return rules->family_count;
}

const struct lift_family *lift_family_get(const struct lift_rules *rules, int index)
{
    LIFT_ASSERT(index >= 0 && index < rules->family_count);
    return rules->families[index];
}

const struct lift_family *lift_family_find(const struct lift_rules *rules,
                                           const char *name)
{
    for (int i = 0; i < rules->family_count; i++)
        if (strcmp(rules->families[i]->name, name) == 0)
            return rules->families[i];
    return NULL;
}

void lift_family_configuration(const struct lift_family *family,
                               struct lift_configuration *out)
{
    *out = (struct lift_configuration){{0}};
    for (int i = 0; i < family->option_count; i++) {
        const struct lift_option *o = family->options[i];

        out->option[o->decision->index] = (uint8_t)o->index;
    }
}

/* ---- configurations */

uint64_t lift_configuration_hash(const struct lift_configuration *configuration,
                                 int count)
{
    uint64_t hash = (uint64_t)count + 1469598103934665603u;

    for (int i = 0; i < count; i++)
        hash = (hash ^ configuration->option[i]) * 1099511628211u;
    return hash;
}

const struct lift_option *
lift_configuration_option(const struct lift_rules *rules,
                          const struct lift_configuration *configuration, int decision)
{
    return lift_decision_get(rules, decision)->options[configuration->option[decision]];
}

bool lift_configuration_is_temporal(const struct lift_rules *rules,
                                    const struct lift_configuration *configuration)
{
    const struct lift_decision *temporal = lift_decision_find(rules, "temporal");

    return temporal && configuration->option[temporal->index] > 0;
}

void lift_configuration_print(const struct lift_rules *rules,
                              const struct lift_configuration *configuration,
                              struct lift_str *out)
{
    const char *comma = "";

    for (int i = 0; i < rules->decision_count; i++) {
        const struct lift_option *o = lift_configuration_option(rules, configuration, i);

        if (o->index == 0)
            continue;
        lift_str_addf(out, "%s%s=%s", comma, o->decision->name, o->name);
        comma = ",";
    }
}

int lift_need_alternatives(const struct lift_need *need)
{
    int count = 1;

    while (need[count - 1].or_next)
        count++;
    return count;
}

/* Returns the first group of alternatives that the configuration does not meet, or NULL.
 */
static const struct lift_need *unmet(const struct lift_need *needs, int count,
                                     const struct lift_configuration *configuration)
{
    for (int i = 0; i < count; i += lift_need_alternatives(&needs[i])) {
        bool met = false;

        for (int k = i; k < i + lift_need_alternatives(&needs[i]); k++)
            met |=
                needs[k].options >> configuration->option[needs[k].decision->index] & 1;
        if (!met)
            return &needs[i];
    }
    return NULL;
}

bool lift_needs_met(const struct lift_need *needs, int count,
                    const struct lift_configuration *configuration)
{
    return !unmet(needs, count, configuration);
}

/* Prints "tiling = guarded or shifted or temporal = streamed". */
static void add_alternatives(const struct lift_need *need, const char *equals,
                             struct lift_str *out)
{
    for (int k = 0; k < lift_need_alternatives(need); k++) {
        const struct lift_decision *d = need[k].decision;
        const char *between = "";

        lift_str_addf(out, "%s%s%s", k ? " or " : "", d->name, equals);
        for (int i = 0; i < d->option_count; i++)
            if (need[k].options >> i & 1) {
                lift_str_addf(out, "%s%s", between, d->options[i]->name);
                between = " or ";
            }
    }
}

static bool option_fits(const struct lift_configuration *configuration,
                        const struct lift_option *o, struct lift_str *why)
{
    const struct lift_need *need = unmet(o->needs, o->need_count, configuration);

    if (need) {
        lift_str_addf(why, "%s=%s needs ", o->decision->name, o->name);
        add_alternatives(need, "=", why);
    }
    return !need;
}

bool lift_option_starts(const struct lift_option *o,
                        const struct lift_configuration *configuration)
{
    return !o->later && lift_needs_met(o->starts, o->start_count, configuration);
}

const char *lift_option_device_name(unsigned device)
{
    switch (device) {
    case LIFT_ON_THREADS:
        return "threads";
    case LIFT_ON_GROUPS:
        return "groups";
    case LIFT_HAS_ASYNC_COPIES:
        return "asyncCopies";
    case LIFT_HAS_BULK_COPIES:
        return "bulkCopies";
    default:
        return NULL;
    }
}

static bool device_has(const struct lift_option *o, unsigned device, struct lift_str *why)
{
    unsigned missing = o->features & ~device;

    if (!(o->devices & device))
        lift_str_addf(why, "%s=%s is for another kind of device", o->decision->name,
                      o->name);
    else if (missing)
        lift_str_addf(why, "%s=%s is for devices with '%s'", o->decision->name, o->name,
                      lift_option_device_name(missing & -missing));
    return (o->devices & device) && !missing;
}

bool lift_option_is_for(const struct lift_option *o, unsigned device, bool relaxed,
                        struct lift_str *why)
{
    if (!device_has(o, device, why))
        return false;
    if (!o->rule || o->rule->soundness == LIFT_RULE_EXACT ||
        (relaxed && o->rule->soundness == LIFT_RULE_REASSOCIATES))
        return true;
    lift_str_addf(why, "%s=%s is '%s'", o->decision->name, o->name,
                  lift_rule_class_name(o->rule->soundness));
    return false;
}

bool lift_configuration_fits(const struct lift_rules *rules,
                             const struct lift_configuration *configuration,
                             unsigned device, bool relaxed, struct lift_str *why)
{
    for (int i = 0; i < rules->decision_count; i++) {
        const struct lift_option *o = lift_configuration_option(rules, configuration, i);

        if (!lift_option_is_for(o, device, relaxed, why) ||
            !option_fits(configuration, o, why))
            return false;
    }
    return true;
}

/* Sets the option of a decision if the option fits the options set before. */
static bool take(const struct lift_option *o, unsigned device, bool relaxed,
                 struct lift_configuration *configuration)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool good = lift_option_is_for(o, device, relaxed, &why) &&
                option_fits(configuration, o, &why);

    if (good)
        configuration->option[o->decision->index] = (uint8_t)o->index;
    return good;
}

bool lift_configuration_random(const struct lift_rules *rules, struct lift_rng *rng,
                               unsigned device, bool relaxed,
                               struct lift_configuration *out)
{
    enum { DRAWS = 20 };

    *out = (struct lift_configuration){{0}};
    for (int i = 0; i < rules->decision_count; i++) {
        const struct lift_decision *d = rules->decisions[i];
        size_t others = (size_t)d->option_count - 1;
        bool taken = (others == 0 || lift_rng_below(rng, 2)) &&
                     take(d->options[0], device, relaxed, out);

        for (int k = 0; k < DRAWS && !taken && others; k++)
            taken =
                take(d->options[1 + lift_rng_below(rng, others)], device, relaxed, out);
        if (!taken && !take(d->options[0], device, relaxed, out))
            return false;
    }
    return true;
}

unsigned lift_family_devices(const struct lift_rules *rules,
                             const struct lift_family *family)
{
    struct lift_configuration configuration;
    unsigned devices = LIFT_ON_ALL;

    lift_family_configuration(family, &configuration);
    for (int i = 0; i < rules->decision_count; i++)
        devices &= lift_configuration_option(rules, &configuration, i)->devices;
    return devices;
}

/* ---- the context of an option */

struct context {
    const struct lift_option *options[LIFT_MAX_DECISIONS]; /* by decision */
};

static void add_needs(struct context *c, const struct lift_option *o)
{
    for (int i = 0; i < o->need_count; i += lift_need_alternatives(&o->needs[i])) {
        const struct lift_need *need = &o->needs[i];
        const struct lift_option **slot = &c->options[need->decision->index];
        int first = 0;

        while (first + 1 < need->decision->option_count && !(need->options >> first & 1))
            first++;
        if (*slot || first == 0)
            continue;
        *slot = need->decision->options[first];
        add_needs(c, *slot);
    }
}

static bool fits_context(const struct context *c, const struct lift_option *o)
{
    struct lift_configuration configuration = {{0}};

    for (int i = 0; i < LIFT_MAX_DECISIONS; i++)
        if (c->options[i])
            configuration.option[i] = (uint8_t)c->options[i]->index;
    return lift_needs_met(o->needs, o->need_count, &configuration);
}

int lift_option_context(const struct lift_option *option,
                        const struct lift_option *out[LIFT_MAX_DECISIONS])
{
    const struct lift_rules *rules = option->decision->rules;
    struct context c = {{NULL}};
    int count = 0;

    add_needs(&c, option);
    for (int i = 0; i < option->decision->index; i++) {
        const struct lift_option *o = c.options[i];

        if (!o && fits_context(&c, rules->decisions[i]->options[0]))
            o = rules->decisions[i]->options[0];
        if (o && o->rule)
            out[count++] = o;
    }
    return count;
}

/* ---- text */

void lift_decision_print(const struct lift_decision *d, struct lift_str *out)
{
    lift_str_addf(out, "decision %s default %s\n", d->name, d->options[0]->name);
    rule_print_string("doc", d->doc, out);
    rule_print_string("source", d->source, out);
    lift_str_add(out, d->program ? "  on program\n" : "");
    lift_str_add(out, d->all ? "  explore all\n" : "");
}

static void print_needs(const char *word, const struct lift_need *needs, int count,
                        struct lift_str *out)
{
    for (int i = 0; i < count; i += lift_need_alternatives(&needs[i])) {
        lift_str_add(out, i ? ", " : word);
        add_alternatives(&needs[i], " = ", out);
    }
    lift_str_add(out, count ? "\n" : "");
}

static void print_devices(const struct lift_option *o, struct lift_str *out)
{
    unsigned said = o->features | (o->devices != LIFT_ON_ALL ? o->devices : 0);
    const char *before = "  device ";

    for (unsigned bit = 1; lift_option_device_name(bit); bit <<= 1)
        if (said & bit) {
            lift_str_addf(out, "%s%s", before, lift_option_device_name(bit));
            before = ", ";
        }
    lift_str_add(out, said ? "\n" : "");
}

void lift_option_print(const struct lift_option *o, struct lift_str *out)
{
    lift_str_addf(out, "option %s of %s", o->name, o->decision->name);
    if (o->rule) {
        lift_str_addf(out, " %s", lift_rule_class_name(o->rule->soundness));
        rule_print_macro(o->rule->def, out);
    } else {
        lift_str_addc(out, '\n');
    }
    rule_print_string("doc", o->doc, out);
    rule_print_string("source", o->source, out);
    print_needs("  needs ", o->needs, o->need_count, out);
    print_devices(o, out);
    lift_str_add(out, o->program ? "  on program\n" : "");
    lift_str_add(out, o->later ? "  explore later\n" : "");
    print_needs("  explore with ", o->starts, o->start_count, out);
}

void lift_family_print(const struct lift_family *f, struct lift_str *out)
{
    lift_str_addf(out, "family %s%s%s", f->name, f->base ? " of " : "",
                  f->base ? f->base->name : "");
    for (int i = 0; i < f->change_count; i++)
        lift_str_addf(out, "%s%s %s", i ? ", " : " = ", f->changes[i]->decision->name,
                      f->changes[i]->name);
    lift_str_addc(out, '\n');
    rule_print_string("doc", f->says_doc ? f->doc : "", out);
    rule_print_string("source", f->says_source ? f->source : "", out);
    if (f->plain || f->standard)
        lift_str_addf(out, "  explore %s%s%s\n", f->plain ? "plain" : "",
                      f->plain && f->standard ? ", " : "", f->standard ? "default" : "");
}

void lift_rules_print(const struct lift_rules *rules, struct lift_str *out)
{
    for (int i = 0; i < rules->count; i++)
        if (!rules->items[i]->option && rules->items[i]->instance == 0)
            lift_rule_print(rules->items[i], out);
    for (int i = 0; i < rules->decision_count; i++)
        lift_decision_print(rules->decisions[i], out);
    for (int i = 0; i < rules->decision_count; i++)
        for (int k = 0; k < rules->decisions[i]->option_count; k++)
            if (k > 0 || rules->decisions[i]->options[k]->rule)
                lift_option_print(rules->decisions[i]->options[k], out);
    for (int i = 0; i < rules->family_count; i++)
        lift_family_print(rules->families[i], out);
}
