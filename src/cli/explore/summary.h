/* The results of an exploration: JSON, which is printed for people, too. */
#ifndef CLI_EXPLORE_SUMMARY_H
#define CLI_EXPLORE_SUMMARY_H

#include "cli/explore/progress.h"
#include "explore/explore.h"
#include <jansson.h>

struct cli_summary {
    const struct lift_explore_result *result; /* not malformed, not failed */
    const struct cli_progress *progress;
    const char *db;
    const struct lift_rules *rules;
    bool json, verbose;
    json_t *depths; /* a member of the JSON, taken; NULL: none */
    json_t *ranks;  /* likewise */
};

/* Returns the exit status. */
int cli_explore_summary(const struct cli_summary *s);

/* summary_print.c: the best kernel of each device and what to do next; if 'verbose', and
 * without a best kernel, the trials, the reasons for skipping the rest, and the cost. */
void cli_explore_print(const json_t *summary, bool verbose);

#endif
