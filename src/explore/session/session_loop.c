/* The coordinator: one process that waits for builders and runners, hands them what is to
 * be done, and writes what they find. It opens no device. */
#include "explore/final/final.h"
#include "explore/session/session.h"
#include "explore/trial/reference.h"
#include "lift/bug.h"
#include "lift/db_query.h"
#include "lift/parallel.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_JOBS_UNASKED = 16 };

double session_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What the time limit does not count at most; and how long what is in hand at the end has
 * to come to its own end. */
static const double most_uncounted = 1, grace = 0.5;

static double budget_of(const struct session *s)
{
    double more = s->uncounted < most_uncounted ? s->uncounted : most_uncounted;

    return s->options->seconds > 0 ? s->options->seconds + more : 0;
}

double session_deadline(const struct session *s)
{
    return s->started + budget_of(s);
}

double session_left(const struct session *s, double most)
{
    double left = session_deadline(s) + grace - session_now();

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
    sum->tries += p->tries;
    sum->verified += p->verified;
    sum->exprs += p->exprs;
    sum->compiling += p->compiling;
    sum->waiting += p->waiting;
    for (int i = 0; i < LIFT_TRY_STATUSES; i++)
        sum->by_status[i] += p->by_status[i];
    if (p->best_seconds > 0 &&
        (sum->best_seconds <= 0 || p->best_gpts > sum->best_gpts)) {
        sum->best_seconds = p->best_seconds;
        sum->plain_seconds = p->plain_seconds;
        sum->gain = p->gain;
        sum->best_gpts = p->best_gpts;
        sum->best_roof = p->best_roof;
    }
}

void session_sum(struct session *s)
{
    const struct lift_explore_options *o = s->options;
    double budget = budget_of(s);
    struct lift_explore_progress sum = {.elapsed = session_now() - s->started,
                                        .budget = budget,
                                        .reserved = final_seconds(s),
                                        .try_limit = o->tries * s->device_session_count,
                                        .stage = s->result->progress.stage,
                                        .parts = s->result->parts,
                                        .part_count = s->result->part_count};

    for (int i = 0; i < s->device_session_count; i++) {
        struct lift_explore_progress *p = &s->device_sessions[i].result->progress;

        p->elapsed = sum.elapsed;
        p->budget = budget;
        p->try_limit = o->tries;
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

/* ---- what is known */

static void set_best(struct device_session *l, double seconds)
{
    struct lift_explore_progress *p = &l->result->progress;
    const struct explore_problem *problem = l->session->problem;
    double roof = l->device.copy_gbs;

    p->best_seconds = seconds;
    p->best_gpts = (double)problem->points / seconds * 1e-9;
    p->best_roof = roof > 0 ? (double)problem->bytes / seconds * 1e-9 / roof : 0;
    p->gain = l->timed_here ? p->plain_seconds / seconds : 0;
}

void device_session_set_best(struct device_session *l, double seconds)
{
    l->timed_here = true;
    set_best(l, seconds);
}

static bool is_of(const void *entry, const void *key)
{
    const struct candidate_space *candidates = entry;
    const struct lift_hash *expr = key;

    return lift_hash_equal(candidates->term->hash, *expr);
}

int device_session_space_of(const struct device_session *l, struct lift_hash expr)
{
    const struct candidate_space *candidates =
        lift_table_find(&l->space_by_hash, expr.lo, &expr, is_of);

    return candidates ? (int)(candidates - l->spaces) : -1;
}

/* A candidate that was right once and is not any more counts for nothing. */
static void note_result(struct device_session *l, const struct lift_choice *choice,
                        enum lift_try_status status, double seconds)
{
    switch (status) {
    case LIFT_TRY_OK:
        fastest_put(&l->fastest, choice, seconds);
        break;
    case LIFT_TRY_WRONG:
    case LIFT_TRY_NONFINITE:
    case LIFT_TRY_OVERFLOW:
    case LIFT_TRY_NONDETERMINISTIC:
        fastest_drop(&l->fastest, choice);
        break;
    default:
        break;
    }
}

static bool is_timed(enum lift_try_status status)
{
    return status == LIFT_TRY_OK || status == LIFT_TRY_SLOW || status == LIFT_TRY_SLAB;
}

bool device_session_find(const struct device_session *l, const struct lift_db_tried *row,
                         struct lift_choice *choice, struct lift_outcome *outcome)
{
    const struct explore_problem *p = l->session->problem;
    double work = (double)(p->points > p->bytes ? p->points : p->bytes);
    bool ok = is_timed(row->status);

    *choice = (struct lift_choice){.expr = device_session_space_of(l, row->expr)};
    *outcome = (struct lift_outcome){ok && row->seconds > 0, row->seconds};
    if (outcome->ok && !lift_db_possible(row->seconds, work))
        return false;
    return row->status != LIFT_TRY_LOST && choice->expr >= 0 &&
           lift_space_parse(l->spaces[choice->expr].space, row->tunables, choice->values);
}

static bool resume_row(void *user, const struct lift_db_tried *row)
{
    struct device_session *l = user;
    struct lift_choice choice;
    struct lift_outcome outcome;
    bool found = device_session_find(l, row, &choice, &outcome);

    if (choice.expr >= 0)
        l->tried[choice.expr] = true;
    if (found)
        note_result(l, &choice, row->status, row->seconds);
    if (found &&
        (row->phase == LIFT_TRY_PHASE_SEARCH || row->phase == LIFT_TRY_PHASE_SEED))
        explore_ask_tell(l->ask, &choice, outcome);
    return true;
}

bool device_session_resume(struct device_session *l)
{
    if (!lift_db_tried(l->recorder.db, l->recorder.problem_id, l->recorder.device_id,
                       resume_row, l))
        return session_db_fail(l->session);
    if (l->fastest.count) {
        l->best_score = l->fastest.rows[0].seconds;
        set_best(l, l->best_score);
    }
    return true;
}

/* ---- what becomes known */

static bool is_strike(enum lift_try_status status)
{
    return status == LIFT_TRY_CRASH || status == LIFT_TRY_RUN_TIMEOUT ||
           status == LIFT_TRY_RUN_ERROR || status == LIFT_TRY_COMPILE_TIMEOUT ||
           status == LIFT_TRY_CODEGEN;
}

static void strike(struct device_session *l, int candidates)
{
    char hex[LIFT_HASH_HEX];
    struct lift_str text = {0};

    if (l->strikes[candidates] < DEVICE_SESSION_STRIKES &&
        ++l->strikes[candidates] == DEVICE_SESSION_STRIKES) {
        lift_str_addf(&text, "expression %s failed %d times: it is tried last",
                      lift_hash_hex(l->spaces[candidates].term->hash, hex),
                      DEVICE_SESSION_STRIKES);
        device_session_event(l, "strike", lift_str_get(&text));
    }
    lift_str_fini(&text);
}

void device_session_account(struct device_session *l, const struct attempt *a)
{
    struct lift_explore_progress *p = &l->result->progress;
    const struct trial_reply *end = &a->end;

    l->tried[a->choice.expr] = true;
    note_result(l, &a->choice, end->status, a->score);
    if (a->plain)
        device_session_take_plain(l, a);
    if (end->best_now > 0)
        device_session_take_best(l, end->best_now);
    if (end->status == LIFT_TRY_OK)
        built_binaries_put(&l->built, &l->session->pool.cache, a);
    if (!a->beside) {
        p->tries++;
        p->by_status[end->status]++;
        p->verified += end->status == LIFT_TRY_OK;
        final_note(l, &a->build, end);
    }
    if (is_strike(end->status))
        strike(l, a->choice.expr);
}

void device_session_tell(struct device_session *l, const struct attempt *a)
{
    bool ok = is_timed(a->stage == ATTEMPT_ENDED ? a->end.status : a->slab.status);

    if (!a->delayed && !a->beside)
        explore_ask_tell(l->ask, &a->choice,
                         (struct lift_outcome){ok && a->score > 0, a->score});
}

void device_session_note_recheck(struct device_session *l,
                                 const struct lift_choice *choice,
                                 enum lift_try_status status, double score)
{
    note_result(l, choice, status, score);
}

void device_session_event(struct device_session *l, const char *kind, const char *text)
{
    struct lift_db_event event = {.kind = kind, .text = text};

    if (!lift_db_put_event(l->recorder.db, l->recorder.session, l->recorder.device_id,
                           &event))
        session_db_fail(l->session);
}

void device_session_lose(struct device_session *l, const char *format, ...)
{
    struct lift_str text = {0};
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    if (!l->result->lost) {
        device_session_event(l, "quarantine", lift_str_get(&text));
        l->result->lost = lift_str_take(&text);
    }
    lift_str_fini(&text);
}

/* ---- whose turn it is */

/* A device that is this machine's processor is not to be timed while others compile on
 * it: its tries are compiled together, and then run while no builder works. */
static bool is_disturbed(const struct device_session *l)
{
    return l->device.info.is_cpu;
}

static bool wants_quiet(const struct device_session *l)
{
    const struct queue *q = &l->queue;

    return is_disturbed(l) && !l->result->lost &&
           queue_count(q, ATTEMPT_PROPOSED, ATTEMPT_COMPILING) == 0 &&
           queue_count(q, ATTEMPT_READY, ATTEMPT_READY) > 0;
}

/* True if builders may begin something. */
static bool arbitrate(struct session *s)
{
    struct device_session *quiet = s->quiet;

    if (quiet && drive_is_idle(quiet) &&
        (quiet->result->lost ||
         queue_count(&quiet->queue, ATTEMPT_READY, ATTEMPT_READY) == 0))
        s->quiet = NULL;
    for (int i = 0; i < s->device_session_count && !s->quiet; i++) {
        struct device_session *l =
            &s->device_sessions[(s->turn + i) % s->device_session_count];

        if (!wants_quiet(l))
            continue;
        if (!pool_is_idle(&s->pool) || s->reference)
            return false;
        s->quiet = l;
        s->turn = (s->turn + i + 1) % s->device_session_count;
    }
    return !s->quiet;
}

static bool may_run(const struct session *s, const struct device_session *l)
{
    return !is_disturbed(l) || s->quiet == l;
}

/* ---- the loop */

/* Twice: at once. */
static bool is_aborted(const struct session *s)
{
    const struct lift_explore_options *o = s->options;

    return s->result->end == LIFT_EXPLORE_FAILED ||
           (o->interrupted && *o->interrupted > 1);
}

static bool has_tried(const struct session *s)
{
    for (int i = 0; i < s->device_session_count; i++)
        if (s->device_sessions[i].result->progress.tries > 0 ||
            s->device_sessions[i].timed_here)
            return true;
    return false;
}

/* Nothing new is begun. However long it took to get ready, something is tried. */
static bool is_over(struct session *s)
{
    const struct lift_explore_options *o = s->options;

    if (o->interrupted && *o->interrupted)
        s->result->end = LIFT_EXPLORE_INTERRUPTED;
    else if (o->seconds > 0 && has_tried(s) &&
             (session_now() >= session_deadline(s) - s->result->progress.reserved ||
              !session_has_slab_time(s)))
        s->result->end = LIFT_EXPLORE_BUDGET;
    else
        return false;
    return true;
}

/* What runners are about to begin: it is on the disk before it is begun. */
static bool choose_next(struct device_session *l, bool last)
{
    if (last)
        drive_settle(l);
    pool_promote(l);
    return drive_choose(l, !last && !l->result->lost && may_run(l->session, l));
}

/* What was found out goes to the database, and what is about to be compiled. */
static bool take_turn(struct device_session *l, bool last)
{
    return queue_turn(l, last || l->result->lost);
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
    if (begun && !good) /* a commit that fails has rolled back */
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

/* Before the technique is asked, which thinks for as long as a kernel runs. */
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

static void add_worker(const struct lift_worker *worker, struct pollfd *fds, int *count,
                       int *ms)
{
    int wait = lift_worker_wait(worker, &fds[*count]);

    if (!lift_worker_busy(worker))
        return;
    *ms = wait < *ms ? wait : *ms;
    ++*count;
}

static void wait_for_workers(struct session *s)
{
    struct pollfd fds[DEVICE_SESSIONS + JOBS + 1];
    int count = 0, ms = 50;

    for (int i = 0; i < s->pool.count; i++)
        add_worker(s->pool.builders[i].worker, fds, &count, &ms);
    for (int i = 0; i < s->device_session_count; i++)
        add_worker(s->device_sessions[i].runner, fds, &count, &ms);
    if (s->reference)
        add_worker(explore_reference_worker(s->reference), fds, &count, &ms);
    poll(fds, (nfds_t)count, ms);
}

static void report_now_and_then(struct session *s)
{
    double now = session_now();

    if (s->result->progress.tries == s->reported && now - s->reported_at < 1)
        return;
    session_report(s, "trying");
    s->reported = s->result->progress.tries;
    s->reported_at = now;
}

int session_jobs(const struct lift_explore_options *o)
{
    int cores = lift_cores();

    if (o->jobs > 0)
        return o->jobs;
    return cores < MOST_JOBS_UNASKED ? cores : MOST_JOBS_UNASKED;
}

/* One that is compiled for a minute is overtaken by so many rounds of others. */
enum { ROUNDS_AHEAD = 64 };

static void set_up(struct session *s)
{
    int jobs = session_jobs(s->options);

    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];
        bool together = is_disturbed(l);
        int room = together ? (jobs > 1 ? 2 * jobs : 1) : jobs + 2;

        s->benches[i] = l->bench;
        l->builder = lift_worker_create(explore_build_serve, &l->bench);
        l->drive.fresh = true;
        queue_create(&l->queue, room, together ? 2 : ROUNDS_AHEAD, !together);
    }
    pool_create(s, jobs);
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

/* Who was busy for which part of the seconds that the search took. */
static void share_out(struct session *s, double seconds)
{
    for (int i = 0; i < s->device_session_count && seconds > 0; i++) {
        struct device_session *l = &s->device_sessions[i];

        l->result->trying = seconds;
        l->result->jobs = s->pool.count;
        l->result->runner_busy = l->drive.busy / seconds;
        l->result->compilers_busy = l->compiled / seconds / s->pool.count;
    }
}

bool session_loop(struct session *s)
{
    bool last = false, going = true;
    double began = session_now();

    set_up(s);
    session_report(s, "trying");
    while (going && !is_aborted(s)) {
        bool builds = arbitrate(s);

        last = last || is_over(s);
        if (last && session_is_late(s))
            for (int i = 0; i < s->device_session_count; i++)
                drive_abandon(&s->device_sessions[i]);
        if (!send_next(s, last) || !write_device_sessions(s, take_turn, last))
            break;
        going = !is_done(s, last);
        if (!last && builds)
            pool_start(s);
        if (going)
            wait_for_workers(s);
        pool_step(s);
        if (!session_step_reference(s, !last && has_tried(s)))
            break;
        for (int i = 0; i < s->device_session_count; i++)
            drive_step(&s->device_sessions[i]);
        report_now_and_then(s);
    }
    if (is_aborted(s))
        is_over(s);
    else
        find_end(s, last);
    pool_stop(&s->pool);
    share_out(s, session_now() - began);
    return s->result->end != LIFT_EXPLORE_FAILED;
}
