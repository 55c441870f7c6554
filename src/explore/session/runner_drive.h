/* The runner of a device session, and the health of its device.
 *
 * After a trial that crashed, took too long or made the device fail, the runner is
 * started again and a kernel whose result is known is run before anything else; three
 * failures in a row, and the device is given up. Such a trial may be the victim of
 * another that was run in the same process before: it is then run once more, as the first
 * thing of a fresh runner, and what it does there is its end. If it was a victim, the
 * last good candidate before it is run again, too. A trial whose runner somebody killed
 * is run once more in any case. */
#ifndef EXPLORE_SESSION_RUNNER_DRIVE_H
#define EXPLORE_SESSION_RUNNER_DRIVE_H

#include "explore/session/trial_queue.h"

enum drive_task { DRIVE_IDLE, DRIVE_TRIAL, DRIVE_HEALTH, DRIVE_RECHECK };

struct drive {
    enum drive_task task;
    bool sent;               /* the runner works on the task */
    double sent_at, busy;    /* since when, and for how long in all before, in seconds */
    struct attempt known;    /* the kernel of the health check: from SOURCED to READY */
    struct attempt *attempt; /* the trial in progress, or awaiting the health check */
    bool fresh;              /* the runner has run no trial since it was started */
    bool unwell;             /* a health check is due */
    bool again;              /* the runner must repeat 'attempt' */
    int failures;            /* of the health check, in a row */
    double not_before;       /* when it is made again, by lift_seconds */
    struct attempt good;     /* the last good candidate: its choice and binaries */
    bool recheck;            /* it is to be run again */
};

/* Chooses the runner's next work; the launch is recorded in the current transaction.
 * 'trials': a new trial may begin. False: database error. */
bool drive_choose(struct device_session *l, bool trials);
/* Sends it. */
void drive_send(struct device_session *l);
/* Takes what the runner has answered. */
void drive_step(struct device_session *l);
/* True if no trial is running. */
bool drive_is_idle(const struct device_session *l);
/* Skips further health checks and second runs: the current trial ends with its result. */
void drive_settle(struct device_session *l);
/* The time is over, and no kernel is verified yet: a trial that has been running for as
 * long as the budget (5 s at least) is lost, unless it is the naive kernel. The next one
 * begins. */
void drive_end_straggler(struct device_session *l);
/* The trial that is run is not waited for: it is lost. */
void drive_abandon(struct device_session *l);
void drive_fini(struct device_session *l);

#endif
