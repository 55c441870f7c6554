/* A candidate in the final benchmark. */
#ifndef EXPLORE_FINAL_FINALIST_H
#define EXPLORE_FINAL_FINALIST_H

#include "base/stats.h"
#include "explore/final/final.h"
#include "explore/session/trial_queue.h"
#include "tuner/joint.h"

/* It may be timed against those that joined later, too. */
enum {
    FINALIST_SAMPLES = FINAL_ROUNDS * FINAL_SAMPLES * (MOST_FINALISTS - FINALISTS + 1)
};

struct finalist {
    struct attempt *attempt; /* its score is that of the search; the naive kernel is timed
                                along with the finalists, and is none */
    int steps;               /* of its derivation */
    double samples[FINALIST_SAMPLES];
    struct lift_db_clock clocks[FINALIST_SAMPLES];
    struct lift_trip trips[FINALIST_SAMPLES];
    int held[FINALIST_SAMPLES]; /* 'throttled' of the clocks, as the device said */
    int count;
    double measure_s; /* what the samples cost */
};

/* It was built, and nothing was wrong so far. */
bool finalist_is_well(const struct finalist *one);
/* Its row. False if the database says no. */
bool finalist_start(struct device_session *l, struct finalist *one);
/* A step in the runner of the final benchmark, LOAD or TIME: until the time is over. */
void finalist_ask(const struct session *s, struct lift_worker *runner,
                  enum trial_task step, int slot, struct finalist *one);
/* Marks as held back the samples taken in another state of the machine than most samples,
 * where a finalist has samples in the common state. */
void finalist_settle(struct finalist *list, int count);
/* 0 if it was not timed. */
double finalist_median(const struct finalist *one);
/* The samples that count, with a confidence interval; there is one at least. */
struct lift_interval finalist_interval(const struct finalist *one);
/* Stores what became of it. False if the database says no. */
bool finalist_finish(struct device_session *l, struct finalist *one);

#endif
