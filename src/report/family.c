#include "report/family.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "lift/rules.h"
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
    int best = -1, least = f->decisions + 1, given = 0;

    if (!read_configuration(f, options, &configuration))
        return NULL;
    for (int d = 0; d < f->decisions; d++)
        given += configuration.option[d] != 0;
    for (int i = 0; i < f->count; i++) {
        int differs = 0;

        for (int d = 0; d < f->decisions; d++)
            differs += f->configurations[i].option[d] != configuration.option[d];
        if (differs < least) {
            least = differs;
            best = i;
        }
    }
    *changes = least;
    return best >= 0 && 2 * least <= given + 1 ? lift_family_get(f->rules, best) : NULL;
}

const char *report_default_option(const struct report_families *f, const char *decision)
{
    const struct lift_decision *found = lift_decision_find(f->rules, decision);

    return found ? found->options[0]->name : NULL;
}

/* ---- the naive kernel */

struct naive_search {
    const struct report_families *families;
    int family; /* the first plain one with an expression; its count: none */
    struct lift_hash expr;
};

static bool take_expr(void *user, const struct lift_db_expr_row *row)
{
    struct naive_search *s = user;
    const struct report_families *f = s->families;
    struct lift_configuration configuration;

    if (!row->has_options || !read_configuration(f, row->options, &configuration))
        return true;
    for (int i = 0; i < s->family; i++) {
        int differs = 0;

        for (int d = 0; d < f->decisions && !differs; d++)
            differs = f->configurations[i].option[d] != configuration.option[d];
        if (!differs && lift_family_get(f->rules, i)->plain) {
            s->family = i;
            s->expr = row->expr;
        }
    }
    return true;
}

static bool take_time(void *user, const struct lift_db_first_row *row)
{
    struct report_naive *out = user;
    json_auto_t *samples = lift_json_read(row->samples, 0);
    size_t count = json_array_size(samples);
    LIFT_FREED double *values = lift_resize(NULL, count + 1, sizeof *values);
    struct lift_interval interval;

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
    struct naive_search search = {.families = f, .family = f->count};
    struct lift_db_naive final;

    *out = (struct report_naive){.seconds = 0};
    if (!lift_db_naive(db, problem, device, &final))
        return false;
    *found = final.seconds.median > 0;
    if (*found) {
        *out = (struct report_naive){.seconds = final.seconds.median,
                                     .low = final.seconds.low,
                                     .high = final.seconds.high,
                                     .confirmed = true};
        snprintf(out->trial, sizeof out->trial, "%s", final.trial);
        return true;
    }
    if (!lift_db_exprs(db, problem, device, take_expr, &search))
        return false;
    if (search.family < f->count &&
        !lift_db_first(db, problem, device, search.expr, take_time, out))
        return false;
    *found = out->seconds > 0;
    return true;
}
