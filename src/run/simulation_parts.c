/* Makes the plans of all parts of a simulation. */
#include "ir/sizes.h"
#include "run/devices/overlap.h"
#include "run/ranks/simulation_ranks.h"
#include "tuner/db_query.h"
#include <string.h>
#include <unistd.h>

/* Finds absent devices early; other processes open the devices. */
static bool probe_all(struct sim *s)
{
    for (int i = 0; i < s->parts->own_count; i++) {
        struct part *part = &s->parts->own[i];
        LIFT_SCOPED(lift_explore_device) probed = {.texts = NULL};
        bool good =
            lift_explore_device(part->device, false, &probed, &s->result.error.text);

        if (good)
            part->kind = lift_device_hash(&probed.info);
        if (!good)
            return sim_fail_as(s, SIM_FAILED, NULL);
    }
    return true;
}

/* ---- exploring */

static bool explore(struct sim *s, const struct part *part, const char *sizes)
{
    const struct lift_plan_options options = {
        .device = part->device, .sizes = sizes, .seconds = s->options.plan_seconds};
    struct lift_source source = parts_source(s->parts);
    const struct plan_job job = {LIFT_PATIENT, &options, source,
                                 .database = s->options.database};
    const struct lift_size_setting *settings;
    int count;
    struct explore_problem *problem =
        lift_sizes_parse(s->arena, sizes, &settings, &count, &s->result.error)
            ? explore_problem_load(&source, settings, count, &s->result.error)
            : NULL;
    struct sim_found found = {s, problem, part->kind, {0}};
    bool good = problem ? sim_find(&found) : sim_fail_as(s, SIM_USAGE, NULL);

    if (good && problem && !(found.gpts[plan_launch_steps(problem)] > 0))
        good = plan_ask(s->planner, &job, NULL, &s->result.error) ||
               sim_fail(s, SIM_FAILED, "on '%s': %s", part->device,
                        lift_error_text(&s->result.error));
    explore_problem_destroy(problem);
    lift_source_free(&source);
    return good;
}

static bool explore_planes(struct sim *s, const struct part *part,
                           struct parts_range range)
{
    LIFT_SCOPED(lift_str) sizes = {0};

    parts_sizes(s->parts, &range, &sizes);
    return explore(s, part, lift_str_get(&sizes));
}

/* Explores kernels of the whole part, or of the inner planes if their plan makes all
 * launches. Also explores kernels of the boundary planes, which are too few for the
 * part's kernels. The boundary window includes the planes that its kernel reads: a
 * program with borders may need so large a grid. */
static bool explore_part(struct sim *s, const struct part *part)
{
    struct parts_range range = parts_range_of(part, NULL);
    bool good;

    if (s->parts->overlaps && s->parts->every == 1)
        range.count[0] = part->along[0].own;
    good = explore_planes(s, part, range);
    for (int side = 0; s->parts->overlaps && good && side < PARTS_SIDES; side++)
        if (part->overlap->window[side].length) {
            range = overlap_range(part, side, NULL);
            range.count[0] += part->all->cut[0].before + part->all->cut[0].after;
            good = explore_planes(s, part, range);
        }
    return good;
}

/* Parts of equal sizes on equal devices reuse the exploration of the first such part. */
static bool explore_all(struct sim *s)
{
    bool good = true;

    for (int i = 0; good && i < s->parts->count; i++)
        good = explore_part(s, &s->parts->part[i]);
    return good;
}

/* ---- plans */

static void describe(struct sim *s)
{
    const struct lift_plan_facts *facts = &s->plan->facts;
    bool one = s->parts->count == 1;
    const struct explore_problem *p = one ? s->plan->chosen->problem : s->problem;
    struct sim_result *r = &s->result;

    r->program = p->name;
    r->sizes = p->sizes_json;
    r->dtype = p->dtype;
    r->device = one ? facts->device : s->parts->devices;
    r->chosen = facts->chosen;
    r->kernel = facts->why;
    r->parts = one ? NULL : lift_str_get(&s->parts->words);
    r->at_once = plan_launch_steps(s->plan->chosen->problem);
}

/* A plan for one device may compute several steps a launch. */
static bool make_plans(struct sim *s)
{
    const struct lift_planner_options where = {.database = s->options.database,
                                               .create = s->options.plan_seconds > 0};
    struct sim_found found = {s, s->problem, s->parts->own->kind, {0}};
    bool one = s->parts->count == 1, known = false;

    if (one && !sim_find(&found))
        return false;
    for (int n = 1; n <= LIFT_MAX_STEPS; n++)
        known |= found.gpts[n] > 0;
    s->planner = lift_planner_create(&where, &s->result.error);
    if (!s->planner)
        return sim_fail_as(s, SIM_FAILED, NULL);
    if ((s->options.plan_seconds > 0 && !known && !explore_all(s)) ||
        (one && !sim_make_plan(s)))
        return false;
    if (!one && !sim_deepen(s))
        return false;
    return parts_make(s->parts, s->planner, &s->result.error) || sim_fail_by_code(s);
}

static bool set_params(struct sim *s)
{
    for (int i = 0; i < s->options.in_count; i++) {
        const struct sim_value *v = &s->values[i];

        for (int k = 0; k < s->problem->param_count; k++)
            if (!strcmp(s->problem->params[k]->u.name, v->word->name) &&
                !parts_set_param(s->parts, v->word->name, v->number, &s->result.error))
                return sim_fail_as(s, SIM_USAGE, NULL);
    }
    return true;
}

bool sim_make_parts(struct sim *s)
{
    const struct sim_options *o = &s->options;
    const struct parts_options what = {
        .program = {&s->source, o->file, o->precision, s->problem},
        .devices = o->devices,
        .cut = {o->cut[0], o->cut[1]},
        .every = o->exchange_every,
        .exchange = o->exchange,
        .overlap = o->overlap,
        .patience = o->exchange_seconds,
        .graphs = o->graphs,
        .team = &s->team};
    bool good;

    s->parts = parts_create(&what, &s->result.error);
    good = s->parts ? s->ranks || probe_all(s) : sim_fail_by_code(s);
    sim_lap(s, SIM_SETUP);
    good = good && make_plans(s) && set_params(s);
    if (good) {
        if (!s->plan)
            s->plan = s->parts->deep > s->parts->base
                          ? plan_at(s->parts->own->plan, s->parts->deep)
                          : parts_main_plan(s->parts->own);
        if (s->parts->shallow.len)
            s->result.unused = lift_str_get(&s->parts->shallow);
        describe(s);
    }
    sim_lap(s, SIM_COMPILE);
    return good;
}
