#include "explore/final/finalist.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/stats.h"
#include "explore/session/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 16 };

int finalist_jobs(const struct session *s)
{
    int jobs = s->options->jobs > 0 ? s->options->jobs : lift_cores();

    return jobs < 1 ? 1 : jobs > MOST_JOBS ? MOST_JOBS : jobs;
}

/* ---- its row */

static int count_steps(const struct derivation *d, int node)
{
    int steps = 0;

    while (node != 0 && d->nodes[node].edges && steps < d->node_count) {
        const struct derive_edge *first = d->nodes[node].edges;

        while (first->next)
            first = first->next;
        node = first->parent;
        steps++;
    }
    return steps;
}

bool finalist_start(struct device_session *l, struct finalist *one)
{
    const struct derive_leaf *leaf = device_session_leaf(l, one->choice.expr);

    one->options = leaf->point;
    one->steps = count_steps(l->derivation, leaf->node);
    return record_leaf(&l->recorder, leaf) &&
           record_start(&l->recorder, &l->spaces[one->choice.expr], one->choice.values,
                        LIFT_TRY_PHASE_FINAL, &one->id);
}

/* Right in the search, and now not: it cannot be relied on. */
static enum lift_try_status final_status(enum lift_try_status status)
{
    switch (status) {
    case LIFT_TRY_WRONG:
    case LIFT_TRY_NONFINITE:
    case LIFT_TRY_OVERFLOW:
    case LIFT_TRY_CRASH:
    case LIFT_TRY_RUN_ERROR:
    case LIFT_TRY_RUN_TIMEOUT:
        return LIFT_TRY_NONDETERMINISTIC;
    default:
        return status;
    }
}

bool finalist_finish(struct device_session *l, struct finalist *one)
{
    struct lift_db_end end = {.status = one->alive && !one->count
                                            ? LIFT_TRY_LOST
                                            : final_status(one->end.status),
                              .reason = one->end.reason,
                              .checks = one->end.checks,
                              .check_count = one->end.check_count,
                              .samples = one->samples,
                              .sample_count = one->alive ? one->count : 0,
                              .clocks = one->clocks,
                              .compile_s = one->build.compile_s,
                              .check_s = one->end.check_s,
                              .measure_s = one->measure_s};

    return record_end(&l->recorder, one->id, &end, one->built.len ? &one->build : NULL,
                      one->built.len ? one->built.data + sizeof one->build : NULL);
}

static int keep_samples(const struct finalist *one, double kept[FINALIST_SAMPLES])
{
    int throttled[FINALIST_SAMPLES];

    for (int i = 0; i < one->count; i++)
        throttled[i] = one->clocks[i].throttled;
    return lift_stats_keep(one->samples, throttled, one->count, kept);
}

double finalist_median(const struct finalist *one)
{
    double kept[FINALIST_SAMPLES];

    return lift_median(kept, keep_samples(one, kept));
}

struct lift_interval finalist_interval(const struct finalist *one)
{
    const double confidence = 0.95;
    double kept[FINALIST_SAMPLES];

    return lift_median_interval(kept, keep_samples(one, kept), confidence);
}

static void settle(struct finalist *one, const int *states, int state)
{
    bool any = false;

    for (int i = 0; i < one->count; i++)
        any = any || (states[i] == state && one->held[i] <= 0);
    for (int i = 0; i < one->count; i++)
        one->clocks[i].throttled = any && states[i] != state ? 1 : one->held[i];
}

void finalist_settle(struct finalist *list, int count)
{
    int all = 0, at = 0, *states, most;
    struct lift_trip *trips;

    for (int i = 0; i < count; i++)
        all += list[i].count;
    trips = lift_alloc((size_t)all + 1, sizeof *trips);
    states = lift_resize(NULL, (size_t)all + 1, sizeof *states);
    for (int i = 0; i < count; at += list[i++].count)
        memcpy(trips + at, list[i].trips, (size_t)list[i].count * sizeof *trips);
    lift_states_find(trips, all, states);
    most = lift_states_most(states, all);
    at = 0;
    for (int i = 0; i < count; at += list[i++].count)
        settle(&list[i], states + at, most);
    free(states);
    free(trips);
}

/* ---- its binaries */

struct job {
    struct lift_worker *worker;
    struct finalist *one; /* NULL: it has nothing to do */
};

static void give(struct job *job, struct finalist *one, double seconds)
{
    struct trial_request asked = {
        .parts = TRIAL_BOTH, .candidates = one->choice.expr, .options = one->options};

    memcpy(asked.point, one->choice.values, sizeof asked.point);
    job->one = one;
    lift_worker_begin(job->worker, &asked, sizeof asked, seconds);
}

static void take(struct job *job)
{
    struct finalist *one = job->one;
    struct lift_worker_result result;

    if (!one || !lift_worker_step(job->worker, &one->built, &result))
        return;
    one->alive = trial_read(result, TRIAL_BUILDS, &one->built, &one->build);
    one->end = one->build;
    job->one = NULL;
}

/* Until one of them has something to say. */
static void wait_for(const struct job *jobs, int count)
{
    struct lift_worker *workers[MOST_JOBS];

    for (int i = 0; i < count; i++)
        workers[i] = jobs[i].worker;
    lift_worker_wait_any(workers, count, -1);
}

void finalist_build(struct device_session *l, struct finalist *list, int count)
{
    struct job jobs[MOST_JOBS] = {{NULL}};
    int job_count = finalist_jobs(l->session), given = 0, busy = 1;

    job_count = job_count < count ? job_count : count;
    for (int i = 0; i < job_count; i++)
        jobs[i].worker = lift_worker_create(explore_build_serve, &l->bench);
    while (busy) {
        busy = 0;
        for (int i = 0; i < job_count; i++) {
            take(&jobs[i]);
            while (given < count && built_binaries_take(&l->built, &list[given]))
                given++;
            if (!jobs[i].one && given < count)
                give(&jobs[i], &list[given++],
                     session_left(l->session, explore_build_seconds()));
            busy += jobs[i].one != NULL;
        }
        wait_for(jobs, job_count);
    }
    for (int i = 0; i < job_count; i++)
        lift_worker_stop(jobs[i].worker);
}

/* ---- its runs */

static void add_samples(struct finalist *one, const struct trial_reply *reply)
{
    for (int i = 0; i < reply->sample_count && one->count < FINALIST_SAMPLES; i++) {
        one->samples[one->count] = reply->samples[i];
        one->trips[one->count] = reply->trips[i];
        one->held[one->count] = reply->clocks[i].throttled;
        one->clocks[one->count++] = reply->clocks[i];
    }
    one->measure_s += reply->measure_s;
}

static void take_answer(struct finalist *one, enum trial_task step,
                        const struct trial_reply *got)
{
    if (step == TRIAL_LOAD || got->status != LIFT_TRY_OK) {
        enum lift_try_status status = got->status;

        if (step == TRIAL_TIME) {
            one->end.status = status;
            memcpy(one->end.reason, got->reason, sizeof got->reason);
        } else {
            one->end = *got;
        }
        one->alive = status == LIFT_TRY_OK;
    } else {
        add_samples(one, got);
    }
}

/* It had less time than a kernel may take: that says nothing of it. */
static void note_late(const struct session *s, struct trial_reply *got)
{
    if (got->status != LIFT_TRY_RUN_TIMEOUT || !session_is_late(s))
        return;
    got->status = LIFT_TRY_LOST;
    snprintf(got->reason, sizeof got->reason, "the time was over");
}

void finalist_ask(const struct session *s, struct lift_worker *runner,
                  enum trial_task step, int slot, struct finalist *one)
{
    struct trial_request asked = {.task = step,
                                  .parts = TRIAL_BOTH,
                                  .slot = slot,
                                  .samples = one->naive ? 1 : FINAL_SAMPLES,
                                  .best = one->seconds};
    LIFT_SCOPED(lift_str) data = {0}, reply = {0};
    struct lift_worker_result result;
    struct trial_reply got;
    size_t binaries = 0;

    if (step == TRIAL_LOAD) {
        asked.job_size = one->build.job_size;
        asked.full_size = one->build.full_size;
        asked.small_size = one->build.small_size;
        binaries = one->build.full_size + one->build.small_size;
    }
    lift_str_addn(&data, (const char *)&asked, sizeof asked);
    lift_str_addn(&data, one->built.data + sizeof one->build, asked.job_size);
    lift_str_addn(&data, one->built.data + one->built.len - binaries, binaries);
    result = lift_worker_call(runner, data.data, data.len,
                              session_left(s, explore_run_seconds(s->problem)), &reply);
    trial_read(result, TRIAL_RUNS, &reply, &got);
    note_late(s, &got);
    take_answer(one, step, &got);
}
