/* Timing a loaded module on its buffers. A sample is as many launches as take a
 * millisecond together, divided by their number: clocks are coarse and short launches
 * noisy. */
#ifndef EXPLORE_TRIAL_TIMING_H
#define EXPLORE_TRIAL_TIMING_H

#include "base/states.h"
#include "device/clocks.h"
#include "explore/runner.h"
#include "tuner/db_trial.h"

struct timing {
    struct lift_device *device;
    struct lift_clocks *clocks;
    struct runner_module *module;
    struct runner_data *data; /* fitted to the module */
    int life;  /* launches that the data bear, see timing_life; 0: any number */
    int used;  /* launches since they were written */
    int batch; /* launches a sample; 0: not known yet */
};

struct timing_sample {
    double seconds; /* of one launch */
    struct lift_db_clock clock;
    struct lift_trip trip; /* which state the machine was in */
};

/* A kernel that stores its result in an input is given its own results as inputs when it
 * is launched again. These must stay numbers, and normal ones: others may be slower. Such
 * a kernel is launched on 'data' (any size, as fitted), and the launches are counted that
 * this is known to go well for, at least 1. 0 if no input is overwritten. */
bool timing_life(struct lift_device *device, struct runner_module *module,
                 struct runner_data *data, int *life, struct lift_error *error);

/* Some launches that do not count. All calls: false and a failure. */
bool timing_launch(struct timing *t, int count, double *seconds,
                   struct lift_error *error);
/* One sample; the first also finds out the batch. */
bool timing_take(struct timing *t, struct timing_sample *sample,
                 struct lift_error *error);

/* Medians of samples that were taken turn by turn, each of those in the state of the
 * machine that most of all of them are in; of all of its samples, if it has none there.
 */
void timing_medians(const struct timing_sample *const *lists, int lists_count, int count,
                    double *medians);
/* Marks as held back the samples taken in another state than most samples. */
void timing_settle(const struct lift_trip *trips, int count,
                   struct lift_db_clock *clocks);

#endif
