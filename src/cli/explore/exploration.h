/* Runs lift_explore once, with the progress line and the interrupts of a command. */
#ifndef CLI_EXPLORE_EXPLORATION_H
#define CLI_EXPLORE_EXPLORATION_H

#include "cli/explore/progress.h"
#include "explore/explore.h"

struct cli_exploration {
    struct lift_explore_result result;
    struct cli_progress progress;
    const char *alive; /* as in struct cli_progress */
};

/* Runs an exploration. Returns CLI_DONE if the result can be summarised; otherwise
 * the exit status, after a message. The caller releases the struct with
 * cli_exploration_fini in any case. */
int cli_exploration_run(struct cli_exploration *e,
                        const struct lift_explore_options *options, bool quiet);
void cli_exploration_fini(struct cli_exploration *e);

#endif
