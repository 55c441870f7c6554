/* Candidates that are built, and run at small sizes at most: drawn at random, each
 * expression once before any comes again. What is drawn does not hang on who is ready
 * first, and an expression is drawn by its hash, so that devices that have it in common
 * draw the same. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "explore/candidate.h"
#include "explore/session/session.h"
#include <stdlib.h>
#include <string.h>

struct job {
    struct device_session *device_session;
    struct trial_request asked;
    struct trial_reply made;
    char *log; /* NULL until it is done */
};

struct builds {
    struct session s;
    enum lift_explore_builds what;
    lift_explore_build_row *row;
    void *user;
    struct job *jobs;
    int count, next, told;
    struct crew {
        struct lift_worker *worker;
        struct job *job;                   /* in hand; or NULL */
        const struct device_session *last; /* whose candidate was the last one */
    } * crew;
    int crew_count;
};

/* ---- what is to be built */

/* A candidate space's place in the order of drawing. */
struct lot {
    uint64_t number;
    int candidates;
};

static int by_number(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;

    return x->number == y->number  ? x->candidates - y->candidates
           : x->number < y->number ? -1
                                   : 1;
}

static struct lot *shuffled(const struct device_session *l, uint64_t seed)
{
    struct lot *lots = lift_alloc((size_t)l->space_count, sizeof *lots);

    for (int i = 0; i < l->space_count; i++) {
        struct lift_hash hash = l->spaces[i].term->hash;

        lots[i] = (struct lot){lift_hash_bytes(&hash, sizeof hash, seed).lo, i};
    }
    qsort(lots, (size_t)l->space_count, sizeof *lots, by_number);
    return lots;
}

static void draw(struct builds *b, struct device_session *l, int count)
{
    struct lot *lots = shuffled(l, b->s.options->seed);
    struct lift_rng rng;

    for (int i = 0; i < count; i++) {
        struct job *job = &b->jobs[b->count++];
        const struct lot *lot = &lots[i % l->space_count];
        bool found;

        *job = (struct job){.device_session = l};
        job->asked = (struct trial_request){
            .device_session = (int)(l - b->s.device_sessions),
            .parts = b->what == LIFT_BUILDS_CHECK ? TRIAL_SMALL : TRIAL_FULL,
            .candidates = lot->candidates};
        lift_rng_seed(&rng, lot->number + (uint64_t)(i / l->space_count));
        found =
            lift_space_sample(l->spaces[lot->candidates].space, &rng, job->asked.point);
        LIFT_ASSERT(found);
    }
    free(lots);
}

static bool can_serve(struct builds *b, const struct device_session *l)
{
    if (b->what == LIFT_BUILDS_CHECK && l->device.info.builds_only)
        return session_fail(&b->s,
                            "'%s' is an architecture, not a device: kernels can be "
                            "built for it, but not run",
                            l->result->name);
    return true;
}

static bool can_be_built(struct session *s, enum lift_explore_builds what,
                         struct lift_error *errors)
{
    if (what != LIFT_BUILDS_ONLY)
        return session_ready(s, errors);
    if (explore_problem_sound(s->problem, s->options->source, errors))
        return true;
    s->result->end = LIFT_EXPLORE_BAD_PROGRAM;
    return false;
}

static bool prepare(struct builds *b, int count, struct lift_error *errors)
{
    struct session *s = &b->s;

    if (!session_open(s, errors) || !can_be_built(s, b->what, errors))
        return false;
    b->jobs =
        lift_alloc((size_t)count * (size_t)s->device_session_count, sizeof *b->jobs);
    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];

        if (!device_session_derive(l))
            return false;
        if (!can_serve(b, l))
            return false;
        s->benches[i] = (struct explore_bench){.problem = s->problem,
                                               .device = l->result->name,
                                               .info = &l->device.info,
                                               .spaces = l->spaces,
                                               .seed = s->options->seed};
        draw(b, l, count);
    }
    return true;
}

/* ---- building */

/* Builders go on meanwhile. */
static void run_small(const struct builds *b, struct job *job,
                      const struct lift_str *built)
{
    struct device_session *l = job->device_session;
    LIFT_SCOPED(lift_str) reply = {0};
    double compile_s = job->made.compile_s;

    if (!l->runner)
        l->runner = lift_worker_create(explore_run_serve,
                                       &b->s.benches[l - b->s.device_sessions]);
    explore_trial_run(l->runner, &job->asked, built, explore_run_seconds(b->s.problem),
                      &reply, &job->made);
    job->made.compile_s = compile_s;
}

static void step(struct builds *b, struct crew *c)
{
    LIFT_SCOPED(lift_str) reply = {0};
    struct lift_worker_result result;

    if (c->job && lift_worker_step(c->worker, &reply, &result)) {
        bool good = trial_read(result, TRIAL_BUILDS, &reply, &c->job->made);

        c->job->log = lift_strdup(trial_log(&c->job->made, &reply));
        if (good && b->what == LIFT_BUILDS_CHECK)
            run_small(b, c->job, &reply);
        c->job = NULL;
    }
    if (!c->job && b->next < b->count) {
        c->job = &b->jobs[b->next++];
        pool_turn_to(c->worker, c->last, c->job->device_session);
        c->last = c->job->device_session;
        lift_worker_begin(c->worker, &c->job->asked, sizeof c->job->asked,
                          explore_build_seconds());
    }
}

static void wait_for(const struct builds *b)
{
    struct lift_worker *workers[JOBS];

    for (int i = 0; i < b->crew_count; i++)
        workers[i] = b->crew[i].worker;
    lift_worker_wait_any(workers, b->crew_count, 1000);
}

/* ---- what came of it */

static void tell(struct builds *b, const struct job *job)
{
    const struct device_session *l = job->device_session;
    const struct candidate_recipe recipe = {.problem = b->s.problem,
                                            .device = &l->device.info,
                                            .candidates =
                                                &l->spaces[job->asked.candidates],
                                            .point = job->asked.point};
    char *tunables = lift_space_json(recipe.candidates->space, recipe.point);
    LIFT_SCOPED(lift_str) steps = {0};
    struct lift_explore_build row = {.device = l->result->name,
                                     .expr = recipe.candidates->term->hash,
                                     .tunables = tunables,
                                     .status = job->made.status,
                                     .reason = job->made.reason,
                                     .log = job->log,
                                     .recipe = &recipe,
                                     .resources = job->made.resources,
                                     .seconds = job->made.compile_s};

    device_session_print_point(l, job->asked.candidates, &steps);
    row.steps = lift_str_get(&steps);
    b->row(b->user, &row);
    free(tunables);
}

static void build(struct builds *b)
{
    b->crew_count = session_jobs(b->s.options);
    b->crew = lift_alloc((size_t)b->crew_count, sizeof *b->crew);
    for (int i = 0; i < b->crew_count; i++)
        b->crew[i].worker = lift_worker_create(explore_build_serve, b->s.benches);
    while (b->told < b->count) {
        for (int i = 0; i < b->crew_count; i++)
            step(b, &b->crew[i]);
        for (; b->told < b->count && b->jobs[b->told].log; b->told++) {
            tell(b, &b->jobs[b->told]);
            free(b->jobs[b->told].log);
            b->jobs[b->told].log = NULL;
        }
        if (b->told < b->count)
            wait_for(b);
    }
    for (int i = 0; i < b->crew_count; i++)
        lift_worker_stop(b->crew[i].worker);
    free(b->crew);
}

struct lift_explore_result lift_explore_builds(const struct lift_explore_options *options,
                                               int count, enum lift_explore_builds what,
                                               struct lift_error *errors,
                                               lift_explore_build_row *row, void *user)
{
    struct lift_explore_result result = {.end = LIFT_EXPLORE_EXHAUSTED};
    struct builds b = {
        .s = {.options = options, .result = &result, .started = lift_seconds()},
        .what = what,
        .row = row,
        .user = user};

    if (prepare(&b, count, errors))
        build(&b);
    free(b.jobs);
    session_sum(&b.s);
    session_close(&b.s);
    return result;
}
