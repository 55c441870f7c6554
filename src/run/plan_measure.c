/* Checks and times candidates in separate processes. */
#include "base/fail.h"
#include "explore/explore.h"
#include "explore/reference.h"
#include "ir/sizes.h"
#include "run/plan.h"
#include "run/plan_store.h"
#include <string.h>
#include <unistd.h>

enum { CANDIDATES = 5, SEED = 1 };

static const double patient_seconds = 60;

static const char *device_of(const struct plan_job *job)
{
    return job->options->device ? job->options->device : "host";
}

/* ---- MEASURE */

struct race {
    const struct chooser *chooser;
    struct chosen_candidate candidates[CANDIDATES];
    struct candidate_space spaces[CANDIDATES];
    struct plan_timed timed[CANDIDATES];
    int count;
    struct explore_bench bench;
    struct lift_worker *builder, *runner;
    int winner; /* -1: none */
    double seconds;
    char reason[TRIAL_REASON]; /* why the last failed candidate failed */
};

static bool enter(void *user, const struct chosen_candidate *candidate)
{
    struct race *r = user;

    r->spaces[r->count] = candidate->candidates;
    r->candidates[r->count] = *candidate;
    r->timed[r->count].candidate = &r->candidates[r->count];
    r->count++;
    return r->count < CANDIDATES;
}

static void run_candidate(struct race *r, int index)
{
    const struct explore_problem *p = r->chooser->problem;
    struct trial_request asked = {
        .parts = TRIAL_BOTH, .candidates = index, .best = r->seconds, .alone = true};
    double limit = explore_run_seconds(p), median;
    struct plan_timed *t = &r->timed[index];
    LIFT_SCOPED(lift_str) ran = {0};

    memcpy(asked.point, r->candidates[index].point, sizeof asked.point);
    if (explore_trial_build(r->builder, &asked, &t->built, &t->end))
        explore_trial_run(r->runner, &asked, &t->built, limit, &ran, &t->end);
    if (t->end.status == LIFT_TRIAL_OK) {
        median = trial_median(&t->end);
        if (r->winner < 0 || median < r->seconds) {
            r->winner = index;
            r->seconds = median;
        }
    } else if (t->end.status != LIFT_TRIAL_SLOW) {
        memcpy(r->reason, t->end.reason, sizeof r->reason);
    }
}

static bool make_reference(struct race *r, const char *device, struct lift_str *why)
{
    const struct chooser *c = r->chooser;
    const struct explore_problem *p = c->problem;

    r->bench = (struct explore_bench){.problem = p,
                                      .device = device,
                                      .info = c->device,
                                      .spaces = r->spaces,
                                      .seed = SEED};
    return explore_reference_lower(&r->bench, c->rules, why);
}

static void run_all(struct race *r)
{
    r->builder = lift_worker_create(explore_build_serve, &r->bench);
    r->runner = lift_worker_create(explore_run_serve, &r->bench);
    for (int i = 0; i < r->count; i++)
        run_candidate(r, i);
    lift_worker_stop(r->builder);
    lift_worker_stop(r->runner);
}

/* Checks and times the candidates, and stores correct ones. */
static bool run(struct race *r, const struct plan_job *job,
                const struct lift_explore_device *device, struct plan_measured *out,
                struct lift_error *error)
{
    const struct explore_problem *p = r->chooser->problem;
    const struct plan_store where = {job->database, device, job->rules};
    LIFT_SCOPED(lift_str) why = {0}, plain = {0};
    bool good;

    if (!chosen_each(r->chooser, enter, r, &plain))
        return lift_fail(error, LIFT_ERROR_DATABASE, "%s", lift_db_error(r->chooser->db));
    if (r->count == 0 && plain.len)
        snprintf(r->reason, sizeof r->reason, "%s", lift_str_get(&plain));
    good = make_reference(r, device_of(job), &why);
    if (good) {
        run_all(r);
        plan_store(&where, p, r->timed, r->count, &out->unkept);
    }
    for (int i = 0; i < r->count; i++)
        lift_str_fini(&r->timed[i].built);
    if (!good)
        return lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&why));
    if (r->winner < 0)
        return lift_fail(error, LIFT_ERROR_KERNEL,
                         "none of %d kernels of '%s' passed: %s", r->count, p->name,
                         r->reason);
    out->gpts = (double)p->points / r->seconds * 1e-9;
    out->kernel = plan_kernel_hash(&r->candidates[r->winner]);
    return true;
}

bool plan_measure(const struct plan_job *job, struct plan_measured *out,
                  struct lift_error *error)
{
    LIFT_SCOPED(lift_explore_device) device = {.texts = NULL};
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_db *db = NULL;
    struct lift_chosen *c = NULL;
    bool good = !job->database || access(job->database, F_OK) != 0 ||
                (db = lift_db_open(job->database, LIFT_DB_READ, error));

    if (good && !lift_explore_device(device_of(job), false, &device, &why))
        good = lift_fail(error, LIFT_ERROR_DEVICE, "%s", lift_str_get(&why));
    if (good)
        c = plan_open_choice(job, &device.info, db, error);
    if (c && explore_problem_ready(c->problem, &job->source, error)) {
        struct race r = {.chooser = &c->chooser, .winner = -1, .reason = "there is none"};

        good = run(&r, job, &device, out, error);
    } else {
        good = false;
    }
    lift_chosen_destroy(c);
    lift_db_close(db);
    return good;
}

struct lift_chosen *plan_open_choice(const struct plan_job *job,
                                     const struct lift_device_info *device,
                                     struct lift_db *db, struct lift_error *error)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_choose_options o = {
        .source = &job->source, .rules = job->rules, .db = db, .device = device};
    struct lift_chosen *c;

    if (job->options->sizes &&
        !lift_sizes_parse(arena, job->options->sizes, &o.sizes, &o.size_count, error))
        return NULL;
    c = chosen_open(&o, error);
    if (!c || plan_check_types(c->problem, job->options->types, error))
        return c;
    lift_chosen_destroy(c);
    return NULL;
}

/* ---- PATIENT */

bool plan_explore(const struct plan_job *job, struct lift_error *error)
{
    const char *device = device_of(job);
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    const double seconds = job->options->seconds;
    struct lift_explore_options o = {.source = &job->source,
                                     .rules = job->rules,
                                     .devices = &device,
                                     .device_count = 1,
                                     .db = job->database,
                                     .argv = "lift_plan_create",
                                     .seconds = seconds > 0 ? seconds : patient_seconds,
                                     .seed = SEED};
    struct lift_explore_result result;
    bool good;

    if (job->options->sizes &&
        !lift_sizes_parse(arena, job->options->sizes, &o.sizes, &o.size_count, error))
        return false;
    result = lift_explore(&o, error);
    good = result.end != LIFT_EXPLORE_BAD_PROGRAM &&
           (result.end != LIFT_EXPLORE_FAILED ||
            lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&result.error)));
    lift_explore_result_fini(&result);
    return good;
}
