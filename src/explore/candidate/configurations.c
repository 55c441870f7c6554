#include "explore/configurations.h"
#include "base/fail.h"
#include <limits.h>
#include <string.h>

/* The term after the first decisions of some configurations. */
struct prefix {
    struct lift_configuration configuration; /* options from 'count' on are 0 */
    int count;
    struct derived made;
    const char *why; /* reason why the term cannot be made; NULL: it can */
};

/* ---- making */

static bool same_prefix(const void *entry, const void *key)
{
    const struct prefix *a = entry, *b = key;

    return a->count == b->count &&
           !memcmp(&a->configuration, &b->configuration, sizeof a->configuration);
}

static const struct prefix *
make(struct derivation *d, const struct lift_configuration *configuration, int count);

static void run(struct derivation *d, const struct lift_option *o, struct prefix *p)
{
    struct lift_arena *arena = lift_ir_arena(d->ir);
    const struct prefix *before = make(d, &p->configuration, p->count - 1);
    const char *why;

    p->why = before->why;
    if (p->why)
        return;
    if (!derive_run(d, &before->made, lift_strategy_rule(arena, o->rule), &p->made, &why))
        p->why = lift_arena_printf(arena, "'%s' does not apply%s%s", o->rule->name,
                                   why ? ": " : "", why ? why : "");
}

/* Makes the term after the first 'count' decisions. */
static const struct prefix *
make(struct derivation *d, const struct lift_configuration *configuration, int count)
{
    struct prefix key, *found;

    while (count > 0 &&
           !lift_configuration_option(d->rules, configuration, count - 1)->rule)
        count--;
    key = (struct prefix){.count = count};
    memcpy(key.configuration.option, configuration->option, (size_t)count);
    found = lift_table_find(&d->prefixes,
                            lift_configuration_hash(&key.configuration, key.count), &key,
                            same_prefix);
    if (found)
        return found;
    if (count > 0)
        run(d, lift_configuration_option(d->rules, configuration, count - 1), &key);
    found = lift_arena_copy(lift_ir_arena(d->ir), &key, sizeof key);
    lift_table_insert(&d->prefixes,
                      lift_configuration_hash(&found->configuration, found->count),
                      found);
    return found;
}

const char *configurations_why_not_begun(struct derivation *d,
                                         const struct lift_configuration *configuration,
                                         int count)
{
    return make(d, configuration, count)->why;
}

bool configurations_make(struct derivation *d,
                         const struct lift_configuration *configuration,
                         struct derived *out, struct lift_str *why)
{
    const struct prefix *made;

    if (!lift_configuration_fits(d->rules, configuration, d->device, d->problem->relaxed,
                                 why))
        return false;
    made = make(d, configuration, lift_decision_count(d->rules));
    if (made->why)
        return LIFT_FAIL(why, "%s", made->why);
    *out = made->made;
    return derive_is_lowered(d->nodes[made->made.node].term, d->dialect, why);
}

bool configurations_add(struct derivation *d,
                        const struct lift_configuration *configuration)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct derived made;
    bool good = configurations_make(d, configuration, &made, &why);

    if (!good)
        reason_counts_add(&d->unlowered, lift_str_get(&why), 1);
    return good && derive_add_leaf(d, &made, configuration);
}

/* True if the options fit each other, the kind of device and the contract. */
static bool fits(const struct derivation *d,
                 const struct lift_configuration *configuration)
{
    LIFT_SCOPED(lift_str) why = {0};

    return lift_configuration_fits(d->rules, configuration, d->device,
                                   d->problem->relaxed, &why);
}

/* ---- families */

/* The families to add. */
struct adding {
    struct derivation *d;
    int most;      /* number of leaves */
    bool temporal; /* only families with temporal blocking */
};

static void add_counted(const struct adding *a,
                        const struct lift_configuration *configuration)
{
    if (a->d->leaf_count >= a->most)
        a->d->unfit++;
    else
        configurations_add(a->d, configuration);
}

static bool is_for(const struct lift_option *o, unsigned device)
{
    return (o->devices & device) && !(o->features & ~device);
}

/* Adds every option with which explorations begin, of all decisions from 'from' on. */
static void add_all(const struct adding *a, struct lift_configuration configuration,
                    int from)
{
    const struct lift_rules *rules = a->d->rules;
    const struct lift_decision *at;

    while (from < lift_decision_count(rules) && !lift_decision_get(rules, from)->all)
        from++;
    if (from == lift_decision_count(rules)) {
        add_counted(a, &configuration);
        return;
    }
    at = lift_decision_get(rules, from);
    for (int i = 0; i < at->option_count; i++)
        if (lift_option_starts(at->options[i], &configuration) &&
            is_for(at->options[i], a->d->device)) {
            configuration.option[from] = (uint8_t)i;
            add_all(a, configuration, from + 1);
        }
}

/* Adds the user's own options that fit the configuration. */
static void add_own(const struct adding *a, struct lift_configuration configuration)
{
    for (int i = 0; i < lift_decision_count(a->d->rules); i++) {
        const struct lift_decision *at = lift_decision_get(a->d->rules, i);
        uint8_t was = configuration.option[i];

        for (int k = 0; k < at->option_count; k++) {
            const struct lift_option *o = at->options[k];

            configuration.option[i] = (uint8_t)k;
            if (o->rule && !o->rule->shipped && fits(a->d, &configuration))
                add_counted(a, &configuration);
        }
        configuration.option[i] = was;
    }
}

static bool starts(const struct lift_rules *rules,
                   const struct lift_configuration *configuration)
{
    for (int i = 0; i < lift_decision_count(rules); i++)
        if (!lift_option_starts(lift_configuration_option(rules, configuration, i),
                                configuration))
            return false;
    return true;
}

static void add_families(const struct adding *a)
{
    struct derivation *d = a->d;

    for (int shipped = 0; shipped < 2; shipped++)
        for (int i = 0; i < lift_family_count(d->rules); i++) {
            const struct lift_family *f = lift_family_get(d->rules, i);
            struct lift_configuration configuration;

            lift_family_configuration(f, &configuration);
            if (!starts(d->rules, &configuration) || !fits(d, &configuration))
                continue;
            if (!shipped)
                add_own(a, configuration);
            else if (!a->temporal ||
                     lift_configuration_is_temporal(d->rules, &configuration))
                add_all(a, configuration, 0);
        }
}

void configurations_add_families(struct derivation *d, int most)
{
    add_families(&(struct adding){d, most > 0 ? most : INT_MAX, false});
    if (d->leaf_count == 0)
        configurations_add_standard(d);
}

void configurations_add_temporal(struct derivation *d)
{
    add_families(&(struct adding){d, INT_MAX, true});
}

void configurations_add_standard(struct derivation *d)
{
    for (int i = 0; i < lift_family_count(d->rules); i++) {
        const struct lift_family *f = lift_family_get(d->rules, i);
        struct lift_configuration configuration;

        lift_family_configuration(f, &configuration);
        if (f->standard && fits(d, &configuration))
            configurations_add(d, &configuration);
    }
}

static const char no_family[] = "no kernel family supports this device";

const char *configurations_why_none(const struct derivation *d)
{
    return d->unlowered.count ? d->unlowered.rows[0].reason : no_family;
}

/* 'why' receives the reason why the last configuration failed; "" if one succeeds. */
static bool make_family(struct derivation *d, const struct lift_family *f,
                        struct derive_leaf *out, struct lift_str *why)
{
    struct derived made;

    lift_family_configuration(f, &out->configuration);
    if (!fits(d, &out->configuration))
        return false;
    lift_str_clear(why);
    if (!configurations_make(d, &out->configuration, &made, why))
        return false;
    lift_str_fini(why);
    out->node = made.node;
    out->conditions = made.conditions;
    return true;
}

bool configurations_naive(struct derivation *d, struct derive_leaf *out,
                          struct lift_str *why)
{
    for (int i = 0; i < lift_family_count(d->rules); i++) {
        const struct lift_family *f = lift_family_get(d->rules, i);

        if (f->plain && make_family(d, f, out, why))
            return true;
    }
    if (!why->len)
        lift_str_add(why, no_family);
    return false;
}

void configurations_each_family(struct derivation *d, configurations_family *visit,
                                void *user)
{
    for (int i = 0; i < lift_family_count(d->rules); i++) {
        struct derive_leaf leaf;
        LIFT_SCOPED(lift_str) why = {0};

        if (make_family(d, lift_family_get(d->rules, i), &leaf, &why) &&
            visit(user, &leaf))
            return;
    }
}

lift_expr configurations_term(const struct explore_problem *p,
                              const struct lift_rules *rules, enum lift_dialect dialect,
                              const char *family, struct lift_str *why)
{
    struct derivation *d = derive_create(p, rules, dialect);
    struct derive_leaf leaf;
    lift_expr term = NULL;

    for (int i = 0; i < lift_family_count(rules) && !term; i++) {
        const struct lift_family *f = lift_family_get(rules, i);

        if ((family ? !strcmp(f->name, family) : f->standard) &&
            make_family(d, f, &leaf, why))
            term = d->nodes[leaf.node].term;
    }
    if (!term && !why->len)
        lift_str_add(why, no_family);
    derive_destroy(d);
    return term;
}

bool configurations_space(const struct configurations_spaces *from,
                          const struct derive_leaf *leaf, struct candidate_space *out,
                          struct lift_str *why)
{
    const struct derivation *d = from->derivation;

    return candidate_space_make(
        &(struct candidate_space_request){.problem = d->problem,
                                          .device = from->device,
                                          .term = d->nodes[leaf->node].term,
                                          .conditions = leaf->conditions,
                                          .set = from->set,
                                          .set_count = from->set_count,
                                          .lenient = true},
        out, why);
}

/* ---- neighbours */

void configurations_neighbours(const struct derivation *d,
                               const struct lift_configuration *configuration,
                               configurations_visit *visit, void *user)
{
    for (int i = 0; i < lift_decision_count(d->rules); i++) {
        struct lift_configuration other = *configuration;

        for (int k = 0; k < lift_decision_get(d->rules, i)->option_count; k++) {
            other.option[i] = (uint8_t)k;
            if (k != configuration->option[i] && fits(d, &other))
                visit(user, &other);
        }
    }
}
