/* The runner of a device session, and the health of its device.
 *
 * After a trial that crashed, timed out or made the device fail, the runner is restarted.
 * It first runs a kernel with a known result. After three consecutive failures the
 * session stops using the device.
 *
 * A failed trial may be the victim of an earlier trial in the same process. The trial is
 * therefore repeated as the first of a fresh runner, and the second result counts. If the
 * second run succeeds, the last good candidate before it is run again, too. A trial whose
 * runner was killed from outside is always repeated once. */
#ifndef EXPLORE_SESSION_RUNNER_DRIVE_H
#define EXPLORE_SESSION_RUNNER_DRIVE_H

#include "explore/session/trial_queue.h"

enum drive_task { DRIVE_IDLE, DRIVE_REFERENCE, DRIVE_TRIAL, DRIVE_HEALTH, DRIVE_RECHECK };

/* The work before the first trial that remains. */
enum drive_preparation {
    DRIVE_PREPARED,
    DRIVE_MAKE_REFERENCE, /* of the first inputs */
    DRIVE_BUILD_REFERENCE /* build its kernels, then make the reference */
};

struct drive {
    enum drive_task task;
    enum drive_preparation preparation;
    bool sent;               /* the runner works on the task */
    double sent_at, busy;    /* start of the task; sum of earlier ones (s) */
    struct attempt known;    /* the kernel of the health check: from SOURCED to READY */
    struct attempt *attempt; /* the trial in progress, or awaiting the health check */
    struct pace pace;        /* of trials */
    bool fresh;              /* the runner has run no trial since it was started */
    bool unwell;             /* a health check is due */
    bool again;              /* the runner must repeat 'attempt' */
    int failures;            /* consecutive failures of the health check */
    double not_before;       /* earliest time of the next check, by lift_seconds */
    struct attempt good;     /* the last good candidate: its choice and binaries */
    bool recheck;            /* 'good' must be run again */
};

/* Plans the work before the first trial. Devices with separate memory begin immediately:
 * the runner builds kernels. */
void drive_prepare(struct device_session *l);
/* Chooses the runner's next work, and records the launch in the current transaction.
 * 'trials': a new trial may begin. Returns false on a database error. */
bool drive_choose(struct device_session *l, bool trials);
/* True if a trial could begin. */
bool drive_has_ready(struct device_session *l);
/* Sends the chosen work to the runner. */
void drive_send(struct device_session *l);
/* Processes the runner's answer. */
void drive_step(struct device_session *l);
/* True if no trial is running. */
bool drive_is_idle(const struct device_session *l);
/* Skips further health checks and second runs: the current trial ends with its result, or
 * as DEVICE_LOST if the last health check failed. */
void drive_settle(struct device_session *l);
/* Called when the time is over without a verified kernel. Ends a trial that has run as
 * long as the budget (at least 5 s) as lost, except the naive kernel. The next trial
 * begins. */
void drive_end_straggler(struct device_session *l);
/* Ends the running trial as lost, without waiting. */
void drive_abandon(struct device_session *l);
void drive_fini(struct device_session *l);

#endif
