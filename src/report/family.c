#include "report/family.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "lift/rules.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct report_families {
    struct lift_rules *rules;
    struct lift_configuration *configurations; /* of each family */
    int decisions, count;
};

struct report_families *report_families_open(void)
{
    struct report_families *f = lift_resize(NULL, 1, sizeof *f);

    f->rules = lift_rules_shipped();
    f->decisions = lift_decision_count(f->rules);
    f->count = lift_family_count(f->rules);
    f->configurations =
        lift_resize(NULL, (size_t)f->count + 1, sizeof *f->configurations);
    for (int i = 0; i < f->count; i++)
        lift_family_configuration(lift_family_get(f->rules, i), &f->configurations[i]);
    return f;
}

void report_families_close(struct report_families *f)
{
    if (!f)
        return;
    lift_rules_destroy(f->rules);
    free(f->configurations);
    free(f);
}

const struct lift_rules *report_families_rules(const struct report_families *f)
{
    return f->rules;
}

static bool read_configuration(const struct report_families *f, const char *options,
                               struct lift_configuration *out)
{
    LIFT_SCOPED(lift_str) why = {0};

    *out = (struct lift_configuration){{0}};
    return lift_configuration_read(f->rules, options, out, &why);
}

const struct lift_family *report_family_of(const struct report_families *f,
                                           const char *options, int *changes)
{
    struct lift_configuration configuration;
    unsigned devices = LIFT_ON_ALL;
    int best = -1, least = INT_MAX;

    if (!read_configuration(f, options, &configuration))
        return NULL;
    for (int d = 0; d < f->decisions; d++)
        devices &= lift_configuration_option(f->rules, &configuration, d)->devices;
    for (int i = 0; i < f->count; i++) {
        const uint8_t *own = f->configurations[i].option;
        int shared = 0, others = 0, added = 0;

        for (int d = 0; d < f->decisions; d++) {
            shared += own[d] != 0 && own[d] == configuration.option[d];
            others += own[d] != 0 && own[d] != configuration.option[d];
            added += own[d] == 0 && configuration.option[d] != 0;
        }
        if (shared >= others && 2 * others + added < least &&
            (lift_family_devices(f->rules, lift_family_get(f->rules, i)) & devices)) {
            least = 2 * others + added;
            *changes = others + added;
            best = i;
        }
    }
    return best >= 0 ? lift_family_get(f->rules, best) : NULL;
}

void report_options_today(const struct report_families *f, const char *options,
                          struct lift_str *out)
{
    struct lift_configuration configuration;

    if (read_configuration(f, options, &configuration))
        lift_configuration_print(f->rules, &configuration, out);
    else
        lift_str_add(out, options);
}

const char *report_default_option(const struct report_families *f, const char *decision)
{
    const struct lift_decision *found = lift_decision_find(f->rules, decision);

    return found ? found->options[0]->name : NULL;
}

/* ---- the naive kernel */

/* True if options are those of a plain family, except options that do not change the
 * program: the database omits these. */
static bool is_plain(const struct report_families *f, const char *options)
{
    struct lift_configuration configuration;
    bool plain = false;

    if (!read_configuration(f, options, &configuration))
        return false;
    for (int i = 0; i < f->count && !plain; i++) {
        plain = lift_family_get(f->rules, i)->plain;
        for (int d = 0; d < f->decisions && plain; d++)
            plain = configuration.option[d] == 0 ||
                    configuration.option[d] == f->configurations[i].option[d];
    }
    return plain;
}

struct naive_search {
    const struct report_families *families;
    struct report_naive *out;
};

static bool take_first(void *user, const struct lift_db_first_row *row)
{
    const struct naive_search *search = user;
    struct report_naive *out = search->out;
    json_auto_t *samples = lift_json_read(row->samples, 0);
    size_t count = json_array_size(samples);
    LIFT_FREED double *values = lift_resize(NULL, count + 1, sizeof *values);
    struct lift_interval interval;

    if (!row->has_options || !is_plain(search->families, row->options))
        return true;
    for (size_t i = 0; i < count; i++)
        values[i] = json_number_value(json_array_get(samples, i));
    interval = lift_median_interval(values, (int)count, 0.95);
    *out = (struct report_naive){.seconds = row->seconds,
                                 .low = interval.low,
                                 .high = interval.high,
                                 .confirmed = row->confirmed};
    snprintf(out->trial, sizeof out->trial, "%s", row->trial);
    if (!(out->low > 0) || out->low > out->seconds || out->high < out->seconds)
        out->low = out->high = out->seconds;
    return false;
}

bool report_naive_find(const struct report_families *f, struct lift_db *db,
                       struct lift_hash problem, struct lift_hash device,
                       struct report_naive *out, bool *found)
{
    struct naive_search search = {f, out};
    struct lift_db_naive final;

    *out = (struct report_naive){.seconds = 0};
    if (!lift_db_naive(db, problem, device, &final))
        return false;
    *found = final.seconds.median > 0;
    if (*found) {
        *out = (struct report_naive){.seconds = final.seconds.median,
                                     .low = final.seconds.low,
                                     .high = final.seconds.high,
                                     .confirmed = final.seconds.low > 0};
        if (!out->confirmed)
            out->low = out->high = out->seconds;
        snprintf(out->trial, sizeof out->trial, "%s", final.trial);
        return true;
    }
    if (!lift_db_first(db, problem, device, take_first, &search))
        return false;
    *found = out->seconds > 0;
    return true;
}
