#include "explore/timing.h"
#include <float.h>
#include <math.h>

enum { LIFE_TRIED = 24, LIFE_MOST = 16, MOST_BATCH = 10000 };

static const double sample_seconds = 2e-3; /* or half of it */

/* ---- how often on the same data */

static bool is_healthy(double x, enum lift_scalar scalar)
{
    double least = scalar == LIFT_F64 ? DBL_MIN : FLT_MIN;

    return isfinite(x) && (x == 0 || fabs(x) >= least);
}

/* Nor may nothing be left of them. */
static bool all_healthy(const struct runner_data *data, int output)
{
    const struct explore_leaf *leaf = &data->outputs[output];
    bool any = false;

    if (leaf->scalar != LIFT_F32 && leaf->scalar != LIFT_F64)
        return true;
    for (int64_t k = 0; k < leaf->count; k++) {
        double x = explore_element(runner_result(), leaf->scalar, k);

        if (!is_healthy(x, leaf->scalar))
            return false;
        any = any || x != 0;
    }
    return any;
}

static bool results_healthy(struct lift_device *device, struct runner_data *data,
                            bool *healthy, struct lift_failure *failure)
{
    *healthy = true;
    for (int i = 0; i < data->output_count && *healthy; i++) {
        if (data->stored_in[i] < 0)
            continue;
        if (!runner_read(device, data, i, failure))
            return false;
        *healthy = all_healthy(data, i);
    }
    return true;
}

bool timing_life(struct lift_device *device, struct runner_module *module,
                 struct runner_data *data, int *life, struct lift_failure *failure)
{
    bool healthy = true;
    int good = 0;

    *life = 0;
    if (!runner_overwrites(data))
        return true;
    if (!runner_refill(device, data, failure))
        return false;
    while (healthy && good < LIFE_TRIED) {
        if (!runner_launch(device, module, data, 1, NULL, failure) ||
            !results_healthy(device, data, &healthy, failure))
            return false;
        good += healthy;
    }
    /* Other data of the same kind may not last as long. */
    *life = good * LIFE_MOST / LIFE_TRIED;
    *life += *life == 0;
    return true;
}

/* ---- timing */

static bool make_room(struct timing *t, struct lift_failure *failure)
{
    if (!t->life || t->used < t->life)
        return true;
    t->used = 0;
    return runner_refill(t->device, t->data, failure);
}

bool timing_launch(struct timing *t, int count, double *seconds,
                   struct lift_failure *failure)
{
    *seconds = 0;
    while (count > 0) {
        int some = count;
        double spent = 0;

        if (!make_room(t, failure))
            return false;
        if (t->life && some > t->life - t->used)
            some = t->life - t->used;
        if (!runner_launch(t->device, t->module, t->data, some, &spent, failure))
            return false;
        t->used += t->life ? some : 0;
        *seconds += spent;
        count -= some;
    }
    return true;
}

/* Grows the batch until it is long enough; the last one timed is the sample. One that was
 * found while the machine was disturbed may be too short later on. */
static bool take_batch(struct timing *t, double *seconds, struct lift_failure *failure)
{
    t->batch += t->batch == 0;
    while (timing_launch(t, t->batch, seconds, failure)) {
        double wanted = t->batch * sample_seconds / fmax(*seconds, 1e-9);

        if (*seconds >= sample_seconds / 2 || t->batch == MOST_BATCH)
            return true;
        wanted = fmin(wanted, 100.0 * t->batch);
        t->batch = wanted < MOST_BATCH ? (int)wanted : MOST_BATCH;
    }
    return false;
}

bool timing_take(struct timing *t, struct timing_sample *sample,
                 struct lift_failure *failure)
{
    struct lift_clock_state before, after;
    double seconds;

    lift_clocks_read(t->clocks, &before); /* from now on */
    if (!take_batch(t, &seconds, failure))
        return false;
    lift_clocks_read(t->clocks, &after);
    sample->seconds = fmax(seconds / t->batch, 1e-9);
    sample->clock = (struct lift_db_clock){
        .batch = t->batch, .mhz = after.mhz, .throttled = after.throttled};
    return true;
}
