/* How fast is a kernel? */
#include "explore/run.h"

enum { MIN_SAMPLES = 5 };

/* A launch is repeated until there are enough samples and they took so long together,
 * unless that takes too long; a kernel that is so much slower than the best is not timed
 * in full, where that would take a while. */
static const double enough_seconds = 0.02, too_many_seconds = 2, slow_factor = 4,
                    a_while = 1.5;

static bool sample(struct run *r, double *seconds)
{
    struct lift_failure failure = {0};

    if (!runner_launch(r->state->bench->problem, r->state->device, &r->candidate.full,
                       &r->state->data, seconds, &failure))
        return trial_end_failure(&r->t, &failure);
    if (*seconds <= 0)
        *seconds = 1e-9;
    r->t.reply.samples[r->t.reply.sample_count++] = *seconds;
    return true;
}

bool run_measure(struct run *r)
{
    struct trial_reply *reply = &r->t.reply;
    double best = r->request->best, sum = 0, seconds;

    reply->status = LIFT_TRY_OK;
    while (reply->sample_count < TRIAL_SAMPLES) {
        if (reply->sample_count >= MIN_SAMPLES && sum >= enough_seconds)
            return true;
        if (reply->sample_count > 0 && sum >= too_many_seconds)
            return true;
        if (!sample(r, &seconds))
            return false;
        sum += seconds;
        if (best > 0 && reply->sample_count == 1 && seconds > slow_factor * best &&
            seconds * MIN_SAMPLES > a_while)
            return trial_end(&r->t, LIFT_TRY_SLOW, "much slower than the best kernel");
    }
    return true;
}
