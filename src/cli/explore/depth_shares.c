/* Who gets which part of a budget, and who leads. */
#include "cli/explore/depths.h"
#include <math.h>

/* A session that is shorter than both would end before it has begun to search; nor is one
 * of use that spends most of its time until its first kernel is verified. */
static const double least_seconds = 10, least_part = 1.0 / 16;
/* Of the first session, which finds out how long that takes. */
static const double first_part = 1.0 / 4;
static const double shortest_seconds = 0.1;
/* So that each is explored once where starting takes longer than its share. */
static const double late_part = 1.0 / 3;

int cli_depth_rungs(int depths)
{
    int rungs = 1;

    for (; depths > 1; depths = (depths + 1) / 2)
        rungs++;
    return rungs;
}

double cli_depth_least(const struct cli_share *budget, double start)
{
    return fmax(fmin(least_seconds, budget->seconds * least_part),
                LIFT_EXPLORE_STARTS * start);
}

double cli_depth_first(const struct cli_share *budget)
{
    return fmin(least_seconds, budget->seconds * first_part);
}

int cli_depth_rungs_left(const struct cli_share *budget, const struct cli_share *used,
                         double least, int rungs)
{
    while (rungs > 1 && budget->seconds > 0 &&
           budget->seconds - used->seconds < rungs * least)
        rungs--;
    return rungs;
}

struct cli_share cli_depth_rung_end(const struct cli_share *budget,
                                    const struct cli_share *used, int rungs_left)
{
    int64_t tries = budget->tries - used->tries;

    return (struct cli_share){used->seconds +
                                  (budget->seconds - used->seconds) / rungs_left,
                              used->tries + tries / rungs_left};
}

/* A rung may take a part of what the next ones would have; a session that would have less
 * than half of what it needs is not begun. */
static bool is_over(const struct cli_share *budget, const struct cli_share *used,
                    const struct cli_share *end, double least)
{
    double more = late_part * (budget->seconds - end->seconds);

    return (budget->seconds > 0 && (used->seconds + least / 2 > end->seconds + more ||
                                    used->seconds + least / 2 > budget->seconds)) ||
           (budget->tries > 0 && used->tries >= budget->tries);
}

bool cli_depth_share(const struct cli_share *budget, const struct cli_share *used,
                     const struct cli_share *end, int left, double least,
                     struct cli_share *out)
{
    int64_t tries = (end->tries - used->tries) / left;

    out->seconds = fmin(fmax((end->seconds - used->seconds) / left, least),
                        budget->seconds - used->seconds);
    if (budget->seconds > 0)
        out->seconds = fmax(out->seconds, shortest_seconds); /* 0 is no limit */
    out->tries = budget->tries <= 0 ? 0 : tries > 1 ? tries : 1;
    return !is_over(budget, used, end, least);
}

/* ---- order */

static double value_of(const struct cli_depth *depth, int device, bool estimate)
{
    return estimate ? depth->devices[device].estimate : depth->devices[device].gpts;
}

/* Of the depths, the largest on the device. */
static int greatest(const struct cli_depth *depths, int count, int device, bool estimate)
{
    int best = -1;

    for (int i = 0; i < count; i++)
        if (value_of(&depths[i], device, estimate) >
            (best < 0 ? 0 : value_of(&depths[best], device, estimate)))
            best = i;
    return best;
}

static double score(const struct cli_depth *depths, int count, int which, bool estimate)
{
    double most = 0;

    for (int d = 0; d < depths[which].device_count; d++) {
        int best = greatest(depths, count, d, estimate);

        if (best >= 0)
            most = fmax(most, value_of(&depths[which], d, estimate) /
                                  value_of(&depths[best], d, estimate));
    }
    return most;
}

void cli_depths_rank(struct cli_depth *depths, int count, bool by_estimates)
{
    double scores[LIFT_MAX_STEPS];

    for (int i = 0; i < count; i++)
        scores[i] = score(depths, count, i, by_estimates);
    for (int i = 1; i < count; i++) {
        struct cli_depth moved = depths[i];
        double own = scores[i];
        int at = i;

        for (; at > 0 && scores[at - 1] < own; at--) {
            depths[at] = depths[at - 1];
            scores[at] = scores[at - 1];
        }
        depths[at] = moved;
        scores[at] = own;
    }
}

int cli_depths_best(const struct cli_depth *depths, int count, int device)
{
    return greatest(depths, count, device, false);
}
