/* Calls the worker, and handles missing answers. */
#include "base/locale.h"
#include "explore/trial.h"
#include "explore/trial/runner_limits.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits in seconds. A launch may take ten times as long as the best kernel, and at least
 * a second. Without a best kernel a launch may take ten seconds, plus a time for each
 * grid point. The runner's other work is limited by a constant plus a time for each grid
 * point. */
static const double first_limit = 10, least_limit = 1, run_factor = 10,
                    seconds_per_point = 1e-7, rest_limit = 60;

/* Limit of a compilation in seconds; a build has two, and a limit of 'build_factor'
 * compilations. */
static const double compile_limit = 60, build_factor = 2.5;

static double limit_of(const char *variable, double otherwise)
{
    const char *text = getenv(variable);
    double seconds = text ? lift_strtod(text, NULL) : 0;

    return seconds > 0 ? seconds : otherwise;
}

double explore_build_seconds(void)
{
    return build_factor * limit_of("LIFT_CC_SECONDS", compile_limit);
}

double explore_launch_seconds(const struct explore_problem *p, double best)
{
    double limit = limit_of("LIFT_RUN_SECONDS", first_limit);

    if (best <= 0)
        return limit + seconds_per_point * (double)p->points;
    limit = limit < least_limit ? limit : least_limit;
    return best * run_factor > limit ? best * run_factor : limit;
}

double explore_run_seconds(const struct explore_problem *p)
{
    return rest_limit + seconds_per_point * (double)p->points;
}

static bool set_end(struct trial_reply *r, enum lift_trial_status status,
                    const char *reason)
{
    r->status = status;
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    return false;
}

static bool lost_end(struct trial_reply *r, struct lift_worker_result result,
                     enum trial_step step)
{
    const char *what = step == TRIAL_BUILDS ? "building" : "the kernel";
    const char *why = step == TRIAL_RUNS ? runner_limits_read(&result) : NULL;
    char text[TRIAL_REASON];

    if (result.end == LIFT_WORKER_EXITED && result.code == LIFT_WORKER_NO_MEMORY)
        why = step == TRIAL_BUILDS ? "no memory was left to build it"
                                   : "no memory was left to check it";
    if (why)
        return set_end(r, LIFT_TRIAL_RESOURCE, why);
    r->killed = result.end == LIFT_WORKER_CRASHED && result.code == SIGKILL;
    if (r->killed)
        return set_end(r, LIFT_TRIAL_RESOURCE,
                       "its process was killed, as happens when memory runs out");
    switch (result.end) {
    case LIFT_WORKER_TIMEOUT:
        return step == TRIAL_BUILDS
                   ? set_end(r, LIFT_TRIAL_COMPILE_TIMEOUT, "the compiler took too long")
                   : set_end(r, LIFT_TRIAL_RUN_TIMEOUT, "the kernel ran too long");
    case LIFT_WORKER_CRASHED:
        snprintf(text, sizeof text, "%s ended its process by signal %d", what,
                 result.code);
        return set_end(r, LIFT_TRIAL_CRASH, text);
    default:
        snprintf(text, sizeof text, "%s ended its process with status %d", what,
                 result.code);
        return set_end(r, LIFT_TRIAL_CRASH, text);
    }
}

bool trial_read(struct lift_worker_result result, enum trial_step step,
                const struct lift_str *reply, struct trial_reply *out)
{
    *out = (struct trial_reply){.resources = LIFT_RESOURCES_UNKNOWN};
    if (result.end != LIFT_WORKER_OK)
        return lost_end(out, result, step);
    if (reply->len < sizeof *out)
        return set_end(out, LIFT_TRIAL_CRASH, "the worker's answer is malformed");
    memcpy(out, reply->data, sizeof *out);
    return out->status == LIFT_TRIAL_OK;
}

bool explore_trial_build(struct lift_worker *builder, const struct trial_request *asked,
                         struct lift_str *reply, struct trial_reply *out)
{
    struct lift_worker_result result =
        lift_worker_call(builder, asked, sizeof *asked, explore_build_seconds(), reply);

    return trial_read(result, TRIAL_BUILDS, reply, out);
}

bool explore_trial_run(struct lift_worker *runner, const struct trial_request *asked,
                       const struct lift_str *built, double seconds,
                       struct lift_str *reply, struct trial_reply *out)
{
    struct trial_request request = *asked;
    struct trial_reply build;
    LIFT_SCOPED(lift_str) data = {0};
    struct lift_worker_result result;
    size_t binaries;

    memcpy(&build, built->data, sizeof build);
    request.job_size = build.job_size;
    request.full_size = build.full_size;
    request.small_size = build.small_size;
    binaries = build.full_size + build.small_size;
    lift_str_addn(&data, (const char *)&request, sizeof request);
    lift_str_addn(&data, built->data + sizeof build, build.job_size);
    lift_str_addn(&data, built->data + built->len - binaries, binaries);
    result = lift_worker_call(runner, data.data, data.len, seconds, reply);
    trial_read(result, TRIAL_RUNS, reply, out);
    if (out->status == LIFT_TRIAL_OVERFLOW)
        lift_worker_end(runner);
    return out->status == LIFT_TRIAL_OK;
}
