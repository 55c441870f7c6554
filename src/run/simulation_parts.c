/* The kernels of a simulation on several devices. */
#include "lift/db_query.h"
#include "lift/memory.h"
#include "lift/sizes.h"
#include "run/devices/overlap.h"
#include "run/simulation_t.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* In other processes: devices that are not there are found before anything else. */
static bool probe_all(struct sim *s)
{
    for (int i = 0; i < s->parts->count; i++) {
        struct part *part = &s->parts->part[i];
        struct lift_explore_device probed = {.texts = NULL};
        struct lift_str why = {0};
        bool good = lift_explore_device(part->device, false, &probed, &why);

        if (good)
            part->kind = lift_device_hash(&probed.info);
        lift_explore_device_fini(&probed);
        if (!good)
            return sim_fail_why(s, SIM_FAILED, NULL, &why);
        lift_str_fini(&why);
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

/* A program that asks where planes lie is given as text; any other is the one of the
 * file, of which kernels may be known. */
static struct lift_source source_of(const struct sim *s)
{
    struct lift_str text = {0};
    struct lift_source source = {.name = lift_strdup(s->source.name)};

    if (s->parts->cut.first)
        lift_program_print(s->parts->cut.part, &text);
    else
        lift_str_addn(&text, s->source.text, s->source.len);
    source.len = text.len;
    source.text = lift_str_take(&text);
    return source;
}

static bool explore(struct sim *s, const struct part *part, const char *sizes)
{
    const struct lift_plan_options options = {
        .device = part->device, .sizes = sizes, .seconds = s->options.plan_seconds};
    struct lift_source source = source_of(s);
    const struct lift_size_setting *settings;
    struct lift_diags diags = {0};
    int count;
    struct explore_problem *problem =
        lift_sizes_parse(s->arena, sizes, &settings, &count, &diags)
            ? explore_problem_load(&source, settings, count, &diags)
            : NULL;
    bool found = false, good = problem || sim_fail_diags(s, &diags);

    good = good && is_known(s, part, problem, &found);
    if (good && !found)
        good =
            (plan_may_fork(&s->error) && plan_explore(s->planner, &source, &options,
                                                      s->options.database, &s->error)) ||
            sim_fail(s, SIM_FAILED, "on '%s': %s", part->device, s->error.text);
    explore_problem_destroy(problem);
    lift_source_free(&source);
    return good;
}

/* Kernels of the inner planes, where they make all launches. */
static int64_t explored_length(const struct parts *parts, const struct part *part)
{
    return parts->overlaps && parts->every == 1 ? part->planes : part->length;
}

/* Before this process opens a device, after which it must not fork. Parts of the same
 * sizes on the same kind of device find what the first one explored. */
static bool explore_all(struct sim *s)
{
    bool good = true;

    for (int i = 0; good && i < s->parts->count; i++) {
        struct lift_str sizes = {0};

        parts_sizes(s->parts, explored_length(s->parts, &s->parts->part[i]), s->problem,
                    &sizes);
        good = explore(s, &s->parts->part[i], lift_str_get(&sizes));
        lift_str_fini(&sizes);
    }
    return good;
}

/* ---- plans */

/* Some planes of a part, from one of the grid on. */
struct range {
    int64_t begin, length;
};

static struct lift_plan *create(struct sim *s, const struct part *part,
                                struct range range)
{
    struct lift_source source = source_of(s);
    struct lift_str sizes = {0};
    struct lift_plan_options options = {.device = part->device, .effort = LIFT_ESTIMATE};
    struct lift_plan *plan;

    parts_sizes(s->parts, range.length, s->problem, &sizes);
    options.sizes = lift_str_get(&sizes);
    if (s->parts->cut.first)
        options.program = source.text;
    else
        options.file = s->options.file;
    if (options.file)
        options.precision = s->options.precision;
    plan = lift_plan_create(s->planner, &options, &s->error);
    lift_str_fini(&sizes);
    lift_source_free(&source);
    if (!plan)
        sim_fail(s, s->error.fault == LIFT_PLAN_PROGRAM ? SIM_USAGE : SIM_FAILED,
                 "on '%s': %s", part->device, s->error.text);
    return plan;
}

static bool make_plan(struct sim *s, const struct part *part, struct range range,
                      struct lift_plan **plan)
{
    const struct parts *parts = s->parts;
    int64_t place = (range.begin + parts->planes) % parts->planes;

    *plan = create(s, part, range);
    if (!*plan || !sim_set_params(s, *plan))
        return false;
    return !parts->cut.first ||
           lift_plan_set_param(*plan, parts->cut.first, (double)place, &s->error) ||
           sim_fail(s, SIM_FAILED, "%s", s->error.text);
}

/* ---- the exchange beside the computation */

/* Where it cannot be, that is an error if it was asked for, and else said. */
static bool no_overlap(struct sim *s, struct lift_str *why)
{
    bool good = s->options.overlap != SIM_OVERLAP_YES;

    overlap_drop(s->parts);
    if (good)
        lift_str_add(&s->parts->sequential, lift_str_get(why));
    else
        sim_fail(s, SIM_USAGE, "--overlap yes: %s", lift_str_get(why));
    lift_str_fini(why);
    return good;
}

static bool plan_overlap(struct sim *s)
{
    struct lift_str why = {0};

    if (s->options.overlap == SIM_OVERLAP_NO)
        return true;
    if (s->ranks)
        lift_str_add(&why, "messages of MPI go between two launches");
    return (!s->ranks &&
            overlap_plan(s->parts, s->options.overlap == SIM_OVERLAP_YES, &why)) ||
           no_overlap(s, &why);
}

/* At few planes there may be no kernel at all. */
static bool make_windows(struct sim *s)
{
    struct lift_str why = {0};
    bool good = true;

    for (int i = 0; good && s->parts->overlaps && i < s->parts->count; i++)
        for (int k = 0; good && k < OVERLAP_WINDOWS; k++) {
            const struct part *part = &s->parts->part[i];
            struct overlap_window *w = &part->overlap->window[k];

            good = !w->length ||
                   make_plan(s, part, (struct range){w->begin, w->length}, &w->plan);
        }
    if (!good) {
        lift_str_addf(&why, "no kernel of some planes: %s", lift_str_get(&s->result.why));
        lift_str_fini(&s->result.why);
        s->result.end = SIM_DONE;
        return no_overlap(s, &why);
    }
    return !s->parts->overlaps || overlap_fits(s->parts, &why) || no_overlap(s, &why);
}

static void describe(struct sim *s)
{
    struct sim_result *r = &s->result;
    int steps = s->problem->program->steps;

    parts_describe(s->parts);
    s->plan = parts_main_plan(&s->parts->part[s->ranks ? s->ranks->rank : 0]);
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

    if (lift_expr_mentions(s->problem->root, LIFT_INJECT))
        return sim_fail(s, SIM_USAGE,
                        "--devices: '%s' adds values at points off the grid ('inject'), "
                        "which one device does",
                        s->problem->name);
    s->parts = parts_create(&s->source, s->options.devices, s->problem, every, &why);
    if (!s->parts)
        return sim_fail_why(s, SIM_USAGE, NULL, &why);
    s->parts->ranks = s->ranks;
    s->parts->patience = s->options.exchange_seconds;
    s->parts->at_once = s->problem->program->steps > 1 ? s->problem->program->steps : 1;
    good = plan_overlap(s) && (s->ranks || probe_all(s));
    sim_lap(s, SIM_SETUP);
    s->planner = good ? lift_planner_create(&where, &s->error) : NULL;
    if (good && !s->planner)
        good = sim_fail(s, SIM_FAILED, "%s", s->error.text);
    good = good && (s->options.plan_seconds <= 0 || explore_all(s));
    for (int i = 0; good && i < s->parts->count; i++)
        good =
            !parts_here(s->parts, i) ||
            make_plan(s, &s->parts->part[i],
                      (struct range){s->parts->part[i].begin, s->parts->part[i].length},
                      &s->parts->part[i].plan);
    if (good)
        s->parts->near = parts_are_near(s->parts);
    good = good && make_windows(s);
    if (good)
        describe(s);
    sim_lap(s, SIM_COMPILE);
    return good;
}
