/* A compiling process pauses while its parent times kernels on the same cores. The parent
 * sends one signal to pause and another to resume. If the process runs a program, the
 * program's guardian (process.c) stops the program by SIGSTOP and SIGCONT. Otherwise the
 * process itself sleeps.
 *
 * Both are real-time signals, because LLVM in an OpenCL driver replaces the handlers of
 * SIGUSR1 and SIGUSR2: it would ignore the pause, and on SIGUSR2 delete the temporary
 * files of the current compilation. */
#ifndef DEVICE_PAUSE_H
#define DEVICE_PAUSE_H

#include <signal.h>
#include <sys/types.h>

/* The signals; the kernel delivers the lower number first. */
#define DEVICE_PAUSE SIGRTMIN
#define DEVICE_RESUME (SIGRTMIN + 1)

/* Installs the handlers of both signals in this process. */
void device_pause_obey(void);
/* Adds both signals to a set. */
void device_pause_signals(sigset_t *set);
/* Blocks both signals; the caller restores the mask 'before'. */
void device_pause_block(sigset_t *before);
/* Passes the signals to this guardian from now on; 0 or less: to this process again. */
void device_pause_pass_to(pid_t guardian);
/* Returns the seconds of all pauses so far, including the pause in progress. */
double device_paused(void);
/* Return a deadline 'seconds' from now, which pauses postpone, and the seconds left. */
double device_pause_deadline(double seconds);
double device_pause_left(double deadline);

#endif
