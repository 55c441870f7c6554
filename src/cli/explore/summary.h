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
    bool json;
    json_t *depths; /* a member of the JSON, taken; NULL: none */
    json_t *ranks;  /* likewise */
};

/* Returns the exit status. */
int cli_explore_summary(const struct cli_summary *s);

/* summary_print.c */
void cli_explore_print(const json_t *summary);

#endif
