/* The best kernel in five lines, as 'lift best' and explorations print it. */
#ifndef CLI_BEST_LINES_H
#define CLI_BEST_LINES_H

#include "base/stats.h"
#include <jansson.h>
#include <stdbool.h>

/* How a naive kernel compares with one, as JSON: {"seconds", "interval", "confirmed",
 * "missing", "times", "times_interval"}; unknown values are null. */
struct cli_naive {
    struct lift_interval seconds; /* 0: unknown */
    bool confirmed;               /* timed in a final benchmark */
    const char *missing;          /* why there is no time; NULL: it is not said */
};
json_t *cli_naive_json(const struct cli_naive *naive, const struct lift_interval *kernel);

/* Prints speed, speedup, confirmation, schedule and the next command of "gpts",
 * "copy_share", "seconds", "interval", "confirmed", "tied", "naive", "schedule" and
 * "command", one line each; absent fields are skipped. */
void cli_print_best(const json_t *kernel);

#endif
