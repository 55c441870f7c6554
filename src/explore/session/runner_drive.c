#include "explore/session/runner_drive.h"
#include "base/seconds.h"
#include "explore/session/session.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FAILURES = 3 };

/* Seconds of a health check, which opens the device, loads and runs the known kernel; and
 * the pause between checks. */
static const double health_seconds = 60, health_pause = 2;

static const double reference_seconds = 600; /* most for the first reference */

/* Least seconds of a running trial after the end of the session's time. */
static const double least_seconds = 5;

/* ---- the next trial */

static bool choose_recheck(struct device_session *l)
{
    struct drive *d = &l->drive;
    struct attempt *good = &d->good;

    d->recheck = false;
    d->task = DRIVE_RECHECK;
    return record_start(&device_session_depth(l, good->choice.expr)->recorder,
                        &l->spaces[good->choice.expr], good->choice.values,
                        LIFT_TRIAL_PHASE_RECHECK, &good->id) &&
           lift_db_trial_launch(l->session->db, good->id);
}

/* The first ready trial for whose reference there is time. */
static struct attempt *find_ready(struct device_session *l)
{
    struct queue *q = &l->queue;

    for (int64_t i = q->first; i < q->next; i++) {
        struct attempt *a = queue_at(q, i);

        if (a->stage == ATTEMPT_READY &&
            (!a->on_slab || session_has_slab_time(l->session)))
            return a;
    }
    return NULL;
}

bool drive_has_ready(struct device_session *l)
{
    return find_ready(l) != NULL;
}

static bool choose_trial(struct device_session *l)
{
    struct attempt *a = find_ready(l);

    if (!a)
        return true;
    a->stage = ATTEMPT_RUNNING;
    l->drive.attempt = a;
    l->drive.task = DRIVE_TRIAL;
    return lift_db_trial_launch(l->session->db, a->id);
}

bool drive_choose(struct device_session *l, bool trials)
{
    struct drive *d = &l->drive;

    if (d->task != DRIVE_IDLE || l->result->lost)
        return true;
    if (d->preparation) {
        d->task = DRIVE_REFERENCE;
        return true;
    }
    if (d->unwell) {
        if (d->known.stage == ATTEMPT_READY && lift_seconds() >= d->not_before)
            d->task = DRIVE_HEALTH;
        return true;
    }
    if (d->again) {
        d->task = DRIVE_TRIAL;
        return true;
    }
    if (d->recheck)
        return choose_recheck(l);
    return !trials || choose_trial(l);
}

/* ---- sending */

/* Most seconds of timing a kernel: few with a small budget. The final benchmark separates
 * kernels of similar speed. */
static double patience(const struct session *s)
{
    const double most = TRIAL_PATIENCE, least = 0.25, share = 1.0 / 120;

    if (s->options->seconds <= 0)
        return most;
    return fmax(least, fmin(most, share * s->options->seconds));
}

/* True for the first kernel of a session, which is not compared with earlier sessions:
 * the machine may be in another state. */
static bool is_first(const struct device_session *l, const struct attempt *a)
{
    return a->source == FRONTIER_FIRST && a == l->queue.ring;
}

static void send_trial(struct device_session *l, const struct attempt *a)
{
    double best = is_first(l, a) ? 0 : l->result->progress.best_seconds;
    struct trial_request asked = {.parts = TRIAL_BOTH,
                                  .depth = l->depth_of[a->choice.expr],
                                  .slab = a->on_slab,
                                  .known = a->slab.status == LIFT_TRIAL_OK,
                                  .best = a->on_slab ? l->best_on_slab : best,
                                  .quiet = l->device.info.is_cpu,
                                  .baseline = a->plain,
                                  .patience = patience(l->session)};
    LIFT_SCOPED(lift_str) request = {0};

    built_send(&a->built, &asked, &request);
    lift_worker_begin(l->runner, request.data, request.len,
                      explore_run_seconds(l->session->problem));
}

static void send_reference(struct device_session *l)
{
    struct trial_request asked = {.task = TRIAL_REFERENCE,
                                  .parts = l->drive.preparation == DRIVE_BUILD_REFERENCE
                                               ? TRIAL_SMALL
                                               : TRIAL_FULL};

    lift_worker_begin(l->runner, &asked, sizeof asked, reference_seconds);
}

void drive_prepare(struct device_session *l)
{
    struct drive *d = &l->drive;

    if (l->session->options->only_final)
        return;
    d->preparation = l->benches[0].own ? DRIVE_BUILD_REFERENCE : DRIVE_MAKE_REFERENCE;
    if (l->benches[0].own) {
        d->task = DRIVE_REFERENCE;
        drive_send(l);
    }
}

static void send_health(struct device_session *l)
{
    struct trial_request asked = {.task = TRIAL_HEALTH};
    LIFT_SCOPED(lift_str) request = {0};
    double late = l->device.info.compiles_late ? explore_build_seconds() : 0;

    built_send(&l->drive.known.built, &asked, &request);
    lift_worker_begin(l->runner, request.data, request.len, health_seconds + late);
}

void drive_send(struct device_session *l)
{
    struct drive *d = &l->drive;

    if (d->task == DRIVE_IDLE || d->sent)
        return;
    d->sent = true;
    d->sent_at = lift_seconds();
    switch (d->task) {
    case DRIVE_IDLE:
        break;
    case DRIVE_REFERENCE:
        send_reference(l);
        break;
    case DRIVE_TRIAL:
        send_trial(l, d->attempt);
        break;
    case DRIVE_HEALTH:
        send_health(l);
        break;
    case DRIVE_RECHECK:
        send_trial(l, &d->good);
        break;
    }
}

/* ---- answers */

/* True if the runner or the device is unreliable after this status. */
static bool is_harmful(enum lift_trial_status status)
{
    return status == LIFT_TRIAL_CRASH || status == LIFT_TRIAL_RUN_TIMEOUT ||
           status == LIFT_TRIAL_RUN_ERROR || status == LIFT_TRIAL_OVERFLOW ||
           status == LIFT_TRIAL_LOST;
}

static void renew(struct device_session *l)
{
    lift_worker_end(l->runner);
    l->drive.fresh = true;
}

/* Marks the runner as idle. */
static void put_down(struct drive *d)
{
    if (d->sent)
        d->busy += lift_seconds() - d->sent_at;
    if (d->sent && d->task == DRIVE_TRIAL)
        pace_add(&d->pace, lift_seconds() - d->sent_at);
    d->sent = false;
    d->task = DRIVE_IDLE;
}

static void leave(struct drive *d)
{
    d->attempt = NULL;
    d->again = false;
}

/* Extrapolates the time to the whole grid, by the number of points. */
static void extrapolate(const struct device_session *l, struct trial_reply *end)
{
    double times =
        (double)l->session->problem->points / (double)l->benches[0].slab->problem->points;

    for (int i = 0; i < end->sample_count; i++)
        end->samples[i] *= times;
    end->best_then *= times;
    end->best_now = 0;
}

static void finish(struct device_session *l, const struct trial_reply *end)
{
    struct attempt *a = l->drive.attempt;

    attempt_end(a, end);
    if (a->on_slab)
        extrapolate(l, &a->end);
    else
        trial_add_slab(&a->end, &a->slab);
    a->score =
        trial_score(&a->end, device_session_steps(l, a->choice.expr), &l->best_score);
    leave(&l->drive);
}

static void enlarge(struct device_session *l, const struct trial_reply *end)
{
    struct attempt *a = l->drive.attempt;
    int steps = device_session_steps(l, a->choice.expr);
    double seconds = trial_median(end) / steps;

    if (l->best_on_slab <= 0 || seconds < l->best_on_slab)
        l->best_on_slab = seconds;
    attempt_enlarge(a, end);
    extrapolate(l, &a->slab);
    a->score = trial_score(&a->slab, steps, &l->best_score);
    leave(&l->drive);
}

/* Clears the failure of a trial that succeeds alone: another trial caused it. */
static void clear_victim(struct device_session *l)
{
    device_session_event(l, "victim",
                         "a trial failed after another trial and succeeds alone");
    l->drive.recheck = l->drive.good.built.full != NULL;
    renew(l);
}

static void note_reference(struct device_session *l, const struct trial_reply *end,
                           bool slab)
{
    struct session *s = l->session;

    if (slab)
        s->slab_known = true;
    else
        s->reference_seconds = fmax(s->reference_seconds, end->reference_s);
    if (*end->made_on_host)
        device_session_event(l, "reference", end->made_on_host);
    if (end->no_reference)
        session_fail(s, "%s", end->reason);
}

/* After a failure, the first trial makes the reference and tells the reason. */
static void take_reference(struct device_session *l, const struct trial_reply *end)
{
    struct drive *d = &l->drive;

    note_reference(l, end, false);
    d->preparation =
        end->status == LIFT_TRIAL_OK && d->preparation == DRIVE_BUILD_REFERENCE
            ? DRIVE_MAKE_REFERENCE
            : DRIVE_PREPARED;
    if (is_harmful(end->status))
        renew(l);
}

static void take_trial(struct device_session *l, const struct trial_reply *end)
{
    struct drive *d = &l->drive;
    bool harmful = is_harmful(end->status) || end->killed, first = d->fresh;

    note_reference(l, end, d->attempt->on_slab);
    d->fresh = false;
    if (!harmful) {
        if (d->again) {
            clear_victim(l);
        } else if (end->status == LIFT_TRIAL_OK && !d->attempt->on_slab) {
            built_release(&d->good.built);
            d->good =
                (struct attempt){.choice = d->attempt->choice, .slab = d->attempt->slab};
            built_copy(&d->good.built, &d->attempt->built);
        }
        if (d->attempt->on_slab && end->status == LIFT_TRIAL_OK)
            enlarge(l, end);
        else
            finish(l, end);
        return;
    }
    d->attempt->end = *end;
    d->again = end->killed ? !d->again : !first && end->status != LIFT_TRIAL_OVERFLOW;
    d->unwell = true;
    renew(l);
}

static void take_recheck(struct device_session *l, const struct trial_reply *end)
{
    struct drive *d = &l->drive;

    d->fresh = false;
    if (is_harmful(end->status) || end->killed) {
        d->unwell = true;
        renew(l);
    }
    if (end->status != LIFT_TRIAL_OK)
        device_session_event(l, "recheck", end->reason);
    device_session_note_recheck(
        l, &d->good.choice, end->status,
        trial_score(end, device_session_steps(l, d->good.choice.expr), &l->best_score));
    if (!record_finish(&device_session_depth(l, d->good.choice.expr)->recorder,
                       d->good.id, end, NULL, NULL))
        session_db_fail(l->session);
}

static void quarantine(struct device_session *l, const char *reason)
{
    struct drive *d = &l->drive;
    struct trial_reply end = {.status = LIFT_TRIAL_DEVICE_LOST};

    snprintf(end.reason, sizeof end.reason, "the device failed its health check: %.100s",
             reason);
    if (d->attempt)
        finish(l, &end);
    device_session_lose(l,
                        "device '%s' failed its health check %d times in a row (%s) and "
                        "is excluded; see 'lift devices', reset the device or its "
                        "driver, then start again: the results so far are kept",
                        l->result->name, MOST_FAILURES, reason);
}

static void take_health(struct device_session *l, const struct trial_reply *end)
{
    struct drive *d = &l->drive;

    if (end->status == LIFT_TRIAL_OK) {
        d->unwell = false;
        d->failures = 0;
        if (d->attempt && !d->again)
            finish(l, &d->attempt->end);
        return;
    }
    renew(l);
    device_session_event(l, "health", end->reason);
    d->not_before = lift_seconds() + health_pause;
    if (++d->failures == MOST_FAILURES)
        quarantine(l, end->reason);
}

void drive_step(struct device_session *l)
{
    struct drive *d = &l->drive;
    enum drive_task task = d->task;
    LIFT_SCOPED(lift_str) reply = {0};
    struct lift_worker_result result;
    struct trial_reply end;

    if (!d->sent || !lift_worker_step(l->runner, &reply, &result))
        return;
    trial_read(result, TRIAL_RUNS, &reply, &end);
    interference_add(&l->interference, &end.load, end.clocks, end.sample_count);
    put_down(d);
    if (task == DRIVE_REFERENCE)
        take_reference(l, &end);
    else if (task == DRIVE_TRIAL)
        take_trial(l, &end);
    else if (task == DRIVE_HEALTH)
        take_health(l, &end);
    else
        take_recheck(l, &end);
}

bool drive_is_idle(const struct device_session *l)
{
    const struct drive *d = &l->drive;

    return d->task == DRIVE_IDLE && !d->attempt && !d->recheck &&
           (!d->unwell || l->result->lost);
}

void drive_settle(struct device_session *l)
{
    const struct trial_reply lost = {.status = LIFT_TRIAL_DEVICE_LOST,
                                     .reason = "the device failed its last health check"};
    struct drive *d = &l->drive;

    if (drive_is_idle(l) || (d->sent && d->task == DRIVE_TRIAL && !d->again))
        return;
    renew(l);
    put_down(d);
    d->unwell = d->recheck = false;
    d->preparation = DRIVE_PREPARED;
    if (d->attempt)
        finish(l, d->failures ? &lost : &d->attempt->end);
}

/* A launch may be allowed more seconds than the session has; only the naive kernel may
 * use them. */
void drive_end_straggler(struct device_session *l)
{
    struct trial_reply end = {.status = LIFT_TRIAL_LOST,
                              .reason = "the time limit ended"};
    struct drive *d = &l->drive;

    if (!d->sent || d->task != DRIVE_TRIAL || d->attempt->plain ||
        lift_seconds() - d->sent_at < fmax(least_seconds, session_budget(l->session)))
        return;
    renew(l);
    put_down(d);
    if (d->again)
        end = d->attempt->end;
    finish(l, &end);
}

/* Only the current trial is open; an interrupted second run keeps the first result. */
void drive_abandon(struct device_session *l)
{
    struct trial_reply end = {.status = LIFT_TRIAL_LOST,
                              .reason = "the time limit ended"};
    struct drive *d = &l->drive;

    if (!d->sent || d->task != DRIVE_TRIAL || d->again)
        return;
    renew(l);
    put_down(d);
    finish(l, &end);
}

void drive_fini(struct device_session *l)
{
    struct drive *d = &l->drive;

    built_release(&d->good.built);
    built_release(&d->known.built);
}
