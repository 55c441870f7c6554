/* The loop of an exploration: ask for a point, try it in the worker, store, tell. */
#include "explore/session.h"
#include "lift/bug.h"
#include "lift/db_query.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LOST = 3 }; /* tries in a row that the device does not answer */

double session_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void session_report(struct session *s, const char *stage)
{
    struct lift_explore_progress *p = &s->result->progress;

    p->elapsed = session_now() - s->started;
    p->stage = stage;
    if (s->options->report)
        s->options->report(s->options->user, p);
}

/* ---- what is known */

static void note_time(struct session *s, double seconds)
{
    struct lift_explore_progress *p = &s->result->progress;
    double roof = s->device.copy_gbs;

    if (p->best_seconds > 0 && seconds >= p->best_seconds)
        return;
    p->best_seconds = seconds;
    p->best_gpts = (double)s->problem->points / seconds * 1e-9;
    p->best_roof = roof > 0 ? (double)s->problem->bytes / seconds * 1e-9 / roof : 0;
}

static int arm_of(const struct session *s, struct lift_hash expr)
{
    for (int i = 0; i < s->arm_count; i++)
        if (lift_hash_equal(s->arms[i].term->hash, expr))
            return i;
    return -1;
}

static bool resume_row(void *user, const struct lift_db_tried *row)
{
    struct session *s = user;
    struct lift_choice choice = {.expr = arm_of(s, row->expr)};
    int arm = choice.expr;
    bool ok = row->status == LIFT_TRY_OK || row->status == LIFT_TRY_SLOW;

    if (row->status == LIFT_TRY_OK)
        note_time(s, row->seconds);
    if (arm >= 0)
        s->tried[arm] = true;
    if (row->status == LIFT_TRY_LOST || arm < 0 ||
        !lift_space_parse(s->arms[arm].space, row->tunables, choice.values))
        return true;
    explore_ask_tell(s->ask, &choice,
                     (struct lift_outcome){ok && row->seconds > 0, row->seconds});
    return true;
}

bool session_resume(struct session *s)
{
    if (lift_db_tried(s->recorder.db, s->result->problem, s->result->device, resume_row,
                      s))
        return true;
    return session_fail(s, "%s", lift_db_error(s->recorder.db));
}

/* ---- one try */

static bool try_candidate(struct session *s, int arm, const int *point,
                          struct trial_reply *end)
{
    struct trial_request asked = {.arm = arm, .best = s->result->progress.best_seconds};
    double seconds = explore_run_seconds(s->problem, &s->device.info, asked.best);
    struct lift_str built = {0}, ran = {0};
    struct trial_reply build;
    struct lift_hash id;
    bool stored;

    memcpy(asked.point, point, sizeof asked.point);
    if (!record_leaf(&s->recorder, s->leaves[arm]) ||
        !record_start(&s->recorder, &s->arms[arm], point, &id))
        return session_fail(s, "%s", lift_db_error(s->recorder.db));
    if (explore_trial_build(s->builder, &asked, &built, &build))
        explore_trial_run(s->runner, &asked, &built, seconds, &ran, end);
    else
        *end = build;
    stored = record_finish(&s->recorder, id, end, built.len ? &build : NULL,
                           built.len ? built.data + sizeof build : NULL);
    lift_str_fini(&built);
    lift_str_fini(&ran);
    return stored || session_fail(s, "%s", lift_db_error(s->recorder.db));
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* As the database takes it. */
static double median(const struct trial_reply *end)
{
    double sorted[TRIAL_SAMPLES];
    int n = end->sample_count;

    if (n == 0)
        return 0;
    memcpy(sorted, end->samples, sizeof sorted[0] * (size_t)n);
    qsort(sorted, (size_t)n, sizeof sorted[0], by_value);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* ---- the loop */

static bool is_over(struct session *s, enum lift_explore_end *end)
{
    const struct lift_explore_options *o = s->options;
    const struct lift_explore_progress *p = &s->result->progress;

    if (o->interrupted && *o->interrupted)
        *end = LIFT_EXPLORE_INTERRUPTED;
    else if ((o->seconds > 0 && session_now() - s->started >= o->seconds) ||
             (o->tries > 0 && p->tries >= o->tries))
        *end = LIFT_EXPLORE_BUDGET;
    else
        return false;
    return true;
}

static void account(struct session *s, const struct lift_choice *choice,
                    const struct trial_reply *end)
{
    struct lift_explore_progress *p = &s->result->progress;
    double seconds = median(end);
    bool ok = end->status == LIFT_TRY_OK || end->status == LIFT_TRY_SLOW;

    p->tries++;
    s->tried[choice->expr] = true;
    p->by_status[end->status]++;
    if (end->status == LIFT_TRY_OK) {
        p->verified++;
        note_time(s, seconds);
    }
    explore_ask_tell(s->ask, choice, (struct lift_outcome){ok && seconds > 0, seconds});
}

bool session_loop(struct session *s)
{
    int lost = 0;

    session_report(s, "trying");
    while (!is_over(s, &s->result->end)) {
        struct lift_choice choice;
        struct trial_reply end;

        if (!explore_ask_next(s->ask, &choice)) {
            s->result->end = LIFT_EXPLORE_EXHAUSTED;
            return true;
        }
        if (!try_candidate(s, choice.expr, choice.values, &end))
            return false;
        account(s, &choice, &end);
        lost = end.status == LIFT_TRY_LOST ? lost + 1 : 0;
        if (lost == MOST_LOST)
            return session_fail(s, "device '%s' went away: %s", s->options->device,
                                end.reason);
        session_report(s, "trying");
    }
    return true;
}
