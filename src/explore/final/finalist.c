#include "explore/final/finalist.h"
#include "base/memory.h"
#include "base/stats.h"
#include "explore/session/session.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool finalist_is_well(const struct finalist *one)
{
    return one->attempt->stage == ATTEMPT_READY;
}

/* ---- database row */

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
    int expr = one->attempt->choice.expr;

    one->depth = l->depth_of[expr];
    one->time_steps = device_session_steps(l, expr);
    one->steps =
        count_steps(l->depths[one->depth].derivation, device_session_leaf(l, expr)->node);
    return attempt_start(l, one->attempt);
}

/* A failure after a success in the search makes the kernel unreliable. */
static enum lift_trial_status final_status(enum lift_trial_status status)
{
    switch (status) {
    case LIFT_TRIAL_WRONG:
    case LIFT_TRIAL_NONFINITE:
    case LIFT_TRIAL_OVERFLOW:
    case LIFT_TRIAL_CRASH:
    case LIFT_TRIAL_RUN_ERROR:
    case LIFT_TRIAL_RUN_TIMEOUT:
        return LIFT_TRIAL_NONDETERMINISTIC;
    default:
        return status;
    }
}

static int keep_samples(const struct finalist *one, double kept[FINALIST_SAMPLES])
{
    int throttled[FINALIST_SAMPLES];

    for (int i = 0; i < one->count; i++)
        throttled[i] = one->clocks[i].throttled;
    return lift_stats_keep(one->samples, throttled, one->count, kept);
}

bool finalist_finish(struct device_session *l, struct finalist *one)
{
    const struct attempt *a = one->attempt;
    bool well = finalist_is_well(one);
    struct lift_db_end end = {.status = well && !one->count ? LIFT_TRIAL_LOST
                                                            : final_status(a->end.status),
                              .reason = a->end.reason,
                              .checks = a->end.checks,
                              .check_count = a->end.check_count,
                              .samples = one->samples,
                              .sample_count = well ? one->count : 0,
                              .clocks = one->clocks,
                              .compile_s = a->built.reply.compile_s,
                              .check_s = a->end.check_s,
                              .measure_s = one->measure_s};
    double kept[FINALIST_SAMPLES];
    int count = keep_samples(one, kept);

    interference_add(&l->interference, &one->load, one->clocks, one->count);
    for (int i = 0; i < count; i++)
        kept[i] /= one->time_steps;
    if (well)
        interference_take_finalist(&l->interference, kept, count);
    return record_end(&l->depths[one->depth].recorder, a->id, &end,
                      a->built.texts.len ? &a->built.reply : NULL, a->built.texts.data);
}

double finalist_median(const struct finalist *one)
{
    double kept[FINALIST_SAMPLES];

    return lift_median(kept, keep_samples(one, kept)) / one->time_steps;
}

struct lift_interval finalist_interval(const struct finalist *one)
{
    const double confidence = 0.95;
    double kept[FINALIST_SAMPLES];

    struct lift_interval all =
        lift_median_interval(kept, keep_samples(one, kept), confidence);

    return lift_interval_scaled(all, 1.0 / one->time_steps);
}

static void settle(struct finalist *one, const int *states, int state)
{
    bool any = false;

    for (int i = 0; i < one->count; i++)
        any = any || (states[i] == state && one->held[i] <= 0);
    for (int i = 0; i < one->count; i++)
        one->clocks[i].throttled = any && states[i] != state ? 1 : one->held[i];
}

/* True if threads waited for cores in so many samples that too few others remain. */
static bool lacks_samples(const struct finalist *one)
{
    const int enough = one->count < 4 ? one->count : 4;
    int clean = 0, waited = 0;

    for (int i = 0; i < one->count; i++) {
        clean += one->clocks[i].throttled <= 0;
        waited += one->held[i] == LIFT_DB_WAITED;
    }
    return waited > 0 && clean < enough;
}

/* Keeps the shortest quarter of the samples: other work only lengthens samples. */
static void keep_shortest(struct finalist *one)
{
    double sorted[FINALIST_SAMPLES];

    if (one->count == 0)
        return;
    memcpy(sorted, one->samples, (size_t)one->count * sizeof *sorted);
    qsort(sorted, (size_t)one->count, sizeof *sorted, lift_by_value);
    for (int i = 0; i < one->count; i++)
        one->clocks[i].throttled =
            one->samples[i] <= sorted[(one->count - 1) / 4] ? 0 : LIFT_DB_WAITED;
}

/* On a busy machine, some finalists may have undisturbed samples, others only disturbed
 * ones, which are longer. All are then compared by their shortest samples. */
static void settle_busy(struct finalist *list, int count)
{
    bool lacks = false;

    for (int i = 0; i < count; i++)
        lacks = lacks || lacks_samples(&list[i]);
    for (int i = 0; i < count && lacks; i++)
        keep_shortest(&list[i]);
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
    settle_busy(list, count);
    free(states);
    free(trips);
}

/* ---- steps in the runner */

/* Rounds to whole nanoseconds, like the database: the final benchmark's median then
 * equals the trial's. */
static void add_samples(struct finalist *one, const struct trial_reply *reply)
{
    for (int i = 0; i < reply->sample_count && one->count < FINALIST_SAMPLES; i++) {
        one->samples[one->count] = round(reply->samples[i] * 1e9) * 1e-9;
        one->trips[one->count] = reply->trips[i];
        one->held[one->count] = reply->clocks[i].throttled;
        one->clocks[one->count++] = reply->clocks[i];
    }
    one->measure_s += reply->measure_s;
    lift_load_add(&one->load, &reply->load);
}

static void take_answer(struct finalist *one, enum trial_task step,
                        const struct trial_reply *got)
{
    struct attempt *a = one->attempt;

    if (step == TRIAL_LOAD) {
        a->end = *got;
    } else if (got->status == LIFT_TRIAL_OK) {
        add_samples(one, got);
    } else {
        a->end.status = got->status;
        memcpy(a->end.reason, got->reason, sizeof got->reason);
    }
    if (got->status != LIFT_TRIAL_OK)
        a->stage = ATTEMPT_ENDED;
}

/* Ignores a timeout if the end of the session shortened the limit. */
void finalist_ask(const struct session *s, struct lift_worker *runner,
                  enum trial_task step, int slot, struct finalist *one)
{
    struct trial_request asked = {.task = step,
                                  .depth = one->depth,
                                  .parts = TRIAL_BOTH,
                                  .slot = slot,
                                  .samples = one->attempt->plain ? 1 : FINAL_SAMPLES,
                                  .best = one->attempt->score};
    LIFT_SCOPED(lift_str) data = {0}, reply = {0};
    struct lift_worker_result result;
    struct trial_reply got;

    if (step == TRIAL_LOAD)
        built_send(&one->attempt->built, &asked, &data);
    else
        lift_str_addn(&data, (const char *)&asked, sizeof asked);
    result = lift_worker_call(runner, data.data, data.len,
                              session_left(s, explore_run_seconds(s->problem)), &reply);
    trial_read(result, TRIAL_RUNS, &reply, &got);
    if (got.status == LIFT_TRIAL_RUN_TIMEOUT && session_is_late(s)) {
        got.status = LIFT_TRIAL_LOST;
        snprintf(got.reason, sizeof got.reason, "the time limit ended");
    }
    take_answer(one, step, &got);
}
