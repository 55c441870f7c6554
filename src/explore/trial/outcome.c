/* Ends a step of a trial, in the worker. */
#include "base/bug.h"
#include "base/stats.h"
#include "explore/trial.h"
#include <math.h>
#include <string.h>

/* States of the machine change a kernel's time by at most this factor. A larger change is
 * a disturbance of one of the two times. */
static const double most_change = 2;

void trial_start(struct trial_outcome *t)
{
    *t = (struct trial_outcome){.reply.resources = LIFT_RESOURCES_UNKNOWN};
}

int trial_kept(const struct trial_reply *reply, double *kept)
{
    int throttled[TRIAL_SAMPLES] = {0};

    for (int i = 0; i < reply->sample_count; i++)
        throttled[i] = reply->clocks[i].throttled;
    return lift_stats_keep(reply->samples, throttled, reply->sample_count, kept);
}

double trial_median(const struct trial_reply *reply)
{
    double kept[TRIAL_SAMPLES];

    return lift_median(kept, trial_kept(reply, kept));
}

void trial_add_slab(struct trial_reply *reply, const struct trial_reply *slab)
{
    struct lift_db_check checks[TRIAL_CHECKS];
    int count = 0;

    for (int i = 0; i < slab->check_count; i++)
        checks[count++] = slab->checks[i];
    for (int i = 0; i < reply->check_count && count < TRIAL_CHECKS; i++)
        checks[count++] = reply->checks[i];
    memcpy(reply->checks, checks, sizeof checks);
    reply->check_count = count;
    reply->check_s += slab->check_s;
    reply->measure_s += slab->measure_s;
}

double trial_score(const struct trial_reply *end, int steps, double *best_score)
{
    bool known = end->best_then > 0 && *best_score > 0; /* two times of one kernel */
    double score = trial_median(end) / steps, scale = 1;

    if (known)
        scale = *best_score / end->best_then;
    if (scale <= most_change && scale * most_change >= 1)
        score *= scale;
    if (end->is_best)
        *best_score = score = known ? fmin(score, *best_score) : score;
    return score;
}

const char *trial_log(const struct trial_reply *end, const struct lift_str *reply)
{
    if (reply->len < sizeof *end || !end->log_size)
        return "";
    return reply->data + sizeof *end + end->job_size;
}

bool trial_end(struct trial_outcome *t, enum lift_trial_status status, const char *reason)
{
    size_t len = strcspn(reason, "\n");

    if (len >= TRIAL_REASON)
        len = TRIAL_REASON - 1;
    t->reply.status = status;
    memcpy(t->reply.reason, reason, len);
    t->reply.reason[len] = '\0';
    if (strlen(reason) > len)
        lift_str_addf(&t->log, "%s\n", reason);
    return false;
}

/* Compilers begin messages with a file name, which varies: the reason starts at "error:
 * ". */
bool trial_end_failure(struct trial_outcome *t, struct lift_error *error)
{
    static const enum lift_trial_status statuses[] = {
        [LIFT_ERROR_NONE] = LIFT_TRIAL_RUN_ERROR,
        [LIFT_ERROR_COMPILE] = LIFT_TRIAL_COMPILE_ERROR,
        [LIFT_ERROR_RESOURCE] = LIFT_TRIAL_RESOURCE,
        [LIFT_ERROR_LAUNCH] = LIFT_TRIAL_LAUNCH_ERROR,
        [LIFT_ERROR_RUN] = LIFT_TRIAL_RUN_ERROR,
        [LIFT_ERROR_OVERFLOW] = LIFT_TRIAL_OVERFLOW,
        [LIFT_ERROR_DEVICE] = LIFT_TRIAL_LOST,
    };
    const char *text = lift_str_get(&error->text), *why = NULL;
    enum lift_trial_status status;

    LIFT_ASSERT(error->code < sizeof statuses / sizeof *statuses);
    status = statuses[error->code];
    if (status == LIFT_TRIAL_COMPILE_ERROR) {
        lift_str_addf(&t->log, "%s\n", text);
        if (strstr(text, "time limit"))
            status = LIFT_TRIAL_COMPILE_TIMEOUT;
        why = strstr(text, "error: ");
    }
    trial_end(t, status, why ? why : text);
    lift_error_fini(error);
    return false;
}

size_t trial_add_text(struct lift_str *reply, const struct lift_str *text)
{
    if (text->len == 0)
        return 0;
    lift_str_addn(reply, text->data, text->len + 1);
    return text->len + 1;
}
