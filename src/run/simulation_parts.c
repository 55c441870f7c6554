/* The kernels of a simulation on several devices. */
#include "ir/sizes.h"
#include "run/devices/overlap.h"
#include "run/ranks/simulation_ranks.h"
#include "tuner/db_query.h"
#include <string.h>
#include <unistd.h>

/* In other processes: devices that are not there are found before anything else. */
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

/* Whether the database has a kernel of exactly this problem on this kind of device. */
struct known {
    const struct explore_problem *problem;
    const struct part *part;
    bool found;
};

static bool look(void *user, const struct lift_db_best *row)
{
    struct known *k = user;
    const struct explore_problem *p = k->problem;

    k->found |= lift_hash_equal(row->device_id, k->part->kind) &&
                lift_hash_equal(row->program_id, lift_program_id(p->program)) &&
                !strcmp(row->sizes, p->sizes_json);
    return true;
}

static bool is_known(struct sim *s, const struct part *part, struct explore_problem *p,
                     bool *found)
{
    struct known k = {p, part, false};

    *found = false;
    if (access(s->options.database, F_OK) != 0)
        return true;
    if (!sim_each_best(s, look, &k))
        return false;
    *found = k.found;
    return true;
}

static bool explore(struct sim *s, const struct part *part, const char *sizes)
{
    const struct lift_plan_options options = {
        .device = part->device, .sizes = sizes, .seconds = s->options.plan_seconds};
    struct lift_source source = parts_source(s->parts, &s->source);
    const struct plan_job job = {LIFT_PATIENT, &options, source,
                                 .database = s->options.database};
    const struct lift_size_setting *settings;
    int count;
    struct explore_problem *problem =
        lift_sizes_parse(s->arena, sizes, &settings, &count, &s->result.error)
            ? explore_problem_load(&source, settings, count, &s->result.error)
            : NULL;
    bool found = false, good = problem || sim_fail_as(s, SIM_USAGE, NULL);

    good = good && is_known(s, part, problem, &found);
    if (good && !found)
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

    parts_sizes(s->parts, &range, s->problem, &sizes);
    return explore(s, part, lift_str_get(&sizes));
}

/* Kernels of the inner planes, where they make all launches, else of the whole part; and
 * those of the edges, which have too few planes for the kernels of the part. An edge
 * includes the planes that it reads beyond: a program with borders may need as many. */
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

/* Parts of the same sizes on the same kind of device find what the first one explored. */
static bool explore_all(struct sim *s)
{
    bool good = true;

    for (int i = 0; good && i < s->parts->count; i++)
        good = explore_part(s, &s->parts->part[i]);
    return good;
}

/* ---- plans */

bool sim_make_part(struct sim *s, const struct part *part, struct parts_range range,
                   struct lift_plan **plan)
{
    const struct parts_program program = {&s->source, s->options.file,
                                          s->options.precision, s->problem};

    *plan = parts_make_plan(part, range, &program, s->planner, &s->result.error);
    if (!*plan)
        return sim_fail_as(
            s, s->result.error.code == LIFT_ERROR_PROGRAM ? SIM_USAGE : SIM_FAILED, NULL);
    if (sim_set_params(s, *plan))
        return true;
    lift_plan_destroy(*plan);
    *plan = NULL;
    return false;
}

static void describe(struct sim *s)
{
    struct sim_result *r = &s->result;
    int steps = s->problem->program->steps;

    parts_describe(s->parts);
    s->plan = parts_main_plan(s->parts->own);
    r->program = s->problem->name;
    r->sizes = s->problem->sizes_json;
    r->dtype = s->problem->dtype;
    r->device = s->options.devices;
    r->chosen = s->plan->facts.chosen;
    r->kernel = s->plan->facts.why;
    r->parts = lift_str_get(&s->parts->words);
    r->at_once = steps > 1 ? steps : 1;
}

/* The parts, and how they exchange as far as it is known beforehand. */
static bool cut(struct sim *s)
{
    const struct sim_options *o = &s->options;
    const struct parts_shared shared = {.devices = o->devices,
                                        .along = {o->cut[0], o->cut[1]},
                                        .every =
                                            o->exchange_every ? o->exchange_every : 1,
                                        .team = &s->team};

    if (lift_expr_mentions(s->problem->root, LIFT_INJECT))
        return sim_fail(s, SIM_USAGE,
                        "--devices: '%s' adds values at points off the grid ('inject'), "
                        "which one device does",
                        s->problem->name);
    s->parts = parts_create(&s->source, &shared, s->problem, &s->result.error.text);
    if (!s->parts)
        return sim_fail_as(s, SIM_USAGE, NULL);
    s->parts->graphs = s->options.graphs;
    s->parts->patience = s->options.exchange_seconds;
    s->parts->at_once = sim_launch_steps(s);
    return (s->ranks || probe_all(s)) && sim_choose_exchange(s);
}

bool sim_make_parts(struct sim *s)
{
    const struct lift_planner_options where = {.database = s->options.database,
                                               .create = s->options.plan_seconds > 0};
    bool good = cut(s);

    sim_lap(s, SIM_SETUP);
    s->planner = good ? lift_planner_create(&where, &s->result.error) : NULL;
    if (good && !s->planner)
        good = sim_fail_as(s, SIM_FAILED, NULL);
    good = good && (s->options.plan_seconds <= 0 || explore_all(s)) && sim_make_all(s) &&
           sim_settle_exchange(s);
    if (good)
        describe(s);
    sim_lap(s, SIM_COMPILE);
    return good;
}
