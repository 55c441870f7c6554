/* The kernels of a simulation: the best that the database has, also of several steps. */
#include "run/depth.h"
#include "run/ranks/simulation_ranks.h"
#include "tuner/db_query.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* What the database has for this problem on this device. */
struct found {
    struct sim *s;
    struct lift_hash device;
    double gpts[LIFT_MAX_STEPS + 1]; /* by the number of steps at once; 0: none */
};

/* Snapshots and checkpoints come between launches. */
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

/* Whether a program of the database is this one, so many steps at once. */
static bool is_program(const struct sim *s, int at_once, struct lift_hash id)
{
    if (at_once == s->problem->program->steps || at_once == 1)
        return lift_hash_equal(lift_program_id(s->problem->program), id);
    return depth_is_of(&s->source, at_once, id);
}

static bool look(void *user, const struct lift_db_best *row)
{
    struct found *f = user;
    struct sim *s = f->s;

    if (!lift_hash_equal(row->device_id, f->device))
        return true;
    if (row->gbs > 0 && row->roof > 0)
        s->copy_gbs = row->gbs / row->roof;
    if (!strcmp(row->program, s->problem->name) &&
        !strcmp(row->sizes, s->problem->sizes_json) && row->steps >= 1 &&
        row->steps <= LIFT_MAX_STEPS && divides(s, row->steps) &&
        is_program(s, row->steps, row->program_id))
        f->gpts[row->steps] = row->gpts;
    return true;
}

/* That with which the run takes least time; where no single step was explored, which is
 * as fast as what is chosen then, the fastest. */
static int best_of(const struct found *f)
{
    double least = INFINITY;
    int best = 0;

    for (int n = 1; n <= LIFT_MAX_STEPS; n++) {
        double single = f->gpts[1] > 0 ? f->gpts[1] : f->gpts[n];
        double seconds = depth_run_seconds(f->s->options.steps, n, f->gpts[n], single);

        if (seconds < least) {
            least = seconds;
            best = n;
        }
    }
    return best;
}

bool sim_each_best(struct sim *s, lift_db_best_row *visit, void *user)
{
    struct lift_db *db =
        lift_db_open(s->options.database, LIFT_DB_READ, &s->result.error);
    bool good =
        db && lift_db_best(db, &(struct lift_db_filter){.program = NULL}, visit, user);

    if (db && !good)
        lift_fail(&s->result.error, LIFT_ERROR_DATABASE, "%s", lift_db_error(db));
    if (db)
        lift_db_close(db);
    if (!good)
        return sim_fail_as(s, SIM_FAILED, NULL);
    return true;
}

static bool create(struct sim *s, const char *sizes, int at_once, bool explore)
{
    const struct lift_plan_options options = {.file = s->options.file,
                                              .precision = s->options.precision,
                                              .sizes = *sizes ? sizes : NULL,
                                              .device = s->options.device,
                                              .effort =
                                                  explore ? LIFT_PATIENT : LIFT_ESTIMATE,
                                              .seconds = s->options.plan_seconds,
                                              .steps = at_once > 1 ? at_once : 0};

    s->plan = lift_plan_create(s->planner, &options, &s->result.error);
    return s->plan || sim_fail_as(s,
                                  s->result.error.code == LIFT_ERROR_PROGRAM ? SIM_USAGE
                                                                             : SIM_FAILED,
                                  NULL);
}

/* What was timed counts only if it can be made here: else one step at a time. */
static bool create_best(struct sim *s, const char *sizes, int at_once)
{
    bool several = at_once > 1 && at_once != s->problem->program->steps;

    if (several && create(s, sizes, at_once, false) &&
        !strcmp(s->plan->facts.chosen, "exact"))
        return true;
    lift_plan_destroy(s->plan);
    return create(s, sizes, 1, at_once == 0 && s->options.plan_seconds > 0);
}

bool sim_set_params(struct sim *s, struct lift_plan *plan)
{
    for (int i = 0; i < s->options.in_count; i++) {
        const struct sim_value *v = &s->values[i];

        for (int k = 0; k < s->problem->param_count; k++)
            if (!strcmp(s->problem->params[k]->u.name, v->word->name) &&
                !lift_plan_set_param(plan, v->word->name, v->number, &s->result.error))
                return sim_fail_as(s, SIM_USAGE, NULL);
    }
    return true;
}

static void describe(struct sim *s)
{
    const struct explore_problem *p = s->plan->chosen->problem;
    struct sim_result *r = &s->result;

    r->program = s->plan->facts.program;
    r->sizes = s->plan->facts.sizes;
    r->dtype = p->dtype;
    r->device = s->plan->facts.device;
    r->chosen = s->plan->facts.chosen;
    r->kernel = s->plan->facts.why;
    r->at_once = p->program->steps > 1 ? p->program->steps : 1;
}

bool sim_make_plan(struct sim *s)
{
    const struct lift_planner_options where = {.database = s->options.database,
                                               .create = s->options.plan_seconds > 0};
    LIFT_SCOPED(lift_str) sizes = {0};
    int at_once = 0;
    bool good;

    if (s->options.devices)
        return sim_make_parts(s);
    good = lift_explore_device(s->options.device, false, &s->probed,
                               &s->result.error.text) ||
           sim_fail_as(s, SIM_FAILED, NULL);
    if (good && s->options.database &&
        (!where.create || access(s->options.database, F_OK) == 0)) {
        struct found f = {.s = s, .device = lift_device_hash(&s->probed.info)};

        good = sim_each_best(s, look, &f);
        at_once = best_of(&f);
    }
    sim_lap(s, SIM_SETUP);
    s->planner = good ? lift_planner_create(&where, &s->result.error) : NULL;
    if (good && !s->planner)
        good = sim_fail_as(s, SIM_FAILED, NULL);
    for (int i = 0; i < s->problem->sizes.count; i++)
        lift_str_addf(&sizes, "%s%s=%lld", i ? "," : "", s->problem->sizes.names[i],
                      (long long)s->problem->sizes.values[i]);
    good = good && create_best(s, lift_str_get(&sizes), at_once) &&
           sim_set_params(s, s->plan);
    if (good)
        describe(s);
    sim_lap(s, SIM_COMPILE);
    return good;
}

static struct lift_hash hash_kernel(struct lift_hash hash, const struct lift_plan *plan)
{
    hash = lift_hash_combine(hash, lift_hash_text(plan->facts.source));
    return lift_hash_combine(hash, lift_hash_text(plan->facts.flags));
}

static struct lift_hash own_kernel(const struct sim *s)
{
    struct lift_hash hash = hash_kernel(lift_hash_text(s->plan->facts.device), s->plan);

    for (int i = 1; s->parts && i < s->parts->own_count; i++)
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
