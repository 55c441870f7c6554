/* Selects the kernels of a simulation, which may compute several time steps a launch. */
#include "run/ranks/simulation_ranks.h"
#include "tuner/db_query.h"
#include <string.h>
#include <unistd.h>

/* Returns true if a program of the database is the problem's, with 'at_once' steps a
 * launch.
 */
static bool is_program(const struct sim_found *f, int at_once, struct lift_hash id)
{
    const struct lift_program *p = f->problem->program;

    if (at_once == p->steps || at_once == 1)
        return lift_hash_equal(lift_program_id(p), id);
    return depth_is_of(&(struct depth_ids){.source = &f->s->source}, at_once, id);
}

static bool look(void *user, const struct lift_db_best *row)
{
    struct sim_found *f = user;

    if (!lift_hash_equal(row->device_id, f->device))
        return true;
    if (row->gbs > 0 && row->copy_share > 0)
        f->s->copy_gbs = row->gbs / row->copy_share;
    f->s->in_cache = row->in_cache;
    if (!strcmp(row->program, f->problem->name) &&
        !strcmp(row->sizes, f->problem->sizes_json) && row->steps >= 1 &&
        row->steps <= LIFT_MAX_STEPS && is_program(f, row->steps, row->program_id))
        f->gpts[row->steps] = row->gpts;
    return true;
}

bool sim_find(struct sim_found *f)
{
    struct sim *s = f->s;
    struct lift_error *error = &s->result.error;
    const char *path = s->options.database;
    struct lift_db *db = NULL;
    bool good = true;

    if (path && access(path, F_OK) == 0) {
        db = lift_db_open(path, LIFT_DB_READ, error);
        good = db && lift_db_best(db, &(struct lift_db_filter){.program = NULL}, look, f);
    }
    if (db && !good)
        lift_fail(error, LIFT_ERROR_DATABASE, "%s", lift_db_error(db));
    if (db)
        lift_db_close(db);
    return good || sim_fail_as(s, SIM_FAILED, NULL);
}

enum { STOPS = 4096 };

int sim_list_runs(const struct sim *s, struct depth_run out[SIM_RUNS])
{
    int64_t step = s->step, stop;
    int count = 0, k;

    for (int n = 0; n < STOPS && step < s->options.steps; n++, step = stop) {
        stop = sim_next_stop(s, step);
        for (k = 0; k < count && out[k].steps != stop - step;)
            k++;
        if (k == count && count < SIM_RUNS)
            out[count++] = (struct depth_run){stop - step, 0};
        if (k < count)
            out[k].times++;
    }
    return count;
}

/* Returns the plan that computes the most steps of these runs. */
static struct lift_plan *main_plan(struct lift_plan *plan, const struct depth_run *runs,
                                   int count)
{
    double steps[LIFT_MAX_STEPS + 1] = {0};
    int most = 1;

    for (int i = 0; i < count; i++) {
        const struct depth_split split = depth_split(&plan->speeds, runs[i].steps, 0);

        for (int k = 0; k < split.count; k++) {
            const struct depth_part *p = &split.part[k];

            steps[p->at_once] += runs[i].times * (double)(p->launches * p->at_once);
            if (steps[p->at_once] > steps[most])
                most = p->at_once;
        }
    }
    return plan_at(plan, most);
}

/* Explains why the kernel with the least time a step is not in use. */
static void explain(struct sim *s, const struct lift_plan *root)
{
    const struct sim_options *o = &s->options;
    int fastest = depth_fastest(&root->known);
    double used = root->known.gpts[plan_launch_steps(s->plan->chosen->problem)];
    bool stops = o->snapshot_count || o->checkpoint_every || o->check_every > 0;
    LIFT_SCOPED(lift_str) gain = {0};

    s->result.unused = root->dropped;
    if (fastest < 2 || plan_at(s->parts->own->plan, fastest) == s->plan ||
        root->known.gpts[fastest] <= used)
        return;
    if (used > 0)
        lift_str_addf(&gain, "%.2f times as fast", root->known.gpts[fastest] / used);
    else
        lift_str_add(&gain, "known");
    s->result.unused = lift_arena_printf(
        s->arena, "a kernel of %d time steps a launch is %s, but %s", fastest,
        lift_str_get(&gain),
        o->record_count ? "--record takes the state after each step"
        : stops ? "--snapshot, --checkpoint-every or --check-finite takes the state at "
                  "other steps"
                : "the run is too short");
}

bool sim_make_plan(struct sim *s)
{
    struct depth_run runs[SIM_RUNS];
    const struct plan_wanted wanted = {.runs = runs, .run_count = sim_list_runs(s, runs)};
    LIFT_SCOPED(lift_str) sizes = {0};
    struct lift_plan_options options = {.file = s->options.file,
                                        .precision = s->options.precision,
                                        .device = s->parts->own->device};
    struct lift_plan *plan;

    parts_sizes(s->parts, &(struct parts_range){.open = 0}, &sizes);
    options.sizes = sizes.len ? lift_str_get(&sizes) : NULL;
    plan = plan_create_like(s->planner, &options, &wanted, &s->result.error);
    if (!plan)
        return sim_fail_by_code(s);
    s->parts->own->plan = plan;
    lift_device_pin(plan->device);
    if (plan_launch_steps(plan->chosen->problem) == 1) {
        s->plan = main_plan(plan, runs, wanted.run_count);
        explain(s, plan);
    }
    return true;
}

static struct lift_hash hash_kernel(struct lift_hash hash, const struct lift_plan *plan)
{
    hash = lift_hash_combine(hash, lift_hash_text(plan->facts.source));
    return lift_hash_combine(hash, lift_hash_text(plan->facts.flags));
}

static struct lift_hash own_kernel(const struct sim *s)
{
    const struct lift_plan *root = parts_main_plan(s->parts->own);
    struct lift_hash hash = hash_kernel(lift_hash_text(root->facts.device), root);

    for (int i = 1; i < s->parts->own_count; i++)
        hash = hash_kernel(hash, parts_main_plan(&s->parts->own[i]));
    for (int i = 0; i < s->parts->own_count; i++) {
        const struct lift_plan *plan = s->parts->own[i].plan;

        for (int k = 0; k < plan->other_count; k++)
            hash = hash_kernel(hash, plan->others[k]);
    }
    return hash;
}

bool sim_kernel(struct sim *s, struct lift_hash *out)
{
    struct lift_hash own = own_kernel(s);

    if (!sim_tell(s, &own, sizeof own))
        return false;
    memcpy(out, team_word(&s->team, 0), sizeof *out);
    for (int i = 1; i < s->team.to.size; i++) {
        memcpy(&own, team_word(&s->team, i), sizeof own);
        *out = lift_hash_combine(*out, own);
    }
    return true;
}
