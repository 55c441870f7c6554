#include "explore/final/finalist_order.h"
#include "base/bug.h"
#include "base/memory.h"
#include <limits.h>
#include <stdlib.h>

static const double confidence = 0.95, margin = 1.02;

static void summarise(struct ranked *r)
{
    LIFT_FREED double *kept = lift_resize(NULL, (size_t)r->count, sizeof *kept);
    int *throttled = lift_resize(NULL, (size_t)r->count, sizeof *throttled), count;

    LIFT_ASSERT(r->count > 0);
    for (int i = 0; i < r->count; i++)
        throttled[i] = r->clocks[i].throttled;
    count = lift_stats_keep(r->samples, throttled, r->count, kept);
    r->seconds = lift_interval_scaled(lift_median_interval(kept, count, confidence),
                                      1.0 / r->time_steps);
    free(throttled);
}

static int by_number(double x, double y)
{
    return (x > y) - (x < y);
}

static int by_merit(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int order = y->tied - x->tied;

    if (!order && x->tied)
        order = by_number(x->registers < 0 ? INT_MAX : x->registers,
                          y->registers < 0 ? INT_MAX : y->registers);
    if (!order && x->tied)
        order = by_number(x->steps, y->steps);
    if (!order)
        order = by_number(x->seconds.median, y->seconds.median);
    return order ? order : by_number(x->index, y->index);
}

void ranking_sort(struct ranked *finalists, int count)
{
    const struct ranked *first = finalists;
    struct lift_interval best;
    int tied = 0;

    for (int i = 0; i < count; i++) {
        summarise(&finalists[i]);
        if (finalists[i].seconds.median < first->seconds.median)
            first = &finalists[i];
    }
    if (count == 0)
        return;
    best = first->seconds;
    for (int i = 0; i < count; i++) {
        finalists[i].tied = lift_interval_ties(&finalists[i].seconds, &best) &&
                            finalists[i].seconds.median <= margin * best.median;
        tied += finalists[i].tied;
    }
    qsort(finalists, (size_t)count, sizeof *finalists, by_merit);
    finalists[0].tied = tied > 1;
}
