/* The output of 'lift run', and the signals that stop the run. */
#ifndef CLI_RUN_PRINT_H
#define CLI_RUN_PRINT_H

#include "cli/cli.h"
#include "run/simulation.h"

/* The signal that requested the stop; 0: none. */
extern volatile sig_atomic_t run_stopped;

/* True if the standard error is a terminal whose line can be redrawn. */
bool run_can_show(void);
/* The progress line: 'report' of struct sim_options. */
void run_show(void *user, const struct sim_progress *progress);
/* Call before the first step: prints notes if there is a result. Then SIGINT and
 * SIGTERM stop the run after the current launches. A second signal ends the process. */
void run_begin(const struct sim_options *options, const struct sim_result *result,
               bool quiet);
/* Call after the last step: ends the line, and prints a summary on standard output. */
void run_end(const struct sim_options *options, const struct sim_result *result,
             bool quiet);
/* Returns the exit status, after a message that one rank prints. */
int run_status(const struct sim_options *options, const struct sim_result *result);

#endif
