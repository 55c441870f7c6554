/* What 'lift run' says, and the signals that stop it. */
#ifndef CLI_RUN_PRINT_H
#define CLI_RUN_PRINT_H

#include "cli/cli.h"
#include "run/simulation.h"

/* The signal that asks to stop; 0: none. */
extern volatile sig_atomic_t run_stopped;

/* Whether the standard error is a terminal with a line that can be drawn anew. */
bool run_can_show(void);
/* The progress line: 'report' of struct sim_options. */
void run_show(void *user, const struct sim_progress *progress);
/* Before the first step: prints notes if there is a result. From now on SIGINT and
 * SIGTERM stop the run after the current launches; the second one ends the process. */
void run_begin(const struct sim_options *options, const struct sim_result *result,
               bool quiet);
/* After the last one: ends the line, and sums up on the standard output. */
void run_end(const struct sim_options *options, const struct sim_result *result,
             bool quiet);
/* The exit status, after a message that one rank prints. */
int run_status(const struct sim_options *options, const struct sim_result *result);

#endif
