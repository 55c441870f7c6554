/* Selects the best kernel of the database for a simulation, also of several steps a
 * launch.
 */
#include "run/depth.h"
#include "run/ranks/simulation_ranks.h"
#include "tuner/db_query.h"
#include <string.h>
#include <unistd.h>

/* Snapshots and checkpoints need the state between launches. */
static bool divides(const struct sim *s, int at_once)
{
    const struct sim_options *o = &s->options;

    if (o->record_count && at_once > sim_launch_steps(s))
        return false;
    for (int i = 0; i < o->snapshot_count; i++)
        if (o->snapshots[i].every % at_once)
            return false;
    return at_once <= o->steps && o->checkpoint_every % at_once == 0;
}

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

/* Returns the number of steps a launch that minimises the time of the run. If the
 * database has no kernel of single steps, remaining steps count at the kernel's own
 * speed. */
int sim_best_steps(const struct sim_found *f)
{
    struct depth_speeds speeds = {{0}};

    for (int n = 1; n <= LIFT_MAX_STEPS; n++)
        if (divides(f->s, n))
            speeds.gpts[n] = f->gpts[n];
    return depth_fastest(&speeds)
               ? depth_split(&speeds, f->s->options.steps).part[0].at_once
               : 0;
}

static struct lift_plan *create(struct sim *s, const char *sizes, int at_once)
{
    const struct lift_plan_options options = {.file = s->options.file,
                                              .precision = s->options.precision,
                                              .sizes = *sizes ? sizes : NULL,
                                              .device = s->parts->own->device,
                                              .steps = at_once > 1 ? at_once : 0};

    return lift_plan_create(s->planner, &options, &s->result.error);
}

/* Uses a stored kernel of several steps if it can be built here; otherwise makes a plan
 * of one step a launch. */
bool sim_make_plan(struct sim *s, int at_once)
{
    bool several = at_once > 1 && at_once != s->problem->program->steps;
    struct lift_plan **plan = &s->parts->own->plan;
    LIFT_SCOPED(lift_str) sizes = {0};

    parts_sizes(s->parts, &(struct parts_range){.open = 0}, &sizes);
    *plan = several ? create(s, lift_str_get(&sizes), at_once) : NULL;
    if (!*plan || strcmp((*plan)->facts.chosen, "exact") != 0) {
        lift_plan_destroy(*plan);
        *plan = create(s, lift_str_get(&sizes), 1);
    }
    if (!*plan)
        return sim_fail_by_code(s);
    lift_device_pin((*plan)->device);
    return true;
}

static struct lift_hash hash_kernel(struct lift_hash hash, const struct lift_plan *plan)
{
    hash = lift_hash_combine(hash, lift_hash_text(plan->facts.source));
    return lift_hash_combine(hash, lift_hash_text(plan->facts.flags));
}

static struct lift_hash own_kernel(const struct sim *s)
{
    struct lift_hash hash = hash_kernel(lift_hash_text(s->plan->facts.device), s->plan);

    for (int i = 1; i < s->parts->own_count; i++)
        hash = hash_kernel(hash, parts_main_plan(&s->parts->own[i]));
    return s->plan->single ? hash_kernel(hash, s->plan->single) : hash;
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
