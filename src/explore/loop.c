/* The loop of an exploration: ask for a point, try it in the worker, store, tell. */
#include "explore/final.h"
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

static void add_up(struct lift_explore_progress *sum,
                   const struct lift_explore_progress *p)
{
    sum->tries += p->tries;
    sum->verified += p->verified;
    sum->exprs += p->exprs;
    for (int i = 0; i < LIFT_TRY_STATUSES; i++)
        sum->by_status[i] += p->by_status[i];
    if (p->best_seconds > 0 &&
        (sum->best_seconds <= 0 || p->best_gpts > sum->best_gpts)) {
        sum->best_seconds = p->best_seconds;
        sum->first_seconds = p->first_seconds;
        sum->best_gpts = p->best_gpts;
        sum->best_roof = p->best_roof;
    }
}

void session_sum(struct session *s)
{
    const struct lift_explore_options *o = s->options;
    struct lift_explore_progress sum = {.elapsed = session_now() - s->started,
                                        .budget = o->seconds,
                                        .reserved = final_seconds(s),
                                        .try_limit = o->tries * s->lane_count,
                                        .stage = s->result->progress.stage,
                                        .parts = s->result->parts,
                                        .part_count = s->result->part_count};

    for (int i = 0; i < s->lane_count; i++) {
        struct lift_explore_progress *p = &s->lanes[i].result->progress;

        p->elapsed = sum.elapsed;
        p->budget = o->seconds;
        p->try_limit = o->tries;
        p->stage = sum.stage;
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

void lane_set_best(struct lane *l, double seconds)
{
    struct lift_explore_progress *p = &l->result->progress;
    const struct explore_problem *problem = l->session->problem;
    double roof = l->device.copy_gbs;

    p->best_seconds = seconds;
    p->best_gpts = (double)problem->points / seconds * 1e-9;
    p->best_roof = roof > 0 ? (double)problem->bytes / seconds * 1e-9 / roof : 0;
}

int lane_arm_of(const struct lane *l, struct lift_hash expr)
{
    for (int i = 0; i < l->arm_count; i++)
        if (lift_hash_equal(l->arms[i].term->hash, expr))
            return i;
    return -1;
}

/* A candidate that was right once and is not any more counts for nothing. */
static void note_result(struct lane *l, const struct lift_choice *choice,
                        enum lift_try_status status, double seconds)
{
    switch (status) {
    case LIFT_TRY_OK:
        if (l->result->progress.first_seconds <= 0)
            l->result->progress.first_seconds = seconds;
        standings_put(&l->standings, choice, seconds);
        break;
    case LIFT_TRY_WRONG:
    case LIFT_TRY_NONFINITE:
    case LIFT_TRY_OVERFLOW:
    case LIFT_TRY_NONDETERMINISTIC:
        standings_drop(&l->standings, choice);
        break;
    default:
        break;
    }
}

bool lane_find(const struct lane *l, const struct lift_db_tried *row,
               struct lift_choice *choice, struct lift_outcome *outcome)
{
    bool ok = row->status == LIFT_TRY_OK || row->status == LIFT_TRY_SLOW;

    *choice = (struct lift_choice){.expr = lane_arm_of(l, row->expr)};
    *outcome = (struct lift_outcome){ok && row->seconds > 0, row->seconds};
    return row->status != LIFT_TRY_LOST && choice->expr >= 0 &&
           lift_space_parse(l->arms[choice->expr].space, row->tunables, choice->values);
}

static bool resume_row(void *user, const struct lift_db_tried *row)
{
    struct lane *l = user;
    struct lift_choice choice;
    struct lift_outcome outcome;
    bool found = lane_find(l, row, &choice, &outcome);

    if (choice.expr >= 0)
        l->tried[choice.expr] = true;
    if (found)
        note_result(l, &choice, row->status, row->seconds);
    if (found &&
        (row->phase == LIFT_TRY_PHASE_SEARCH || row->phase == LIFT_TRY_PHASE_SEED))
        explore_ask_tell(l->ask, &choice, outcome);
    return true;
}

bool lane_resume(struct lane *l)
{
    if (!lift_db_tried(l->recorder.db, l->recorder.problem_id, l->recorder.device_id,
                       resume_row, l))
        return session_db_fail(l->session);
    if (l->standings.count)
        lane_set_best(l, l->standings.rows[0].seconds);
    return true;
}

/* ---- one try */

static bool try_candidate(struct lane *l, const struct lift_choice *choice,
                          struct trial_reply *end)
{
    struct trial_request asked = {.arm = choice->expr,
                                  .best = l->result->progress.best_seconds};
    double seconds =
        explore_run_seconds(l->session->problem, &l->device.info, asked.best);
    struct lift_str built = {0}, ran = {0};
    struct trial_reply build;
    struct lift_hash id;
    bool stored;

    memcpy(asked.point, choice->values, sizeof asked.point);
    if (!record_leaf(&l->recorder, l->leaves[choice->expr]) ||
        !record_start(&l->recorder, &l->arms[choice->expr], asked.point,
                      explore_ask_is_seed(l->ask, choice) ? LIFT_TRY_PHASE_SEED
                                                          : LIFT_TRY_PHASE_SEARCH,
                      &id))
        return session_db_fail(l->session);
    if (explore_trial_build(l->builder, &asked, &built, &build))
        explore_trial_run(l->runner, &asked, &built, seconds, &ran, end);
    else
        *end = build;
    final_note(l, &build, end);
    stored = record_finish(&l->recorder, id, end, built.len ? &build : NULL,
                           built.len ? built.data + sizeof build : NULL);
    lift_str_fini(&built);
    lift_str_fini(&ran);
    return stored || session_db_fail(l->session);
}

static void account(struct lane *l, const struct lift_choice *choice,
                    const struct trial_reply *end)
{
    struct lift_explore_progress *p = &l->result->progress;
    double seconds = trial_median(end);
    bool ok = end->status == LIFT_TRY_OK || end->status == LIFT_TRY_SLOW;

    p->tries++;
    l->tried[choice->expr] = true;
    p->by_status[end->status]++;
    p->verified += end->status == LIFT_TRY_OK;
    note_result(l, choice, end->status, seconds);
    if (end->best_now > 0)
        lane_set_best(l, end->best_now);
    explore_ask_tell(l->ask, choice, (struct lift_outcome){ok && seconds > 0, seconds});
}

/* ---- the loop */

static bool is_over(struct session *s)
{
    const struct lift_explore_options *o = s->options;

    if (o->interrupted && *o->interrupted)
        s->result->end = LIFT_EXPLORE_INTERRUPTED;
    else if (o->seconds > 0 &&
             session_now() - s->started >= o->seconds - s->result->progress.reserved)
        s->result->end = LIFT_EXPLORE_BUDGET;
    else
        return false;
    return true;
}

/* False if it has no more to try, or failed. */
static bool step(struct lane *l)
{
    const struct lift_explore_options *o = l->session->options;
    struct lift_choice choice;
    struct trial_reply end;

    if (o->tries > 0 && l->result->progress.tries >= o->tries)
        return false;
    if (!explore_ask_next(l->ask, &choice)) {
        l->session->result->end = LIFT_EXPLORE_EXHAUSTED;
        return false;
    }
    if (!try_candidate(l, &choice, &end))
        return false;
    account(l, &choice, &end);
    l->lost = end.status == LIFT_TRY_LOST ? l->lost + 1 : 0;
    if (l->lost == MOST_LOST)
        return session_fail(l->session, "device '%s' went away: %s", l->result->name,
                            end.reason);
    session_report(l->session, "trying");
    return true;
}

bool session_loop(struct session *s)
{
    bool going = true;

    for (int i = 0; i < s->lane_count; i++) {
        s->lanes[i].builder = lift_worker_create(explore_build_serve, &s->lanes[i].bench);
        s->lanes[i].runner = lift_worker_create(explore_run_serve, &s->lanes[i].bench);
    }
    session_report(s, "trying");
    while (going && !is_over(s)) {
        going = false;
        for (int i = 0; i < s->lane_count; i++)
            going |= step(&s->lanes[i]);
    }
    return s->result->end != LIFT_EXPLORE_FAILED;
}
