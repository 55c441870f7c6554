/* The size of the space, without trials. */
#include "base/memory.h"
#include "base/seconds.h"
#include "explore/configurations.h"
#include "explore/session/session.h"
#include "rules/combinations.h"
#include <stdlib.h>
#include <string.h>

/* ---- combinations of options */

static int most_first(const void *a, const void *b)
{
    const struct reason_count *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->reason, y->reason);
}

static void draw_points(struct derivation *d, struct lift_combinations *all,
                        struct lift_rng *rng, int draws, struct reason_counts *reasons,
                        struct lift_explore_combinations *out)
{
    LIFT_SCOPED(lift_ptrmap) seen = {0};
    struct lift_configuration point;
    LIFT_SCOPED(lift_str) why = {0};

    while (out->drawn < draws && lift_combinations_draw(all, rng, &point)) {
        struct derived made;

        lift_str_clear(&why);
        out->drawn++;
        if (!configurations_make(d, &point, &made, &why)) {
            reason_counts_add(reasons, lift_str_get(&why), 1);
            continue;
        }
        out->made++;
        if (!lift_ptrmap_get(&seen, d->nodes[made.node].term)) {
            lift_ptrmap_put(&seen, d->nodes[made.node].term, d);
            out->exprs++;
        }
    }
}

static struct lift_explore_left *reasons_of(struct reason_counts *t)
{
    struct lift_explore_left *list = lift_alloc((size_t)t->count + 1, sizeof *list);

    if (t->count)
        qsort(t->rows, (size_t)t->count, sizeof *t->rows, most_first);
    for (int i = 0; i < t->count; i++)
        list[i] = (struct lift_explore_left){t->rows[i].reason, t->rows[i].count};
    return list;
}

static void survey_combinations(struct device_session *l,
                                const struct lift_explore_survey *survey)
{
    struct lift_explore_combinations out = {.device = l->result->name};
    LIFT_SCOPED(reason_counts) reasons = {0};
    struct lift_explore_left *list;
    struct lift_combinations *all;
    struct lift_rng rng;

    session_report(l->session, "making combinations of options");
    lift_rng_seed(&rng, l->session->options->seed);
    all = lift_combinations_create(l->session->options->rules,
                                   l->depths[0].derivation->device,
                                   l->session->problem->relaxed, &rng);
    out.count = lift_combinations_count(all, &out.error);
    draw_points(l->depths[0].derivation, all, &rng, survey->draws, &reasons, &out);
    out.reasons = list = reasons_of(&reasons);
    out.reason_count = reasons.count;
    survey->combinations(survey->user, &out);
    free(list);
    lift_combinations_destroy(all);
}

/* ---- expressions */

static void survey_device_session(struct device_session *l,
                                  const struct lift_explore_survey *survey)
{
    LIFT_SCOPED(lift_str) steps = {0};

    for (int i = 0; i < l->space_count; i++) {
        const struct lift_space *space = l->spaces[i].space;
        struct lift_explore_space out = {.device = l->result->name,
                                         .expr = l->spaces[i].term->hash,
                                         .tunables = lift_space_param_count(space),
                                         .raw = lift_space_raw_size(space),
                                         .valid = lift_space_estimate(space),
                                         .exact = lift_space_counted(space)};

        lift_str_clear(&steps);
        device_session_print_configuration(l, i, &steps);
        out.steps = lift_str_get(&steps);
        survey->space(survey->user, &out);
    }
}

struct lift_explore_result lift_explore_spaces(const struct lift_explore_options *options,
                                               struct lift_error *errors,
                                               const struct lift_explore_survey *survey)
{
    struct lift_explore_result result = {.end = LIFT_EXPLORE_EXHAUSTED};
    struct session s = {.options = options, .result = &result, .started = lift_seconds()};
    bool good = session_open(&s, errors);

    for (int i = 0; i < s.device_session_count && good; i++) {
        good = device_session_derive(&s.device_sessions[i]);
        if (good) {
            survey_combinations(&s.device_sessions[i], survey);
            survey_device_session(&s.device_sessions[i], survey);
        }
    }
    session_sum(&s);
    session_close(&s);
    return result;
}
