/* Makes configurations by hand: applies one option after the other. */
#include "cli/rules/derivation.h"
#include "rules/decision.h"
#include <string.h>

/* Configurations by hand may use all features. Code generation replaces features that
 * a device lacks. */
static unsigned device_of(enum lift_dialect dialect)
{
    return LIFT_HAS_ALL |
           (lift_dialect_has_groups(dialect) ? LIFT_ON_GROUPS : LIFT_ON_THREADS);
}

static void explain(const struct cli_derivation *d, const struct lift_option *o,
                    const struct lift_configuration *made, struct lift_str *why)
{
    LIFT_SCOPED(lift_str) part = {0}, before = {0};

    lift_strategy_explain(d->ir, lift_strategy_rule(lift_ir_arena(d->ir), o->rule),
                          d->term, d->program, &part);
    lift_configuration_print(d->rules, made, &before);
    lift_str_addf(why,
                  "'%s' does not apply after '%s' have been applied to '%s': %s; --trace "
                  "shows the term",
                  o->rule->name, before.len ? lift_str_get(&before) : "the defaults",
                  d->program->name, lift_str_get(&part));
}

/* Returns false with the option that does not apply in 'why', unless 'why' is NULL. */
static bool make(struct cli_derivation *d, const struct lift_configuration *configuration,
                 struct lift_str *why)
{
    struct lift_configuration made = {{0}};

    for (int i = 0; i < lift_decision_count(d->rules); i++) {
        const struct lift_option *o =
            lift_configuration_option(d->rules, configuration, i);

        if (o->rule &&
            !cli_derivation_run(d, lift_strategy_rule(lift_ir_arena(d->ir), o->rule),
                                o->rule->name)) {
            if (why)
                explain(d, o, &made, why);
            return false;
        }
        made.option[i] = (uint8_t)o->index;
    }
    return true;
}

int cli_derivation_decide(struct cli_derivation *d, const char *family,
                          const char *options, enum lift_dialect dialect,
                          struct lift_str *why)
{
    struct lift_configuration configuration = {{0}};

    if ((family && !lift_configuration_read_noting(d->rules, family, &configuration, why,
                                                   cli_note_former, NULL)) ||
        (options && !lift_configuration_read_noting(d->rules, options, &configuration,
                                                    why, cli_note_former, NULL)))
        return cli_fail(CLI_USAGE, "%s", lift_str_get(why));
    return lift_configuration_fits(d->rules, &configuration, device_of(dialect),
                                   !d->program->exact, why) &&
                   make(d, &configuration, why)
               ? CLI_DONE
               : CLI_FAILED;
}

/* Calls 'make' without messages. */
static bool make_quietly(struct cli_derivation *d,
                         const struct lift_configuration *configuration)
{
    struct cli_derivation before = *d;

    d->quiet = true;
    if (!make(d, configuration, NULL)) {
        *d = before;
        return false;
    }
    d->quiet = before.quiet;
    return true;
}

static bool is_known(const struct cli_random_configurations *known,
                     const char *configuration)
{
    for (int i = 0; i < known->count; i++)
        if (!strcmp(known->items[i], configuration))
            return true;
    return false;
}

/* Each random configuration must yield a kernel for one kind of device. */
bool cli_derivation_random(struct cli_derivation *d, struct lift_rng *rng,
                           enum lift_dialect dialect,
                           const struct cli_random_configurations *known,
                           struct lift_str *configuration, int *refused)
{
    unsigned device = device_of(dialect);
    struct lift_configuration drawn;

    for (int i = 0; i < CLI_RANDOM_DRAWS; i++) {
        bool drew =
            lift_configuration_random(d->rules, rng, device, !d->program->exact, &drawn);

        lift_str_clear(configuration);
        if (drew)
            lift_configuration_print(d->rules, &drawn, configuration);
        if (drew && configuration->len == 0)
            lift_str_add(configuration,
                         "division=written"); /* the configuration of all defaults */
        if (drew && is_known(known, lift_str_get(configuration)))
            continue;
        if (drew && make_quietly(d, &drawn))
            return true;
        ++*refused;
    }
    return false;
}
