/* Times a loaded module on its buffers. A sample is a batch of launches of about a
 * millisecond together, divided by their number: clocks are coarse, and short launches
 * noisy. The buffers rotate as in the program's time loop, so that launches find the
 * caches as in a run. */
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
    int life;  /* launches possible on the data, see timing_life; 0: any number */
    int batch; /* launches of a sample; 0: not known yet */
    int steps; /* time steps of a launch; at least 1 */
};

struct timing_sample {
    double seconds; /* seconds of one time step */
    struct lift_db_clock clock;
    struct lift_trip trip; /* state of the machine */
};

/* In a time loop, a launch reads the results of earlier launches. Random inputs may grow
 * or shrink from step to step. The numbers must remain normal, since others may be
 * slower; integers must remain in the range of random inputs, since they may be indices.
 * The function launches the module on 'data' (of any size, as fitted), and counts the
 * launches with such results, at least 1. When so many launches are done, timing_launch
 * writes the inputs again. 'life' is 0 if launches read no results. If it is less than
 * TIMING_TURNS, all launches use the same buffers. */
enum { TIMING_TURNS = 3 };
bool timing_life(struct lift_device *device, struct runner_module *module,
                 struct runner_data *data, int *life, struct lift_error *error);

/* Launches without recording samples. All functions return false and a failure. */
bool timing_launch(struct timing *t, int count, double *seconds,
                   struct lift_error *error);
/* Takes one sample; the first call also determines the batch. */
bool timing_take(struct timing *t, struct timing_sample *sample,
                 struct lift_error *error);

/* Medians of samples that were taken alternately. Each uses its samples in the most
 * common state of the machine, or all of its samples if it has none in that state. */
void timing_medians(const struct timing_sample *const *lists, int lists_count, int count,
                    double *medians);
/* Marks as held back the samples taken in another state than most samples. */
void timing_settle(const struct lift_trip *trips, int count,
                   struct lift_db_clock *clocks);

#endif
