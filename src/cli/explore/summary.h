/* The results of an exploration: collected as JSON, and printed for people. */
#ifndef CLI_EXPLORE_SUMMARY_H
#define CLI_EXPLORE_SUMMARY_H

#include "cli/explore/progress.h"
#include "explore/explore.h"
#include <jansson.h>

struct cli_summary {
    const struct lift_explore_result *result; /* successful */
    const struct cli_progress *progress;
    const char *db;
    const char *file, *precision; /* as the user named them; precision NULL: the file's */
    const struct lift_rules *rules;
    bool json, verbose;
    json_t *ranks; /* a member for the JSON, owned by the callee; NULL: none */
};

/* Prints the summary and returns the exit status. */
int cli_explore_summary(const struct cli_summary *s);

/* summary_print.c: prints the best kernel of each device and the next steps. If
 * 'verbose', or without a best kernel, prints the trials, the reasons for skipped
 * parts, and the cost. */
void cli_explore_print(const json_t *summary, bool verbose);

#endif
