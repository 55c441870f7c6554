/* How fast is a kernel? One sample; five, if it is near the best one; and against the
 * best one, turn by turn, before it is called better. The machine may be in another
 * state than when the best one was timed, so that one is timed again now and then. */
#include "device/process.h"
#include "explore/run.h"
#include "lift/bug.h"
#include "lift/stats.h"
#include <string.h>

enum { RUNS = 5 };

/* A kernel whose checked launch took so much longer than the best one is not timed at
 * all, where that would take a while. */
static const double near_factor = 1.25, slow_factor = 4, a_while = 0.5,
                    too_many_seconds = 2, stale_seconds = 30;

/* ---- the incumbent */

/* Whether so many more buffers are an eighth of the memory at most. */
bool run_has_room(const struct run_state *s)
{
    return (int64_t)runner_data_bytes(&s->data) <= s->bench->info->global_bytes / 8;
}

/* What a candidate has to beat, in seconds; 0: nothing yet. */
static double yard(const struct run *r)
{
    const struct incumbent *best = &r->state->incumbent;

    return best->seconds > 0 ? best->seconds : r->request->best;
}

static struct timing *incumbent_timing(struct run_state *s)
{
    struct incumbent *best = &s->incumbent;

    best->timing.module = &best->candidate.full;
    best->timing.data = &best->data;
    return &best->timing;
}

static void set_yard(struct run *r, const double *seconds, int count)
{
    struct incumbent *best = &r->state->incumbent;

    best->seconds = lift_median(seconds, count);
    best->timed_at = device_now();
    r->t.reply.best_now = best->seconds;
}

/* Both kernels keep their buffers, if there is room for two. */
static bool promote(struct run *r, const struct timing *t, double seconds)
{
    struct run_state *s = r->state;
    struct runner_data data;

    if (!run_confirm(r) || !run_second(r))
        return false;
    r->t.reply.is_best = true;
    r->t.reply.best_now = seconds;
    if (!run_has_room(s))
        return true;
    data = s->incumbent.data;
    candidate_fini(s->device, &s->incumbent.candidate);
    s->incumbent = (struct incumbent){.candidate = r->candidate,
                                      .data = s->data,
                                      .timing = *t,
                                      .seconds = seconds,
                                      .timed_at = device_now()};
    s->data = data;
    s->data_ready = data.problem != NULL;
    r->candidate = (struct candidate){0};
    return true;
}

/* ---- samples */

static bool take(struct run *r, struct timing *t, double *seconds)
{
    struct trial_reply *reply = &r->t.reply;
    struct lift_failure failure = {0};
    struct timing_sample sample;

    if (!timing_take(t, &sample, &failure))
        return trial_end_failure(&r->t, &failure);
    *seconds = sample.seconds;
    if (t->module != &r->candidate.full)
        return true;
    LIFT_ASSERT(reply->sample_count < TRIAL_SAMPLES);
    reply->clocks[reply->sample_count] = sample.clock;
    reply->samples[reply->sample_count++] = sample.seconds;
    return true;
}

/* One after another launch that does not count: the kernel before left other data in the
 * caches. */
static bool take_after(struct run *r, struct timing *t, double *seconds)
{
    struct lift_failure failure = {0};

    if (!timing_launch(t, 1, seconds, &failure))
        return trial_end_failure(&r->t, &failure);
    return take(r, t, seconds);
}

/* Samples until there are enough, or they took too long. */
static bool take_some(struct run *r, struct timing *t, double *seconds, int *count)
{
    double sum = 0;

    while (*count < RUNS && sum < too_many_seconds) {
        if (!take(r, t, &seconds[*count]))
            return false;
        sum += seconds[(*count)++] * t->batch;
    }
    return true;
}

static bool refresh_yard(struct run *r)
{
    struct incumbent *best = &r->state->incumbent;
    double seconds[RUNS] = {0};
    int count = 1;

    if (best->seconds <= 0 || device_now() - best->timed_at < stale_seconds)
        return true;
    if (!take_after(r, incumbent_timing(r->state), seconds) ||
        !take_some(r, &best->timing, seconds, &count))
        return false;
    set_yard(r, seconds, count);
    return true;
}

/* Turn by turn. */
static bool duel(struct run *r, struct timing *t)
{
    struct timing *other = incumbent_timing(r->state);
    double mine[RUNS] = {0}, yours[RUNS] = {0}, sum = 0;
    int count = 0;

    while (count < RUNS && sum < 2 * too_many_seconds) {
        if (!take_after(r, other, &yours[count]) || !take_after(r, t, &mine[count]))
            return false;
        sum += yours[count] * other->batch + mine[count] * t->batch;
        count++;
    }
    set_yard(r, yours, count);
    if (lift_median(mine, count) < r->state->incumbent.seconds)
        return promote(r, t, lift_median(mine, count));
    return run_confirm(r);
}

/* ---- a candidate */

bool run_life(struct run *r, struct timing *t)
{
    struct run_state *s = r->state;
    struct lift_failure failure = {0};
    struct runner_data small = {0};
    bool good;

    if (!runner_overwrites(&s->data))
        return true;
    t->life = 1;
    t->used = 1;
    if (r->candidate.arm->fixed)
        return true;
    good =
        runner_data_create(s->bench->problem, s->device, &r->candidate.small_numbers.env,
                           s->bench->seed, &small, &failure) &&
        runner_fit(s->device, &r->candidate.small, &small, &failure) &&
        timing_life(s->device, &r->candidate.small, &small, &t->life, &failure);
    runner_data_destroy(s->device, &small);
    return good || trial_end_failure(&r->t, &failure);
}

static bool measure(struct run *r, struct timing *t)
{
    bool alone = r->request->alone, any = yard(r) > 0;
    double seconds[RUNS] = {0}, median;
    int count = 0;

    if (!take(r, t, &seconds[count++]) || (!alone && !refresh_yard(r)))
        return false;
    if (!alone && any && seconds[0] > near_factor * yard(r))
        return run_confirm(r);
    if (!take_some(r, t, seconds, &count))
        return false;
    median = lift_median(seconds, count);
    if (alone || (any && median >= yard(r)))
        return run_confirm(r);
    return r->state->incumbent.seconds > 0 ? duel(r, t) : promote(r, t, median);
}

static bool is_hopeless(const struct run *r)
{
    return yard(r) > 0 && r->first_seconds > slow_factor * yard(r) &&
           r->first_seconds > a_while && !r->state->bench->info->compiles_late;
}

bool run_measure(struct run *r)
{
    struct run_state *s = r->state;
    struct timing t = {.device = s->device,
                       .clocks = s->clocks,
                       .module = &r->candidate.full,
                       .data = &s->data};
    double start = device_now();
    bool good;

    r->t.reply.status = LIFT_TRY_OK;
    if (!r->request->alone && is_hopeless(r)) {
        r->t.reply.samples[0] = r->first_seconds;
        r->t.reply.clocks[0] = (struct lift_db_clock){.batch = 1, .throttled = -1};
        r->t.reply.sample_count = 1;
        if (!run_confirm(r))
            return false;
        return trial_end(&r->t, LIFT_TRY_SLOW, "much slower than the best kernel");
    }
    good = run_life(r, &t) && measure(r, &t);
    r->t.reply.measure_s = device_now() - start;
    return good;
}
