/* The coordinator: one process that gives work to builders and runners, waits for them,
 * and records their results. It opens no device. */
#include "base/parallel.h"
#include "base/seconds.h"
#include "explore/final/final.h"
#include "explore/session/session.h"
#include <math.h>

enum { MOST_JOBS_UNASKED = 16 };

/* Seconds: maximum excluded from the time limit; time that current work may take after
 * the limit. */
static const double most_uncounted = 1, grace = 0.5;

double session_budget(const struct session *s)
{
    double more = s->uncounted < most_uncounted ? s->uncounted : most_uncounted;

    return s->options->seconds > 0 ? s->options->seconds + more : 0;
}

double session_deadline(const struct session *s)
{
    return s->started + session_budget(s);
}

double session_left(const struct session *s, double most)
{
    double left = session_deadline(s) + grace - lift_seconds();

    if (s->options->seconds <= 0 || left > most)
        return most;
    return left > 0 ? left : 0;
}

bool session_is_late(const struct session *s)
{
    return s->options->seconds > 0 && session_left(s, grace) <= 0;
}

static void add_up(struct lift_explore_progress *sum,
                   const struct lift_explore_progress *p)
{
    sum->trials += p->trials;
    sum->rejected += p->rejected;
    sum->excluded += p->excluded;
    sum->verified += p->verified;
    sum->exprs += p->exprs;
    sum->compiling += p->compiling;
    sum->waiting += p->waiting;
    for (int i = 0; i < LIFT_TRIAL_STATUSES; i++)
        sum->by_status[i] += p->by_status[i];
    if (p->best_seconds > 0 &&
        (sum->best_seconds <= 0 || p->best_gpts > sum->best_gpts)) {
        sum->best_seconds = p->best_seconds;
        sum->best_steps = p->best_steps;
        sum->naive_seconds = p->naive_seconds;
        sum->naive_low = p->naive_low;
        sum->naive_high = p->naive_high;
        sum->gain = p->gain;
        sum->best_gpts = p->best_gpts;
        sum->best_copy_share = p->best_copy_share;
        sum->in_cache = p->in_cache;
        sum->confirmed = p->confirmed;
    }
}

void session_sum(struct session *s)
{
    const struct lift_explore_options *o = s->options;
    double budget = session_budget(s);
    struct lift_explore_progress sum = {.elapsed = lift_seconds() - s->started,
                                        .budget = budget,
                                        .reserved = final_seconds(s),
                                        .trial_limit =
                                            o->trials * s->device_session_count,
                                        .stage = s->result->progress.stage,
                                        .parts = s->result->parts,
                                        .part_count = s->result->part_count};

    for (int i = 0; i < s->device_session_count; i++) {
        struct lift_explore_progress *p = &s->device_sessions[i].result->progress;

        p->elapsed = sum.elapsed;
        p->budget = budget;
        p->trial_limit = o->trials;
        p->stage = sum.stage;
        p->compiling = queue_count(&s->device_sessions[i].queue, ATTEMPT_PROPOSED,
                                   ATTEMPT_COMPILING);
        p->waiting =
            queue_count(&s->device_sessions[i].queue, ATTEMPT_READY, ATTEMPT_READY);
        add_up(&sum, p);
    }
    s->result->progress = sum;
}

void session_report(struct session *s, const char *stage)
{
    s->result->progress.stage = stage;
    session_sum(s);
    if (s->options->report)
        s->options->report(s->options->user, &s->result->progress);
}

/* ---- compiling or timing */

/* Work of others disturbs a device that is this machine's processor. Its runner loads and
 * checks kernels while builders compile, and asks for quiet before it times them. */
static bool is_disturbed(const struct device_session *l)
{
    return l->device.info.is_cpu;
}

/* Pauses or resumes the processes that make estimates. */
static void pause_depths(const struct session *s, bool pause)
{
    struct lift_worker *workers[DEVICE_SESSIONS * LIFT_MAX_STEPS];
    int count = depths_workers(s, workers);

    for (int i = 0; i < count; i++)
        if (pause)
            lift_worker_pause(workers[i]);
        else
            lift_worker_resume(workers[i]);
}

/* Grants quiet to a runner that asks for it: builders pause. Returns true if builders may
 * begin work. */
static bool arbitrate(struct session *s)
{
    if (s->quiet && !lift_worker_is_quiet(s->quiet->runner)) {
        s->quiet = NULL;
        pool_resume(&s->pool);
        pause_depths(s, false);
    }
    for (int i = 0; i < s->device_session_count && !s->quiet; i++) {
        struct device_session *l = &s->device_sessions[i];

        if (!lift_worker_asks(l->runner))
            continue;
        pool_pause(&s->pool);
        pause_depths(s, true);
        lift_worker_grant(l->runner);
        s->quiet = l;
    }
    return !s->quiet;
}

/* True if the device may run a trial. Two processors are the same cores: one runs a
 * trial at a time, and they alternate. */
static bool has_turn(struct device_session *l)
{
    struct session *s = l->session;

    for (int i = 0; i < s->device_session_count && is_disturbed(l); i++) {
        struct device_session *other = &s->device_sessions[i];

        if (other != l && is_disturbed(other) && !other->result->lost &&
            (!drive_is_idle(other) || (s->turn == l && drive_has_ready(other))))
            return false;
    }
    return true;
}

/* ---- the loop */

/* The second interrupt ends the session immediately. */
static bool is_aborted(const struct session *s)
{
    const struct lift_explore_options *o = s->options;

    return s->result->end == LIFT_EXPLORE_FAILED ||
           (o->interrupted && *o->interrupted > 1);
}

static bool has_tried(const struct device_session *l)
{
    const struct lift_explore_progress *p = &l->result->progress;

    return p->trials + p->rejected > 0 || l->timed_here;
}

/* A trial whose result is not yet in the database may have been verified. */
static bool has_kernel(struct device_session *l)
{
    for (int64_t i = l->queue.first; i < l->queue.next; i++) {
        const struct attempt *a = queue_at(&l->queue, i);

        if (a->stage == ATTEMPT_ENDED && a->end.status == LIFT_TRIAL_OK)
            return true;
    }
    return l->fastest.count > 0 && has_tried(l);
}

/* True if a running trial may yield a verified kernel. Trials that wait for a slab's
 * reference do not count: there is no time. */
static bool has_hope(struct device_session *l)
{
    for (int64_t i = l->queue.first; i < l->queue.next; i++) {
        const struct attempt *a = queue_at(&l->queue, i);

        if (a->stage < ATTEMPT_ENDED && (!a->on_slab || l->session->slab_known))
            return true;
    }
    return l->queue.next == 0 && !l->queue.dry;
}

/* A session does not end without a verified kernel while a trial that began in time may
 * yield one. */
static bool needs_more_time(const struct session *s)
{
    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];

        if (!l->result->lost && !l->session->options->only_final && !has_kernel(l) &&
            has_hope(l))
            return true;
    }
    return false;
}

/* True if the session begins no further trial. */
static bool is_over(struct session *s)
{
    const struct lift_explore_options *o = s->options;
    double now = lift_seconds();

    if (o->interrupted && *o->interrupted) {
        s->result->end = LIFT_EXPLORE_INTERRUPTED;
        return true;
    }
    if (o->seconds <= 0 || (now < session_deadline(s) - s->result->progress.reserved &&
                            session_has_slab_time(s)))
        return false;
    s->extends = needs_more_time(s);
    if (!s->extends)
        s->result->end = LIFT_EXPLORE_BUDGET;
    else if (now > session_deadline(s))
        s->result->extended = now - session_deadline(s);
    return !s->extends;
}

/* Chooses the next work of runners; the database records the work before it begins. */
static bool choose_next(struct device_session *l, bool last)
{
    if (last)
        drive_settle(l);
    pool_promote(l);
    if (!drive_choose(l, !last && !l->result->lost && has_turn(l)))
        return false;
    if (is_disturbed(l) && l->drive.task == DRIVE_TRIAL)
        l->session->turn = l;
    return true;
}

/* Records results and the compilations that begin in the database. The search would
 * disturb a kernel that is being timed. */
static bool take_turn(struct device_session *l, bool last)
{
    return l->session->quiet == l || queue_turn(l, last || l->result->lost);
}

static bool write_device_sessions(struct session *s,
                                  bool (*write)(struct device_session *, bool), bool last)
{
    bool begun = lift_db_begin(s->db), good = begun;

    for (int i = 0; i < s->device_session_count && good; i++)
        good = write(&s->device_sessions[i], last);
    if (good && lift_db_commit(s->db))
        return true;
    session_db_fail(s);
    if (begun && !good) /* a failed commit has rolled back already */
        lift_db_rollback(s->db);
    return false;
}

static bool all_busy(const struct session *s)
{
    for (int i = 0; i < s->device_session_count; i++)
        if (s->device_sessions[i].drive.task == DRIVE_IDLE)
            return false;
    return true;
}

/* Sends work before the technique is called, which may compute as long as a kernel runs.
 */
static bool send_next(struct session *s, bool last)
{
    if (!last && all_busy(s))
        return true;
    if (!write_device_sessions(s, choose_next, last))
        return false;
    for (int i = 0; i < s->device_session_count; i++)
        drive_send(&s->device_sessions[i]);
    return true;
}

static bool is_done(const struct session *s, bool last)
{
    for (int i = 0; i < s->device_session_count; i++) {
        const struct device_session *l = &s->device_sessions[i];

        if (!drive_is_idle(l) || (!last && !l->result->lost && !queue_is_done(l)))
            return false;
    }
    return true;
}

static double wait_for_workers(struct session *s)
{
    double began = lift_seconds();
    struct lift_worker *workers[DEVICE_SESSIONS * (LIFT_MAX_STEPS + 1) + JOBS];
    int count = depths_workers(s, workers);

    for (int i = 0; i < s->pool.count; i++)
        workers[count++] = s->pool.builders[i].worker;
    for (int i = 0; i < s->device_session_count; i++)
        workers[count++] = s->device_sessions[i].runner;
    lift_worker_wait_any(workers, count, 50);
    return lift_seconds() - began;
}

static void report_now_and_then(struct session *s)
{
    double now = lift_seconds();

    if (s->result->progress.trials == s->reported && now - s->reported_at < 1)
        return;
    session_report(s, "trying");
    s->reported = s->result->progress.trials;
    s->reported_at = now;
}

int session_jobs(const struct lift_explore_options *o)
{
    int cores = lift_cores();

    if (o->jobs > 0)
        return o->jobs;
    return cores < MOST_JOBS_UNASKED ? cores : MOST_JOBS_UNASKED;
}

/* During a compilation of a minute, up to this many rounds of others may pass. */
enum { ROUNDS_AHEAD = 64 };

static void set_up(struct session *s)
{
    int jobs = session_jobs(s->options);

    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];
        bool ordered = is_disturbed(l);
        int room = jobs > 1 ? 2 * jobs : ordered ? 1 : 3;

        for (int k = 0; k < s->depth_count; k++)
            l->benches[k].spaces = l->slabs[k].spaces = l->spaces;
        s->benches[i] = l->benches[0];
        l->drive.fresh = true;
        l->drive.known = (struct attempt){.task = TRIAL_HEALTH, .stage = ATTEMPT_SOURCED};
        queue_create(&l->queue, room, ordered ? 2 : ROUNDS_AHEAD, ordered);
    }
    pool_create(s, TRIAL_BOTH);
}

static void find_end(struct session *s, bool last)
{
    bool dry = true, lost = true;

    for (int i = 0; i < s->device_session_count; i++) {
        const struct device_session *l = &s->device_sessions[i];

        dry &= l->queue.dry || l->result->lost;
        lost &= l->result->lost != NULL;
    }
    if (lost)
        session_fail(s, "%s", s->device_sessions[0].result->lost);
    else if (!last && dry)
        s->result->end = LIFT_EXPLORE_EXHAUSTED;
}

/* Ends trials that still run when the time is over. */
static void end_late_trials(struct session *s, bool last)
{
    for (int i = 0; i < s->device_session_count; i++)
        if (last && session_is_late(s))
            drive_abandon(&s->device_sessions[i]);
        else if (!last && s->extends)
            drive_end_straggler(&s->device_sessions[i]);
}

/* Sets the shares of the search's seconds in which builders and runners were busy. */
static void share_out(struct session *s, double seconds, double idle)
{
    for (int i = 0; i < s->device_session_count && seconds > 0; i++) {
        struct device_session *l = &s->device_sessions[i];

        l->result->trying = seconds;
        l->result->jobs = s->pool.count;
        l->result->session_busy = 1 - idle / seconds;
        l->result->runner_busy = l->drive.busy / seconds;
        l->result->compilers_busy = l->compiled / seconds / s->pool.count;
    }
}

/* Ends the attempts that remain; their rows name the reason if they delayed the session's
 * end. */
static void end_attempts(struct session *s, bool last)
{
    if (is_aborted(s)) {
        if (s->result->end != LIFT_EXPLORE_FAILED)
            is_over(s);
        return;
    }
    for (int i = 0; i < s->device_session_count; i++)
        queue_end_stragglers(&s->device_sessions[i]);
    if (write_device_sessions(s, take_turn, true))
        find_end(s, last);
}

bool session_loop(struct session *s)
{
    bool last = false, going = true;
    double began = lift_seconds(), idle = 0;

    set_up(s);
    session_report(s, "trying");
    depths_step(s, false);
    while (going && !is_aborted(s)) {
        bool builds = arbitrate(s);

        last = last || is_over(s);
        end_late_trials(s, last);
        if (!send_next(s, last) || !write_device_sessions(s, take_turn, last))
            break;
        going = !is_done(s, last);
        if (!last && builds)
            pool_start(s);
        if (going)
            idle += wait_for_workers(s);
        pool_step(s);
        depths_step(s, !last && builds);
        for (int i = 0; i < s->device_session_count; i++)
            drive_step(&s->device_sessions[i]);
        report_now_and_then(s);
        if (!last)
            session_look_around(s);
    }
    depths_end(s);
    end_attempts(s, last);
    pool_stop(&s->pool);
    for (int i = 0; i < s->device_session_count; i++)
        queue_fini(&s->device_sessions[i].queue);
    share_out(s, lift_seconds() - began, idle);
    return s->result->end != LIFT_EXPLORE_FAILED;
}
