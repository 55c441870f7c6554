/* Candidates that are checked and timed in processes of their own. */
#include "base/fail.h"
#include "base/parallel.h"
#include "explore/explore.h"
#include "explore/reference.h"
#include "ir/sizes.h"
#include "run/plan.h"
#include <string.h>

enum { CANDIDATES = 5, SEED = 1 };

static const double patient_seconds = 60;

bool plan_may_fork(struct lift_error *error)
{
    int threads = lift_threads();

    return threads <= 1 ||
           lift_fail(error, LIFT_ERROR_ARGUMENT,
                     "the process has %d threads, and MEASURE and PATIENT have to fork: "
                     "make such plans before threads are started and plans are executed, "
                     "or take ESTIMATE",
                     threads);
}

/* ---- MEASURE */

struct race {
    struct lift_chosen *chosen;
    struct chosen_candidate candidates[CANDIDATES];
    struct candidate_space spaces[CANDIDATES];
    struct plan_timed timed[CANDIDATES];
    int count;
    struct explore_bench bench;
    struct lift_worker *builder, *runner;
    int winner; /* -1: none */
    double seconds;
    char reason[TRIAL_REASON]; /* of the last that failed */
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
    const struct explore_problem *p = r->chosen->problem;
    struct trial_request asked = {
        .parts = TRIAL_BOTH, .candidates = index, .best = r->seconds, .alone = true};
    double limit = explore_run_seconds(p), median;
    struct plan_timed *t = &r->timed[index];
    LIFT_SCOPED(lift_str) ran = {0};

    memcpy(asked.point, r->candidates[index].point, sizeof asked.point);
    if (explore_trial_build(r->builder, &asked, &t->built, &t->end))
        explore_trial_run(r->runner, &asked, &t->built, limit, &ran, &t->end);
    if (t->end.status == LIFT_TRY_OK) {
        median = trial_median(&t->end);
        if (r->winner < 0 || median < r->seconds) {
            r->winner = index;
            r->seconds = median;
        }
    } else if (t->end.status != LIFT_TRY_SLOW) {
        memcpy(r->reason, t->end.reason, sizeof r->reason);
    }
}

static bool make_reference(struct race *r, const char *device, struct lift_str *why)
{
    const struct chooser *c = &r->chosen->chooser;
    const struct explore_problem *p = c->problem;

    r->bench = (struct explore_bench){.problem = p,
                                      .device = device,
                                      .info = c->device,
                                      .spaces = r->spaces,
                                      .seed = SEED};
    return explore_reference_plain(&r->bench, c->rules, 1, why);
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

static bool take_winner(struct race *r, struct lift_str *why)
{
    if (r->winner >= 0)
        return chosen_take(r->chosen, &r->candidates[r->winner], why);
    return LIFT_FAIL(why, "none of %d kernels of '%s' passed: %s", r->count,
                     r->chosen->problem->name, r->reason);
}

bool plan_measure(struct lift_chosen *c, const char *device,
                  const struct plan_store *where, double *gpts, struct lift_str *unkept,
                  struct lift_error *error)
{
    struct race r = {.chosen = c, .winner = -1, .reason = "there is none"};
    LIFT_SCOPED(lift_str) why = {0}, plain = {0};
    bool good = chosen_each(&c->chooser, enter, &r, &plain);

    if (r.count == 0 && plain.len)
        snprintf(r.reason, sizeof r.reason, "%s", lift_str_get(&plain));
    if (!good)
        return lift_fail(error, LIFT_ERROR_DATABASE, "%s", lift_db_error(c->chooser.db));
    good = make_reference(&r, device, &why);
    if (good) {
        run_all(&r);
        plan_store(where, c->problem, r.timed, r.count, unkept);
    }
    good = good && take_winner(&r, &why);
    if (good)
        *gpts = (double)c->problem->points / r.seconds * 1e-9;
    else
        lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&why));
    if (r.bench.problem)
        explore_reference_free(&r.bench);
    for (int i = 0; i < r.count; i++)
        lift_str_fini(&r.timed[i].built);
    return good;
}

/* ---- PATIENT */

bool plan_explore(const struct lift_planner *planner, const struct lift_source *source,
                  const struct lift_plan_options *options, const char *path,
                  struct lift_error *error)
{
    const char *device = options->device ? options->device : "host";
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_explore_options o = {.source = source,
                                     .rules = planner->rules,
                                     .devices = &device,
                                     .device_count = 1,
                                     .db = path,
                                     .argv = "lift_plan_create",
                                     .seconds = options->seconds > 0 ? options->seconds
                                                                     : patient_seconds,
                                     .seed = SEED};
    struct lift_explore_result result;
    bool good;

    if (options->sizes)
        lift_sizes_parse(arena, options->sizes, &o.sizes, &o.size_count, error);
    result = lift_explore(&o, error);
    good = result.end != LIFT_EXPLORE_BAD_PROGRAM &&
           (result.end != LIFT_EXPLORE_FAILED ||
            lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&result.error)));
    lift_explore_result_fini(&result);
    return good;
}
