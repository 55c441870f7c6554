/* A candidate in the final benchmark. */
#ifndef EXPLORE_FINAL_FINALIST_H
#define EXPLORE_FINAL_FINALIST_H

#include "base/stats.h"
#include "explore/final/final.h"
#include "explore/session/trial_queue.h"
#include "tuner/joint.h"

/* Most samples of a finalist; a winner is timed again with later finalists. */
enum {
    FINALIST_SAMPLES = FINAL_ROUNDS * FINAL_SAMPLES * (MOST_FINALISTS - FINALISTS + 1)
};

struct finalist {
    struct attempt *attempt; /* its score is from the search; the naive kernel is timed
                                with the finalists, but is none */
    int depth, time_steps;   /* index and number of its time steps a launch */
    int steps;               /* steps of its derivation */
    double samples[FINALIST_SAMPLES];
    struct lift_db_clock clocks[FINALIST_SAMPLES];
    struct lift_trip trips[FINALIST_SAMPLES];
    int held[FINALIST_SAMPLES]; /* 'throttled' of the clocks, as the device reported it */
    int count;
    struct lift_load_sum load; /* work of other processes during the samples */
    double measure_s;          /* seconds spent on samples */
};

/* True if the finalist is built and has not failed. */
bool finalist_is_well(const struct finalist *one);
/* Adds the database row. Returns false if the database fails. */
bool finalist_start(struct device_session *l, struct finalist *one);
/* Runs a step, LOAD or TIME, in the runner of the final benchmark, until the time limit.
 */
void finalist_ask(const struct session *s, struct lift_worker *runner,
                  enum trial_task step, int slot, struct finalist *one);
/* Marks as held back the samples taken in another state of the machine than most samples,
 * where a finalist has samples in the common state. If threads of some finalist waited
 * for cores in nearly all samples, marks all but the shortest quarter of each finalist's
 * samples instead. */
void finalist_settle(struct finalist *list, int count);
/* Seconds a time step; 0: not timed. */
double finalist_median(const struct finalist *one);
/* The samples in the common machine state, in seconds a time step, with a confidence
 * interval; at least one sample. */
struct lift_interval finalist_interval(const struct finalist *one);
/* Stores the result. Returns false if the database fails. */
bool finalist_finish(struct device_session *l, struct finalist *one);

#endif
