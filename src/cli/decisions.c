/* Sums of the stored results of each option of each decision. */
#include "base/memory.h"
#include "cli/show_decisions.h"
#include <stdlib.h>
#include <string.h>

/* ---- options */

/* Inserts an option after the last option of its decision. */
static struct cli_option_results *add_option(struct cli_decisions *d,
                                             const char *decision, const char *option,
                                             const struct lift_option *known)
{
    int at = d->option_count;

    while (at > 0 && strcmp(d->options[at - 1].decision, decision) != 0)
        at--;
    if (at == 0)
        at = d->option_count;
    d->options = lift_resize(d->options, (size_t)d->option_count + 1, sizeof *d->options);
    memmove(&d->options[at + 1], &d->options[at],
            sizeof *d->options * (size_t)(d->option_count - at));
    d->option_count++;
    d->options[at] =
        (struct cli_option_results){.decision = lift_arena_strdup(d->arena, decision),
                                    .option = lift_arena_strdup(d->arena, option),
                                    .known = known,
                                    .last_subject = -1};
    return &d->options[at];
}

static struct cli_option_results *find_option(struct cli_decisions *d,
                                              const char *decision, const char *option)
{
    for (int i = 0; i < d->option_count; i++)
        if (!strcmp(d->options[i].decision, decision) &&
            !strcmp(d->options[i].option, option))
            return &d->options[i];
    return add_option(d, decision, option, NULL);
}

static void add_known(struct cli_decisions *d)
{
    for (int i = 0; i < lift_decision_count(d->rules); i++) {
        const struct lift_decision *decision = lift_decision_get(d->rules, i);

        for (int k = 0; k < decision->option_count; k++)
            add_option(d, decision->name, decision->options[k]->name,
                       decision->options[k]);
    }
}

/* ---- points */

struct reading {
    struct cli_decisions *d;
    const struct report_wanted *wanted;
};

static bool take_subject(void *user, const struct lift_db_explored *row)
{
    struct reading *r = user;
    struct cli_decisions *d = r->d;
    struct cli_subject_results *s;

    if (!report_sizes_agree(r->wanted->sizes, r->wanted->size_count, row->sizes))
        return true;
    d->subjects =
        lift_resize(d->subjects, (size_t)d->subject_count + 1, sizeof *d->subjects);
    s = &d->subjects[d->subject_count++];
    *s = (struct cli_subject_results){
        .problem = row->problem, .device = row->device_id, .explored = *row};
    s->explored.program = lift_arena_strdup(d->arena, row->program);
    s->explored.sizes = lift_arena_strdup(d->arena, row->sizes);
    s->explored.dtype = lift_arena_strdup(d->arena, row->dtype);
    s->explored.device = lift_arena_strdup(d->arena, row->device);
    s->explored.runtime = lift_arena_strdup(d->arena, row->runtime);
    return true;
}

static struct cli_subject_results *subject_of(const struct cli_decisions *d,
                                              struct lift_hash problem,
                                              struct lift_hash device)
{
    for (int i = 0; i < d->subject_count; i++)
        if (lift_hash_equal(d->subjects[i].problem, problem) &&
            lift_hash_equal(d->subjects[i].device, device))
            return &d->subjects[i];
    return NULL;
}

static void count(const struct cli_decisions *d,
                  const struct cli_subject_results *subject,
                  const struct lift_db_configuration *point, struct cli_option_results *o)
{
    int at = (int)(subject - d->subjects);

    o->exprs++;
    o->trials += point->trials;
    o->verified += point->verified;
    o->best += point->best;
    if (point->share > o->share)
        o->share = point->share;
    if (o->last_subject != at)
        o->subjects++;
    o->last_subject = at;
}

static void note_best(struct lift_arena *arena, struct cli_subject_results *s,
                      const struct lift_db_configuration *point)
{
    LIFT_SCOPED(lift_str) text = {0};

    for (int i = 0; i < point->option_count; i++)
        lift_str_addf(&text, "%s%s=%s", i ? "," : "", point->options[i].decision,
                      point->options[i].option);
    s->best = lift_arena_strdup(arena, lift_str_get(&text));
}

static bool names(const struct lift_db_configuration *point, const char *decision)
{
    for (int i = 0; i < point->option_count; i++)
        if (!strcmp(point->options[i].decision, decision))
            return true;
    return false;
}

static int by_decision(const void *a, const void *b)
{
    return strcmp(((const struct lift_db_option *)a)->decision,
                  ((const struct lift_db_option *)b)->decision);
}

/* Converts options to current names, and returns their number. A former option may
 * stand for several current ones. */
static int options_now(struct lift_arena *arena,
                       const struct lift_db_configuration *point,
                       struct lift_db_option out[LIFT_DB_OPTIONS])
{
    int count = 0;

    for (int i = 0; i < point->option_count; i++) {
        LIFT_SCOPED(lift_str) said = {0}, now = {0};
        char *rest = NULL, *pairs;

        lift_str_addf(&said, "%s=%s", point->options[i].decision,
                      point->options[i].option);
        if (!lift_former_name(lift_str_get(&said), &now))
            lift_str_add(&now, lift_str_get(&said));
        pairs = lift_arena_strdup(arena, lift_str_get(&now));
        for (char *pair = strtok_r(pairs, ",", &rest); pair && count < LIFT_DB_OPTIONS;
             pair = strtok_r(NULL, ",", &rest)) {
            char *equals = strchr(pair, '=');

            *equals = '\0';
            out[count++] = (struct lift_db_option){pair, equals + 1};
        }
    }
    qsort(out, (size_t)count, sizeof *out, by_decision);
    return count;
}

/* Counts a configuration. Decisions that the configuration omits have their default
 * option. */
static bool take_point(void *user, const struct lift_db_configuration *recorded)
{
    struct reading *r = user;
    struct cli_decisions *d = r->d;
    struct cli_subject_results *s = subject_of(d, recorded->problem, recorded->device_id);
    struct lift_db_option options[LIFT_DB_OPTIONS];
    struct lift_db_configuration now = *recorded;
    const struct lift_db_configuration *point = &now;

    if (!s)
        return true;
    now.options = options;
    now.option_count = options_now(d->arena, recorded, options);
    s->points++;
    s->trials += point->trials;
    if (point->best)
        note_best(d->arena, s, point);
    for (int i = 0; i < point->option_count; i++)
        count(d, s, point,
              find_option(d, point->options[i].decision, point->options[i].option));
    for (int i = 0; i < lift_decision_count(d->rules); i++) {
        const struct lift_decision *decision = lift_decision_get(d->rules, i);

        if (!names(point, decision->name))
            count(d, s, point,
                  find_option(d, decision->name, decision->options[0]->name));
    }
    return true;
}

static bool take_best(void *user, const struct lift_db_best *row)
{
    struct reading *r = user;
    struct cli_subject_results *s = subject_of(r->d, row->problem, row->device_id);

    if (s) {
        s->has_best = true;
        s->best_expr = row->expr;
    }
    return true;
}

/* ---- rules */

static bool take_rule(void *user, const char *name, int64_t rewrites)
{
    struct cli_decisions *d = ((struct reading *)user)->d;
    const struct lift_rule *rule = lift_rules_find(d->rules, name);

    (void)rewrites;
    if (rule) {
        d->fired[rule->index] = true;
        return true;
    }
    d->foreign =
        lift_resize(d->foreign, (size_t)d->foreign_count + 1, sizeof *d->foreign);
    d->foreign[d->foreign_count++] = lift_arena_strdup(d->arena, name);
    return true;
}

bool cli_decisions_unused(const struct cli_decisions *d, const struct lift_rule *rule)
{
    return rule->form != LIFT_RULE_MACRO && !d->fired[rule->index];
}

bool cli_decisions_load(struct cli_decisions *d, struct lift_db *db,
                        const struct report_wanted *wanted)
{
    struct reading r = {d, wanted};

    *d = (struct cli_decisions){.arena = lift_arena_create(),
                                .rules = lift_rules_shipped()};
    d->fired = lift_alloc((size_t)lift_rules_count(d->rules) + 1, sizeof *d->fired);
    add_known(d);
    return lift_db_explored(db, &wanted->filter, take_subject, &r) &&
           lift_db_best(db, &wanted->filter, take_best, &r) &&
           lift_db_configurations(db, take_point, &r) && lift_db_rules(db, take_rule, &r);
}

void cli_decisions_fini(struct cli_decisions *d)
{
    free(d->subjects);
    free(d->options);
    free(d->foreign);
    free(d->fired);
    lift_rules_destroy(d->rules);
    lift_arena_destroy(d->arena);
}
