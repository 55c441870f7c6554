/* Measures the speed of a kernel. A slow kernel gets one sample, others five. Before a
 * kernel becomes the best, both are timed alternately. The best kernel is timed again at
 * intervals, since the machine's state may change. */
#include "base/bug.h"
#include "base/seconds.h"
#include "explore/trial/trial_run.h"
#include <math.h>

enum { RUNS = 5, CLEAR = 3 };

/* A few samples suffice if two kernels differ by this factor. */
static const double clear_factor = 1.05;

/* A kernel faster by this factor is not timed alternately: states of the machine never
 * differ that much. */
static const double obvious_factor = 2;

/* A kernel whose checked launch is slower than the best by 'slow_factor' is not timed if
 * the launch takes long. */
static const double near_factor = 1.25, slow_factor = 4, a_while = 0.1,
                    stale_seconds = 30;

/* ---- the best kernel so far */

/* True if a second set of buffers would take at most an eighth of the memory. */
bool run_has_room(const struct run_state *s)
{
    return (int64_t)runner_data_bytes(&s->data) <= s->bench->info->global_bytes / 8;
}

/* The time to beat, in seconds a time step; 0: none yet. */
static double yard(const struct run *r)
{
    const struct incumbent *best = &r->state->incumbent;

    return best->seconds > 0 ? best->seconds : r->request->best;
}

static struct timing *incumbent_timing(struct run_state *s)
{
    struct incumbent *best = &s->incumbent;

    best->timing.module = &best->candidate.full;
    best->timing.data = best->shares ? &s->data : &best->data;
    return &best->timing;
}

/* Sets the time to beat, from several samples; 'sample' is the last one. */
static void set_yard(struct run *r, double seconds, const struct timing_sample *sample)
{
    struct incumbent *best = &r->state->incumbent;

    best->seconds = seconds;
    best->least = fmin(best->least, seconds);
    best->timed_at = lift_seconds();
    best->trip = sample->trip.after;
    r->t.reply.best_then = r->t.reply.best_now = best->seconds;
}

static void forget_best(struct run_state *s)
{
    struct incumbent *best = &s->incumbent;

    candidate_fini(s->device, &best->candidate);
    *best = (struct incumbent){.data = best->data};
}

static bool has_temps(const struct runner_module *m)
{
    for (int i = 0; i < m->module->bind_count; i++)
        if (m->module->binds[i].kind == LIFT_BIND_TEMP)
            return true;
    return false;
}

/* Leaves the run's buffers to the best kernel, which shares them; the run gets others if
 * memory suffices for both. */
static void part(struct run_state *s)
{
    struct incumbent *best = &s->incumbent;
    struct runner_data spare = best->data;

    if (!run_has_room(s)) {
        forget_best(s);
        return;
    }
    best->data = s->data;
    best->shares = false;
    s->data = spare;
    s->data_ready = spare.problem != NULL;
}

/* Gives the candidate separate buffers if its layout differs from the best kernel's. */
void run_part(struct run *r, const struct runner_module *m)
{
    struct run_state *s = r->state;

    if (s->incumbent.seconds > 0 && s->incumbent.shares &&
        !(runner_fits(m, &s->data) && !has_temps(m) && s->data.temp_count == 0))
        part(s);
}

bool run_turn(struct run_state *s, const struct explore_bench *bench,
              struct lift_error *error)
{
    if (s->bench == bench)
        return true;
    if (s->incumbent.seconds > 0 && s->incumbent.shares)
        part(s);
    lift_worker_stop(s->interpreter);
    s->interpreter = explore_interpreter(bench->problem);
    s->bench = bench;
    return !s->data_ready || runner_data_turn(bench->problem, s->device, &s->data, error);
}

int run_steps(const struct run_state *s)
{
    int steps = s->bench->problem->program->steps;

    return steps > 1 ? steps : 1;
}

/* Keeps a kernel for later timing, in the run's buffers, until another candidate needs
 * other buffers. */
static void hold(struct run *r, const struct timing *t, double seconds,
                 const struct timing_sample *sample)
{
    struct run_state *s = r->state;

    forget_best(s);
    s->incumbent = (struct incumbent){.candidate = r->candidate,
                                      .data = s->incumbent.data,
                                      .shares = true,
                                      .timing = *t,
                                      .seconds = seconds,
                                      .least = seconds,
                                      .timed_at = lift_seconds(),
                                      .trip = sample->trip.after};
    r->candidate = (struct candidate){0};
}

static bool promote(struct run *r, const struct timing *t, double seconds,
                    const struct timing_sample *sample)
{
    if (!run_confirm(r) || (r->state->bench->second && !run_second(r)))
        return false;
    r->t.reply.is_best = true;
    r->t.reply.best_now = seconds;
    hold(r, t, seconds, sample);
    return true;
}

void run_drop(struct run_state *s)
{
    candidate_fini(s->device, &s->incumbent.candidate);
    runner_data_destroy(s->device, &s->incumbent.data);
    runner_data_destroy(s->device, &s->data);
    s->incumbent = (struct incumbent){.seconds = 0};
    s->data_ready = false;
}

/* ---- samples */

static bool take(struct run *r, struct timing *t, struct timing_sample *sample)
{
    struct trial_reply *reply = &r->t.reply;
    struct lift_error error = {0};

    if (!timing_take(t, sample, &error))
        return trial_end_failure(&r->t, &error);
    if (t->module != &r->candidate.full)
        return true;
    LIFT_ASSERT(reply->sample_count < TRIAL_SAMPLES);
    reply->clocks[reply->sample_count] = sample->clock;
    reply->trips[reply->sample_count] = sample->trip;
    reply->samples[reply->sample_count++] = sample->seconds * t->steps;
    return true;
}

/* Warms up: the previous kernel left other results in the buffers, and other data in the
 * caches. */
static bool launch_again(struct run *r, struct timing *t)
{
    struct lift_error error = {0};
    double ignored;

    return timing_launch(t, 1, &ignored, &error) || trial_end_failure(&r->t, &error);
}

static bool take_after(struct run *r, struct timing *t, struct timing_sample *sample)
{
    return launch_again(r, t) && take(r, t, sample);
}

/* True if the first samples are all longer than the others by 'clear_factor'. */
static bool are_longer(const struct timing_sample *these, int these_count,
                       const struct timing_sample *those, int those_count)
{
    double least = HUGE_VAL, most = 0;

    for (int i = 0; i < these_count; i++)
        least = fmin(least, these[i].seconds);
    for (int i = 0; i < those_count; i++)
        most = fmax(most, those[i].seconds);
    return least > clear_factor * most;
}

/* True if each sample is shorter than the best kernel's shortest time by
 * 'obvious_factor'. Its last time may have been disturbed. */
static bool is_obvious(const struct run *r, const struct timing_sample *samples,
                       int count)
{
    const struct incumbent *best = &r->state->incumbent;
    double most = 0;

    for (int i = 0; i < count; i++)
        most = fmax(most, samples[i].seconds);
    return obvious_factor * most < (best->seconds > 0 ? best->least : yard(r));
}

static double patience(const struct run *r)
{
    return r->request->alone ? TRIAL_PATIENCE : r->request->patience;
}

/* Seconds of a sample and of 'more' launches. */
static double spent(const struct timing *t, const struct timing_sample *sample, int more)
{
    return sample->seconds * t->steps * (t->batch + more);
}

/* Takes samples until there are enough, they exceed the time limit, or the comparison is
 * clear. */
static bool take_some(struct run *r, struct timing *t, struct timing_sample *samples,
                      int *count)
{
    struct timing_sample limit = {.seconds = yard(r)};
    double sum = spent(t, samples, 0);

    while (*count < RUNS && sum < patience(r)) {
        if (*count >= CLEAR && limit.seconds > 0 && t->module == &r->candidate.full &&
            (are_longer(samples, *count, &limit, 1) || is_obvious(r, samples, *count)))
            break;
        if (!take(r, t, &samples[*count]))
            return false;
        sum += spent(t, &samples[(*count)++], 0);
    }
    return true;
}

static double median_of(const struct timing_sample *samples, int count)
{
    double median;

    timing_medians((const struct timing_sample *const[]){samples}, 1, count, &median);
    return median;
}

/* True if the best kernel's time and the sample are from one state of the machine. */
static bool is_comparable(const struct run *r, const struct timing_sample *sample)
{
    return r->state->incumbent.seconds <= 0 ||
           (lift_trip_steady(sample->trip) &&
            lift_states_same(r->state->incumbent.trip, sample->trip.after));
}

/* Times the best kernel again if its time is old, or from another state than the sample.
 */
static bool refresh_yard(struct run *r, struct timing *t,
                         const struct timing_sample *sample)
{
    struct incumbent *best = &r->state->incumbent;
    struct timing_sample samples[RUNS];
    int count = 1;

    if (best->seconds <= 0 || (lift_seconds() - best->timed_at < stale_seconds &&
                               lift_states_same(best->trip, sample->trip.after)))
        return true;
    if (!take_after(r, incumbent_timing(r->state), samples) ||
        !take_some(r, &best->timing, samples, &count))
        return false;
    set_yard(r, median_of(samples, count), &samples[count - 1]);
    return !best->shares || launch_again(r, t);
}

/* Times the candidate and the best kernel alternately. */
static bool duel(struct run *r, struct timing *t)
{
    struct timing *other = incumbent_timing(r->state);
    struct timing_sample mine[RUNS] = {{.seconds = 0}}, yours[RUNS] = {{.seconds = 0}};
    double sum = 0, medians[2];
    int count = 0;

    while (count < RUNS && sum < 2 * patience(r)) {
        if (!take_after(r, other, &yours[count]) || !take_after(r, t, &mine[count]))
            return false;
        sum += spent(other, &yours[count], 1) + spent(t, &mine[count], 1);
        count++;
        if (count >= CLEAR && (are_longer(mine, count, yours, count) ||
                               are_longer(yours, count, mine, count)))
            break;
    }
    timing_medians((const struct timing_sample *const[]){mine, yours}, 2, count, medians);
    set_yard(r, medians[1], &yours[count - 1]);
    if (medians[0] < medians[1])
        return promote(r, t, medians[0], &mine[count - 1]);
    return run_confirm(r);
}

/* ---- a candidate */

bool run_life(struct run *r, struct timing *t)
{
    struct run_state *s = r->state;
    struct lift_error error = {0};
    struct runner_data small = {0};
    bool good, turns = runner_rotates(&s->data);
    int *life = &s->lives[s->bench->problem->program->steps];

    if (!turns && !runner_overwrites(&s->data))
        return true;
    t->life = turns && *life ? *life : 1;
    if ((turns && *life) || !r->candidate.small.module)
        return true;
    good =
        runner_data_create(s->bench->problem, s->device, &r->candidate.small_numbers.env,
                           s->bench->seed, &small, &error) &&
        runner_fit(s->device, &r->candidate.small, &small, &error) &&
        timing_life(s->device, &r->candidate.small, &small, &t->life, &error);
    runner_data_destroy(s->device, &small);
    *life = good && turns ? t->life : 0;
    return good || trial_end_failure(&r->t, &error);
}

/* True if one sample shows that the candidate is not among the best. */
static bool is_far(const struct run *r, const struct timing_sample *sample)
{
    return yard(r) > 0 && is_comparable(r, sample) &&
           sample->seconds > near_factor * yard(r);
}

static bool measure(struct run *r, struct timing *t)
{
    bool alone = r->request->alone, any = yard(r) > 0, apart;
    struct timing_sample samples[RUNS];
    double median;
    int count = 0;

    if (!take(r, t, &samples[count++]) || (!alone && !refresh_yard(r, t, samples)))
        return false;
    if (!alone && !r->request->baseline && is_far(r, samples))
        return run_confirm(r);
    if (!take_some(r, t, samples, &count))
        return false;
    median = median_of(samples, count);
    apart = !is_comparable(r, samples) || !is_comparable(r, &samples[count - 1]);
    if (alone || (any && !apart && median >= yard(r)))
        return run_confirm(r);
    if (r->state->incumbent.seconds > 0 && !is_obvious(r, samples, count))
        return duel(r, t);
    return promote(r, t, median, &samples[count - 1]);
}

/* Kernels slower than the best by this factor on a slab are not tried on the whole grid.
 */
static const double slab_factor = 1.1;

/* Times a kernel on the slab, and ends the trial if the kernel does not justify a run on
 * the whole grid. The fastest kernel of the slab is the standard;
 * docs/optimisation-guide.md, Slabs, has the accuracy of this ranking. */
static bool measure_slab(struct run *r, struct timing *t)
{
    struct timing_sample samples[RUNS];
    double median;
    int count = 0;

    if (!take(r, t, &samples[count++]) || !refresh_yard(r, t, samples))
        return false;
    r->t.reply.best_then = yard(r);
    if ((!is_far(r, samples) && !take_some(r, t, samples, &count)) || !run_confirm(r))
        return false;
    median = median_of(samples, count);
    if (yard(r) > 0 && is_comparable(r, &samples[count - 1]) &&
        median > slab_factor * yard(r))
        return trial_end(&r->t, LIFT_TRIAL_SLAB, "slower than the best kernel on a slab");
    if (!run_second(r))
        return false;
    if (yard(r) <= 0 || median < yard(r))
        hold(r, t, median, &samples[count - 1]);
    return true;
}

static bool is_hopeless(const struct run *r)
{
    return !r->request->alone && yard(r) > 0 &&
           r->first_seconds > slow_factor * yard(r) * run_steps(r->state) &&
           r->first_seconds > a_while && !r->state->bench->info->compiles_late;
}

/* Compilers may have disturbed the checked launch: the time of another launch decides
 * whether the kernel is hopeless. */
static bool launch_in_quiet(struct run *r, struct timing *t)
{
    struct lift_error error = {0};

    run_begin_quiet(r);
    return !r->quiet || !is_hopeless(r) ||
           timing_launch(t, 1, &r->first_seconds, &error) ||
           trial_end_failure(&r->t, &error);
}

/* Ends the trial of a hopeless kernel without samples. */
static bool end_slow(struct run *r)
{
    r->t.reply.samples[0] = r->first_seconds;
    r->t.reply.clocks[0] = (struct lift_db_clock){.batch = 1, .throttled = -1};
    r->t.reply.sample_count = 1;
    return run_confirm(r) &&
           trial_end(&r->t, r->request->slab ? LIFT_TRIAL_SLAB : LIFT_TRIAL_SLOW,
                     "much slower than the best kernel");
}

bool run_measure(struct run *r)
{
    struct run_state *s = r->state;
    struct timing t = {.device = s->device,
                       .clocks = s->clocks,
                       .module = &r->candidate.full,
                       .data = &s->data,
                       .steps = run_steps(s)};
    double start = lift_seconds();
    bool good;

    r->t.reply.status = LIFT_TRIAL_OK;
    r->t.reply.best_then = yard(r);
    if (!run_life(r, &t) || !launch_in_quiet(r, &t))
        return false;
    if (is_hopeless(r))
        return end_slow(r);
    good = r->request->slab ? measure_slab(r, &t) : measure(r, &t);
    timing_settle(r->t.reply.trips, r->t.reply.sample_count, r->t.reply.clocks);
    r->t.reply.measure_s = lift_seconds() - start;
    return good;
}
