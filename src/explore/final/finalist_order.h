/* The order of the finalists. */
#ifndef EXPLORE_FINAL_FINALIST_ORDER_H
#define EXPLORE_FINAL_FINALIST_ORDER_H

#include "base/stats.h"
#include "tuner/db_trial.h"

struct ranked {
    int index;             /* the caller's number of the finalist */
    const double *samples; /* seconds, at least one sample */
    const struct lift_db_clock *clocks;
    int count;
    int registers;  /* -1: unknown */
    int steps;      /* steps of the derivation */
    int depth;      /* the caller's number of the kernel's problem */
    int time_steps; /* of a launch */
    /* Results of the ranking. */
    struct lift_interval seconds; /* seconds a time step of samples in the common machine
                                     state */
    bool tied; /* not distinguishable from the fastest by its samples */
};

/* Sorts by the median. Finalists at most 2 % slower than the smallest median come first
 * if their confidence intervals overlap its interval (95 %, order statistics). These are
 * sorted by fewer registers, fewer steps, smaller median. */
void ranking_sort(struct ranked *finalists, int count);

#endif
