#include "device/pause.h"
#include "base/seconds.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* Signal handlers write these variables; the handlers interrupt the only thread that
 * reads them. */
static volatile sig_atomic_t is_paused;
static volatile pid_t guardian;
static volatile double since, sum;

double device_paused(void)
{
    return sum + (is_paused ? lift_seconds() - since : 0);
}

double device_pause_deadline(double seconds)
{
    return lift_seconds() + seconds - device_paused();
}

double device_pause_left(double deadline)
{
    return deadline + device_paused() - lift_seconds();
}

/* Sleeps until DEVICE_RESUME. SIGTERM still ends the process. */
static void stand_still(void)
{
    sigset_t mask;

    sigfillset(&mask);
    sigdelset(&mask, DEVICE_RESUME);
    sigdelset(&mask, SIGTERM);
    while (is_paused)
        sigsuspend(&mask);
}

static void on_pause(int signal)
{
    int error = errno;

    (void)signal;
    if (!is_paused)
        since = lift_seconds();
    is_paused = true;
    if (guardian > 0)
        kill(guardian, DEVICE_PAUSE);
    else
        stand_still();
    errno = error;
}

static void on_resume(int signal)
{
    int error = errno;

    (void)signal;
    if (is_paused)
        sum += lift_seconds() - since;
    is_paused = false;
    if (guardian > 0)
        kill(guardian, DEVICE_RESUME);
    errno = error;
}

void device_pause_signals(sigset_t *set)
{
    sigaddset(set, DEVICE_PAUSE);
    sigaddset(set, DEVICE_RESUME);
}

/* The handlers block each other's signal, except during sigsuspend. */
void device_pause_obey(void)
{
    struct sigaction pause = {.sa_handler = on_pause}, resume = {.sa_handler = on_resume};

    is_paused = false;
    guardian = 0;
    sum = 0;
    device_pause_signals(&pause.sa_mask);
    device_pause_signals(&resume.sa_mask);
    sigaction(DEVICE_PAUSE, &pause, NULL);
    sigaction(DEVICE_RESUME, &resume, NULL);
}

void device_pause_block(sigset_t *before)
{
    sigset_t both;

    sigemptyset(&both);
    device_pause_signals(&both);
    sigprocmask(SIG_BLOCK, &both, before);
}

void device_pause_pass_to(pid_t to)
{
    sigset_t before;

    device_pause_block(&before);
    guardian = to;
    if (is_paused && to > 0)
        kill(to, DEVICE_PAUSE);
    else if (is_paused)
        stand_still();
    sigprocmask(SIG_SETMASK, &before, NULL);
}
