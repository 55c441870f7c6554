/* Asking the worker, and what becomes of it if it does not answer. */
#include "explore/trial.h"
#include <stdio.h>
#include <string.h>

/* A launch that takes ten times as long as the best one, or ten seconds, is given up;
 * checking takes time by the number of points besides. */
static const double run_limit = 10, run_factor = 10, check_seconds_per_point = 1e-7,
                    check_seconds = 10;

const double explore_build_seconds = 150;

double explore_run_seconds(const struct explore_problem *p,
                           const struct lift_device_info *device, double best)
{
    best *= run_factor;
    return (best > run_limit ? best : run_limit) + check_seconds +
           check_seconds_per_point * (double)p->points +
           (device->compiles_late ? explore_build_seconds : 0);
}

static bool set_end(struct trial_reply *r, enum lift_try_status status,
                    const char *reason)
{
    r->status = status;
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    return false;
}

static bool lost_end(struct trial_reply *r, struct lift_worker_result result,
                     enum trial_step step)
{
    char text[TRIAL_REASON];

    switch (result.end) {
    case LIFT_WORKER_TIMEOUT:
        return step == TRIAL_BUILD
                   ? set_end(r, LIFT_TRY_COMPILE_TIMEOUT, "the compiler took too long")
                   : set_end(r, LIFT_TRY_RUN_TIMEOUT, "the kernel ran too long");
    case LIFT_WORKER_CRASHED:
        snprintf(text, sizeof text, "%s ended its process by signal %d",
                 step == TRIAL_BUILD ? "building" : "the kernel", result.code);
        return set_end(r, LIFT_TRY_CRASH, text);
    default:
        snprintf(text, sizeof text, "%s ended its process with status %d",
                 step == TRIAL_BUILD ? "building" : "the kernel", result.code);
        return set_end(r, LIFT_TRY_CRASH, text);
    }
}

bool explore_trial_call(struct lift_worker *worker, const struct trial_request *asked,
                        double seconds, struct lift_str *reply, struct trial_reply *out)
{
    struct lift_worker_result result;

    *out = (struct trial_reply){.resources = {-1, -1, -1, -1}};
    lift_str_clear(reply);
    result = lift_worker_call(worker, asked, sizeof *asked, seconds, reply);
    if (result.end != LIFT_WORKER_OK)
        return lost_end(out, result, asked->step);
    if (reply->len < sizeof *out)
        return set_end(out, LIFT_TRY_CRASH, "the worker answered nonsense");
    memcpy(out, reply->data, sizeof *out);
    return out->status == LIFT_TRY_OK;
}
