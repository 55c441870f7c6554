/* The best kernel in five lines, as printed by 'lift best' and explorations. */
#ifndef CLI_BEST_LINES_H
#define CLI_BEST_LINES_H

#include "base/stats.h"
#include <jansson.h>
#include <stdbool.h>

/* Compares a naive kernel with a kernel, as JSON: {"seconds", "interval",
 * "confirmed", "missing", "times", "times_interval"}; unknown values are null. */
struct cli_naive {
    struct lift_interval seconds; /* 0: unknown */
    bool confirmed;               /* timed in a final benchmark */
    const char *missing; /* reason for the missing time; NULL: no reason is printed */
};
json_t *cli_naive_json(const struct cli_naive *naive, const struct lift_interval *kernel);

/* Prints one line each for speed, speedup, confirmation, temporal blocking, schedule,
 * next command and single sweep. The input has "gpts", "copy_share", "seconds",
 * "interval", "confirmed", "tied", "naive", "steps", "schedule", "command",
 * "single_sweep" and "temporal_blocking"; absent fields are skipped. The last two have
 * "steps", "gpts", "copy_share", "seconds" and "confirmed" of another kernel, and
 * "times": the speed of the first kernel divided by its speed.
 * "interference" and "again" mark a kernel that was timed on a busy machine. */
void cli_print_best(const json_t *kernel);

#endif
