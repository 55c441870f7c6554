/* The order of the finalists. */
#ifndef EXPLORE_FINAL_FINALIST_ORDER_H
#define EXPLORE_FINAL_FINALIST_ORDER_H

#include "base/stats.h"
#include "tuner/db_trial.h"

struct ranked {
    int index;             /* the caller's */
    const double *samples; /* seconds, at least one */
    const struct lift_db_clock *clocks;
    int count;
    int registers; /* -1: unknown */
    int steps;     /* of the derivation */
    /* Results. */
    struct lift_interval seconds; /* of the samples that count */
    bool tied; /* one of several that are first as far as the samples can tell */
};

/* Sorts: by the median; those that are at most 2 % slower than the smallest median and
 * whose confidence interval (95 %, order statistics) overlaps that of the smallest come
 * first, in the order of fewer registers, fewer steps, smaller median. */
void ranking_sort(struct ranked *finalists, int count);

#endif
