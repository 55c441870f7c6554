/* A process that compiles stands still while its parent times kernels on the same cores:
 * by SIGUSR1 until SIGUSR2. The signals stop the program that it runs, by SIGSTOP and
 * SIGCONT from the program's guardian (process.c), or the process itself. */
#ifndef DEVICE_PAUSE_H
#define DEVICE_PAUSE_H

#include <signal.h>
#include <sys/types.h>

/* From now on this process obeys both signals. */
void device_pause_obey(void);
/* Adds both signals to a set. */
void device_pause_signals(sigset_t *set);
/* Blocks both; the mask before is the caller's to restore. */
void device_pause_block(sigset_t *before);
/* The signals go to this guardian from now on; 0 or less: to this process again. */
void device_pause_pass_to(pid_t guardian);
/* Seconds for which this process has stood still so far, the pause in progress included.
 */
double device_paused(void);
/* A deadline so many seconds from now, which pauses put off; and the seconds left. */
double device_pause_deadline(double seconds);
double device_pause_left(double deadline);

#endif
