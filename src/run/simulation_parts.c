/* The kernels of a simulation on several devices. */
#include "run/simulation_t.h"
#include <string.h>
#include <unistd.h>

static bool probe_all(struct sim *s)
{
    for (int i = 0; i < s->parts->count; i++) {
        struct lift_explore_device probed = {.texts = NULL};
        struct lift_str why = {0};
        bool good = lift_explore_device(s->parts->part[i].device, false, &probed, &why);

        lift_explore_device_fini(&probed);
        if (!good)
            return sim_fail_why(s, SIM_FAILED, NULL, &why);
        lift_str_fini(&why);
    }
    return true;
}

/* A program that asks where planes lie is given as text; any other is the one of the
 * file, of which kernels may be known. */
static bool create(struct sim *s, struct part *part, bool explore)
{
    const struct lift_cut *cut = &s->parts->cut;
    struct lift_str sizes = {0}, text = {0};
    struct lift_plan_options options = {.device = part->device,
                                        .effort = explore ? LIFT_PATIENT : LIFT_ESTIMATE,
                                        .seconds = s->options.plan_seconds};

    parts_sizes(s->parts, part, s->problem, &sizes);
    options.sizes = lift_str_get(&sizes);
    if (cut->first) {
        lift_program_print(cut->part, &text);
        options.program = lift_str_get(&text);
    } else {
        options.file = s->options.file;
        options.precision = s->options.precision;
    }
    part->plan = lift_plan_create(s->planner, &options, &s->error);
    lift_str_fini(&sizes);
    lift_str_fini(&text);
    return part->plan ||
           sim_fail(s, s->error.fault == LIFT_PLAN_PROGRAM ? SIM_USAGE : SIM_FAILED,
                    "on '%s': %s", part->device, s->error.text);
}

/* Parts of the same sizes on the same kind of device find what the first one explored. */
static bool create_best(struct sim *s, struct part *part)
{
    if (!create(s, part, false))
        return false;
    if (s->options.plan_seconds <= 0 || !strcmp(part->plan->facts.chosen, "exact"))
        return true;
    lift_plan_destroy(part->plan);
    return create(s, part, true);
}

static bool make_plan(struct sim *s, struct part *part)
{
    const struct parts *parts = s->parts;
    int64_t place = (part->begin + parts->planes) % parts->planes;

    if (!create_best(s, part) || !sim_set_params(s, part->plan))
        return false;
    return !parts->cut.first ||
           lift_plan_set_param(part->plan, parts->cut.first, (double)place, &s->error) ||
           sim_fail(s, SIM_FAILED, "%s", s->error.text);
}

static void describe(struct sim *s)
{
    struct sim_result *r = &s->result;
    int steps = s->problem->program->steps;

    parts_describe(s->parts);
    s->plan = s->parts->part[0].plan;
    r->program = s->problem->name;
    r->sizes = s->problem->sizes_json;
    r->dtype = s->problem->dtype;
    r->device = s->options.devices;
    r->chosen = s->plan->facts.chosen;
    r->kernel = s->plan->facts.why;
    r->parts = lift_str_get(&s->parts->words);
    r->at_once = steps > 1 ? steps : 1;
}

bool sim_make_parts(struct sim *s)
{
    bool there = s->options.database && access(s->options.database, F_OK) == 0;
    const struct lift_planner_options where = {
        .database = there || s->options.plan_seconds > 0 ? s->options.database : NULL,
        .create = s->options.plan_seconds > 0};
    struct lift_str why = {0};
    int64_t every = s->options.exchange_every ? s->options.exchange_every : 1;
    bool good;

    s->parts = parts_create(&s->source, s->options.devices, s->problem, every, &why);
    if (!s->parts)
        return sim_fail_why(s, SIM_USAGE, NULL, &why);
    good = probe_all(s);
    sim_lap(s, SIM_SETUP);
    s->planner = good ? lift_planner_create(&where, &s->error) : NULL;
    if (good && !s->planner)
        good = sim_fail(s, SIM_FAILED, "%s", s->error.text);
    for (int i = 0; good && i < s->parts->count; i++)
        good = make_plan(s, &s->parts->part[i]);
    if (good)
        describe(s);
    sim_lap(s, SIM_COMPILE);
    return good;
}
