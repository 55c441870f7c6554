/* Ctrl-C, and SIGTERM, while kernels are tried. */
#ifndef CLI_EXPLORE_INTERRUPT_H
#define CLI_EXPLORE_INTERRUPT_H

#include <signal.h>

/* How often so far: 1, or 2 for more. As lift_explore_options takes it. */
extern volatile sig_atomic_t cli_interrupted;
/* From now on the first one says so and is counted, and the second one, too; then the
 * process is ended after two seconds, if it does not end by itself (alarm(0) takes that
 * back). */
void cli_catch_interrupts(void);

#endif
