#include "explore/trial/timing.h"
#include "base/memory.h"
#include "base/stats.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { LIFE_TRIED = 96, LIFE_MOST = 64, MOST_BATCH = 10000 };
enum { MOST_INTEGER = 9 }; /* of explore_datum */

static const double sample_seconds = 2e-3; /* a sample takes at least half of it */

/* ---- launches on the same data */

static bool is_healthy(double x, enum lift_scalar scalar)
{
    double least = scalar == LIFT_F64   ? DBL_MIN
                   : scalar == LIFT_F16 ? 0x1p-14
                                        : (double)FLT_MIN;

    return isfinite(x) && (x == 0 || fabs(x) >= least);
}

/* True if all results are healthy numbers, and not all are zero. */
static bool all_healthy(const struct runner_data *data, int output)
{
    const struct explore_leaf *leaf = &data->outputs[output];
    bool any = false, real = lift_scalar_is_real(leaf->scalar);

    for (int64_t k = 0; k < leaf->count; k++) {
        double x = explore_element(runner_result(), leaf->scalar, k);

        if (real ? !is_healthy(x, leaf->scalar) : fabs(x) > MOST_INTEGER)
            return false;
        any = any || x != 0;
    }
    return any || !real;
}

/* Checks the outputs that the next launch reads. */
static bool results_healthy(struct lift_device *device, struct runner_data *data,
                            bool turns, bool *healthy, struct lift_error *error)
{
    *healthy = true;
    for (int i = 0; i < data->output_count && *healthy; i++) {
        if (turns ? !runner_passes(data, i) : data->stored_in[i] < 0)
            continue;
        if (!runner_read(device, data, i, error))
            return false;
        *healthy = all_healthy(data, i);
    }
    return true;
}

bool timing_life(struct lift_device *device, struct runner_module *module,
                 struct runner_data *data, int *life, struct lift_error *error)
{
    bool healthy = true, turns = runner_rotates(data);
    int good = 0;

    *life = 0;
    if (!turns && !runner_overwrites(data))
        return true;
    if (!runner_refill(device, data, true, error) || !runner_poison(device, data, error))
        return false;
    while (healthy && good < LIFE_TRIED) {
        if (!(turns ? runner_steps : runner_launch)(device, module, data, 1, NULL,
                                                    error) ||
            !results_healthy(device, data, turns, &healthy, error))
            return false;
        good += healthy;
    }
    /* other data may deteriorate sooner */
    *life = good * LIFE_MOST / LIFE_TRIED;
    *life += *life == 0;
    return true;
}

/* ---- timing */

/* Launches on inputs that were just written. In a rotation, the first of these launches
 * is not timed: the caches contain what the processor wrote, not results of a launch. */
static bool renew(struct timing *t, bool turns, struct lift_error *error)
{
    return runner_refill(t->device, t->data, false, error) &&
           (!turns || runner_steps(t->device, t->module, t->data, 1, NULL, error));
}

bool timing_launch(struct timing *t, int count, double *seconds, struct lift_error *error)
{
    bool turns = t->life >= TIMING_TURNS && runner_rotates(t->data);
    int life = turns || runner_overwrites(t->data) ? t->life : 0;

    *seconds = 0;
    while (count > 0) {
        int some = count;
        double spent = 0;

        if (life && t->data->used >= life && !renew(t, turns, error))
            return false;
        if (life && some > life - t->data->used)
            some = life - t->data->used;
        if (!(turns ? runner_steps : runner_launch)(t->device, t->module, t->data, some,
                                                    &spent, error))
            return false;
        *seconds += spent;
        count -= some;
    }
    return true;
}

/* Grows the batch until it is long enough; the last batch is the sample. A batch found
 * during a disturbance may be too short later. */
static bool take_batch(struct timing *t, double *seconds, struct lift_error *error)
{
    t->batch += t->batch == 0;
    while (timing_launch(t, t->batch, seconds, error)) {
        double wanted = t->batch * sample_seconds / fmax(*seconds, 1e-9);

        if (*seconds >= sample_seconds / 2 || t->batch == MOST_BATCH)
            return true;
        wanted = fmin(wanted, 100.0 * t->batch);
        t->batch = wanted < MOST_BATCH ? (int)wanted : MOST_BATCH;
    }
    return false;
}

/* Launches once to wake the kernels' threads, which sleep while the round trip is
 * measured. Batches of one launch skip this: one slow launch would double their time. */
static bool wake_up(struct timing *t, const struct lift_clock_state *read,
                    struct lift_error *error)
{
    double ignored;

    return t->batch < 2 || read->round_trip <= 0 || timing_launch(t, 1, &ignored, error);
}

static bool take_once(struct timing *t, struct timing_sample *sample,
                      struct lift_error *error)
{
    struct lift_load *load = lift_clocks_load(t->clocks);
    struct lift_clock_state before, after;
    double seconds;
    bool disturbed;

    lift_clocks_read(t->clocks, &before); /* start of the sample */
    lift_load_begin(load);
    if (!wake_up(t, &before, error) || !take_batch(t, &seconds, error))
        return false;
    disturbed = lift_load_end(load);
    lift_clocks_read(t->clocks, &after);
    sample->seconds = fmax(seconds / t->batch / t->steps, 1e-9);
    sample->clock =
        (struct lift_db_clock){.batch = t->batch,
                               .mhz = after.mhz,
                               .throttled = disturbed ? LIFT_DB_WAITED : after.throttled};
    sample->trip = (struct lift_trip){before.round_trip, after.round_trip};
    return true;
}

/* Takes a short sample again if a thread waited for a core. The shortest one counts,
 * since other work only lengthens samples. */
bool timing_take(struct timing *t, struct timing_sample *sample, struct lift_error *error)
{
    enum { TRIES = 3 };
    static const double most_seconds = 0.05;
    struct timing_sample again;

    if (!take_once(t, sample, error))
        return false;
    for (int i = 1; i < TRIES && sample->clock.throttled == LIFT_DB_WAITED &&
                    sample->seconds * t->batch * t->steps < most_seconds;
         i++) {
        if (!take_once(t, &again, error))
            return false;
        if (again.clock.throttled != LIFT_DB_WAITED || again.seconds < sample->seconds)
            *sample = again;
    }
    return true;
}

/* ---- states of the machine */

static double median_in(const struct timing_sample *samples, const int *states, int count,
                        int state)
{
    double *values = lift_resize(NULL, 2 * (size_t)count, sizeof *values), median;
    LIFT_FREED int *others = lift_resize(NULL, (size_t)count, sizeof *others);

    bool any = false; /* the state has an undisturbed sample */

    for (int i = 0; i < count; i++)
        any = any || (states[i] == state && samples[i].clock.throttled <= 0);
    for (int i = 0; i < count; i++) {
        values[i] = samples[i].seconds;
        others[i] = states[i] != state || (any && samples[i].clock.throttled > 0);
    }
    median = lift_median(values + count,
                         lift_stats_keep(values, others, count, values + count));
    free(values);
    return median;
}

void timing_medians(const struct timing_sample *const *lists, int lists_count, int count,
                    double *medians)
{
    size_t all = (size_t)lists_count * (size_t)count + 1;
    LIFT_FREED struct lift_trip *trips = lift_alloc(all, sizeof *trips);
    int *states = lift_resize(NULL, all, sizeof *states), most;

    for (int l = 0; l < lists_count; l++)
        for (int i = 0; i < count; i++)
            trips[l * count + i] = lists[l][i].trip;
    lift_states_find(trips, lists_count * count, states);
    most = lift_states_most(states, lists_count * count);
    for (int l = 0; l < lists_count; l++)
        medians[l] = median_in(lists[l], states + l * count, count, most);
    free(states);
}

void timing_settle(const struct lift_trip *trips, int count, struct lift_db_clock *clocks)
{
    int *states = lift_resize(NULL, (size_t)count + 1, sizeof *states), most;

    lift_states_find(trips, count, states);
    most = lift_states_most(states, count);
    for (int i = 0; i < count && most >= 0; i++)
        if (states[i] != most)
            clocks[i].throttled = 1;
    free(states);
}
