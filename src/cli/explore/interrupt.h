/* Ctrl-C, and SIGTERM, during an exploration. */
#ifndef CLI_EXPLORE_INTERRUPT_H
#define CLI_EXPLORE_INTERRUPT_H

#include <signal.h>

/* Number of signals so far: 1, or 2 for more. An input of lift_explore_options. */
extern volatile sig_atomic_t cli_interrupted;
/* Installs the handlers. The first signal prints a message and is counted. The second
 * signal does the same, and starts an alarm that ends the process after two seconds;
 * alarm(0) cancels the alarm. */
void cli_catch_interrupts(void);

#endif
