#include "explore/applicable.h"

/* ---- configurations around an option */

static void take(struct lift_configuration *configuration, const struct lift_option *o)
{
    configuration->option[o->decision->index] = (uint8_t)o->index;
}

static void take_context(struct lift_configuration *configuration,
                         const struct lift_option *o)
{
    const struct lift_option *context[LIFT_MAX_DECISIONS];
    int count = lift_option_context(o, context);

    for (int i = 0; i < count; i++)
        take(configuration, context[i]);
}

struct looking {
    struct derivation *d;
    const struct lift_option *option;
    struct lift_str *why; /* the reason why the first configuration fails */
    int configurations;
};

/* Returns true if the configuration can be made. The option itself determines the device
 * kind; other options of the configuration may need none. */
static bool is_made(struct looking *l, const struct lift_configuration *configuration)
{
    LIFT_SCOPED(lift_str) reason = {0};
    const char *why = NULL;
    bool good =
        lift_configuration_fits(l->d->rules, configuration, LIFT_ON_ALL | LIFT_HAS_ALL,
                                l->d->problem->relaxed, &reason);

    if (good)
        why = configurations_why_not_begun(l->d, configuration,
                                           l->option->decision->index + 1);
    if (l->configurations++ == 0)
        lift_str_add(l->why, good ? (why ? why : "") : lift_str_get(&reason));
    return good && !why;
}

/* Tests every other option that the requirement allows. */
static bool with_others(struct looking *l, const struct lift_need *need)
{
    for (int i = 0; i < need->decision->option_count; i++) {
        const struct lift_option *other = need->decision->options[i];
        struct lift_configuration configuration = {{0}};

        if (!(need->options >> i & 1))
            continue;
        take_context(&configuration, l->option);
        take_context(&configuration, other);
        take(&configuration, other);
        take(&configuration, l->option);
        if (is_made(l, &configuration))
            return true;
    }
    return false;
}

/* Tests all families that have the option, or whose decision would allow it. */
static bool in_families(struct looking *l)
{
    for (int i = 0; i < lift_family_count(l->d->rules); i++) {
        const struct lift_family *family = lift_family_get(l->d->rules, i);
        struct lift_configuration configuration;

        if (!(lift_family_devices(l->d->rules, family) & l->d->device & LIFT_ON_ALL))
            continue;
        lift_family_configuration(family, &configuration);
        take(&configuration, l->option);
        if (is_made(l, &configuration))
            return true;
    }
    return false;
}

bool option_applies(struct derivation *d, const struct lift_option *option,
                    struct lift_str *why)
{
    struct looking l = {.d = d, .option = option, .why = why};
    struct lift_configuration configuration = {{0}};

    if (!lift_option_is_for(option, d->device, d->problem->relaxed, why))
        return false;
    take_context(&configuration, option);
    take(&configuration, option);
    if (is_made(&l, &configuration))
        return true;
    for (int i = 0; i < option->need_count; i++)
        if (with_others(&l, &option->needs[i]))
            return true;
    return in_families(&l);
}
