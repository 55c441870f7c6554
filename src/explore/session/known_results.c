/* Results of a device session's candidates, from earlier sessions and this one. */
#include "base/seconds.h"
#include "explore/final/final.h"
#include "explore/session/session.h"
#include "tuner/db_query.h"
#include <stdarg.h>

/* The bytes that a time step must move if a launch computes 'steps'. */
static double bytes_of_step(const struct device_session *l, int steps)
{
    const struct session *s = l->session;

    for (int i = 0; i < s->depth_count; i++)
        if (s->depths[i].steps == steps)
            return (double)s->depths[i].problem->bytes / steps;
    return (double)s->problem->bytes;
}

static void set_best(struct device_session *l, double seconds, int steps)
{
    struct lift_explore_progress *p = &l->result->progress;

    p->best_seconds = seconds;
    p->best_steps = steps;
    p->best_gpts = (double)l->session->problem->points / l->session->depths[0].steps /
                   seconds * 1e-9;
    p->in_cache =
        l->device.cache_gbs > 0 && bytes_of_step(l, steps) * steps <=
                                       (double)lift_device_cache_bytes(&l->device.info);
    p->best_copy_share =
        lift_copy_share(bytes_of_step(l, steps), seconds,
                        p->in_cache ? l->device.cache_gbs : l->device.copy_gbs);
    p->gain = l->timed_here ? p->naive_seconds / seconds : 0;
}

void device_session_set_best(struct device_session *l, double seconds, int steps)
{
    l->timed_here = true;
    set_best(l, seconds, steps);
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

void device_session_drop(struct device_session *l, const struct lift_choice *choice)
{
    fastest_drop(&l->fastest, choice);
    fastest_drop(&l->single, choice);
}

static void note_result(struct device_session *l, const struct lift_choice *choice,
                        enum lift_trial_status status, double seconds,
                        const struct built *built)
{
    switch (status) {
    case LIFT_TRIAL_OK:
        fastest_put(&l->fastest, choice, seconds, built);
        if (l->depth_of[choice->expr] == 0)
            fastest_put(&l->single, choice, seconds, built);
        break;
    case LIFT_TRIAL_WRONG:
    case LIFT_TRIAL_NONFINITE:
    case LIFT_TRIAL_OVERFLOW:
    case LIFT_TRIAL_NONDETERMINISTIC:
        device_session_drop(l, choice);
        break;
    default:
        break;
    }
}

static bool is_timed(enum lift_trial_status status)
{
    return status == LIFT_TRIAL_OK || status == LIFT_TRIAL_SLOW ||
           status == LIFT_TRIAL_SLAB;
}

bool device_session_find(const struct device_session *l, const struct lift_db_tried *row,
                         struct lift_choice *choice, struct lift_outcome *outcome)
{
    const struct explore_problem *p = l->session->problem;
    int steps;
    double work = (double)(p->points > p->bytes ? p->points : p->bytes);
    bool ok = is_timed(row->status);

    *choice = (struct lift_choice){.expr = device_session_space_of(l, row->expr)};
    steps = choice->expr < 0 ? 1 : device_session_steps(l, choice->expr);
    *outcome = (struct lift_outcome){ok && row->seconds > 0, row->seconds / steps};
    if (outcome->ok && !lift_db_possible(row->seconds, work))
        return false;
    if (row->status == LIFT_TRIAL_COMPILE_TIMEOUT && row->cost > 0 &&
        row->cost < pool_build_seconds(l))
        return false; /* the earlier trial had less time */
    return row->status != LIFT_TRIAL_LOST && choice->expr >= 0 &&
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
        note_result(l, &choice, row->status, outcome.seconds, NULL);
    if (found &&
        (row->phase == LIFT_TRIAL_PHASE_SEARCH || row->phase == LIFT_TRIAL_PHASE_SEED))
        lift_search_tell(frontier_search(l->frontier), &choice, outcome);
    return true;
}

bool device_session_resume(struct device_session *l, struct lift_db *db)
{
    for (int i = 0; i < l->session->depth_count; i++) {
        const struct recorder *r = &l->depths[i].recorder;

        if (!lift_db_tried(db, r->problem_id, r->device_id, resume_row, l))
            return false;
    }
    if (l->fastest.count) {
        const struct fastest_row *best = &l->fastest.rows[0];

        l->best_score = best->seconds;
        set_best(l, l->best_score, device_session_steps(l, best->choice.expr));
    }
    return true;
}

static bool is_strike(enum lift_trial_status status)
{
    return status == LIFT_TRIAL_CRASH || status == LIFT_TRIAL_RUN_TIMEOUT ||
           status == LIFT_TRIAL_RUN_ERROR || status == LIFT_TRIAL_COMPILE_TIMEOUT ||
           status == LIFT_TRIAL_CODEGEN;
}

static void strike(struct device_session *l, int candidates)
{
    char hex[LIFT_HASH_HEX];
    LIFT_SCOPED(lift_str) text = {0};

    if (l->strikes[candidates] < DEVICE_SESSION_STRIKES &&
        ++l->strikes[candidates] == DEVICE_SESSION_STRIKES) {
        lift_str_addf(&text, "expression %s failed %d times: it is tried last",
                      lift_hash_hex(l->spaces[candidates].term->hash, hex),
                      DEVICE_SESSION_STRIKES);
        device_session_event(l, "strike", lift_str_get(&text));
    }
}

void device_session_account(struct device_session *l, const struct attempt *a)
{
    struct lift_explore_progress *p = &l->result->progress;
    const struct trial_reply *end = &a->end;
    struct lift_explore_depth *depth = &l->result->depths[l->depth_of[a->choice.expr]];

    l->tried[a->choice.expr] = true;
    if (end->status == LIFT_TRIAL_OK && l->session->result->first_verified <= 0)
        l->session->result->first_verified =
            lift_seconds() - l->session->started - l->session->uncounted;
    note_result(l, &a->choice, end->status, a->score, &a->built);
    if (a->plain) {
        l->naive_compile_seconds = a->built.reply.compile_s;
        device_session_take_naive(l, a);
    }
    if (a->built.reply.compile_s > l->longest_compilation.seconds) {
        l->longest_compilation.seconds = a->built.reply.compile_s;
        l->longest_compilation.choice = a->choice;
    }
    if (end->best_now > 0)
        device_session_take_best(l, end->best_now,
                                 end->is_best ? device_session_steps(l, a->choice.expr)
                                              : p->best_steps);
    if (a->phase != LIFT_TRIAL_PHASE_RECHECK) {
        bool rejected = lift_trial_is_rejected(end->status);

        p->trials += !rejected;
        p->rejected += rejected;
        p->by_status[end->status]++;
        p->verified += end->status == LIFT_TRIAL_OK;
        depth->trials += !rejected;
        depth->verified += end->status == LIFT_TRIAL_OK;
        final_note(l, &a->built.reply, end);
    }
    if (is_strike(end->status))
        strike(l, a->choice.expr);
}

void device_session_tell(struct device_session *l, const struct attempt *a)
{
    bool ok = is_timed(a->stage >= ATTEMPT_ENDED ? a->end.status : a->slab.status) &&
              a->score > 0;

    if (ok)
        frontier_note(l->frontier, a->source, a->score);
    if (a->source != FRONTIER_DELAYED && a->phase != LIFT_TRIAL_PHASE_RECHECK)
        lift_search_tell(frontier_search(l->frontier), &a->choice,
                         (struct lift_outcome){ok, a->score});
}

void device_session_note_recheck(struct device_session *l,
                                 const struct lift_choice *choice,
                                 enum lift_trial_status status, double score)
{
    note_result(l, choice, status, score, NULL);
}

void device_session_event(struct device_session *l, const char *kind, const char *text)
{
    struct lift_db_event event = {.kind = kind, .text = text};
    const struct recorder *r = &l->depths[0].recorder;

    if (r->db && /* no database if kernels are only built */
        !lift_db_put_event(r->db, r->session, r->device_id, &event))
        session_db_fail(l->session);
}

void device_session_lose(struct device_session *l, const char *format, ...)
{
    LIFT_SCOPED(lift_str) text = {0};
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    if (!l->result->lost) {
        device_session_event(l, "quarantine", lift_str_get(&text));
        l->result->lost = lift_str_take(&text);
    }
}
