/* The first trials of a session, before the search proposes any: the naive kernel, the
 * baseline of speedups, and the best kernel of earlier sessions. */
#include "base/fail.h"
#include "base/memory.h"
#include "explore/configurations.h"
#include "explore/session/session.h"
#include <stdlib.h>

/* ---- the naive kernel's candidate space */

/* The naive kernel has a separate candidate space: the user may have restricted
 * expressions or values. */
static bool make_space(struct device_session *l, struct lift_str *why)
{
    struct derivation *d = l->depths[0].derivation;
    struct candidate_space_request request = {.problem = l->session->problem,
                                              .device = &l->device.info};

    if (!configurations_naive(d, &l->naive_leaf, why))
        return false;
    request.term = d->nodes[l->naive_leaf.node].term;
    request.conditions = l->naive_leaf.conditions;
    return candidate_space_make(&request, &l->spaces[DEVICE_SESSION_PLAIN], why);
}

/* Finds the configuration in the search's space, if that space has it. */
static void find_in_space(const struct device_session *l, struct lift_choice *choice)
{
    const struct candidate_space *own = &l->spaces[DEVICE_SESSION_PLAIN];
    struct lift_choice same = {.expr = device_session_space_of(l, own->term->hash)};
    char *json;

    if (same.expr < 0)
        return;
    json = lift_space_json(own->space, choice->values);
    if (lift_space_parse(l->spaces[same.expr].space, json, same.values) &&
        lift_space_valid(l->spaces[same.expr].space, same.values))
        *choice = same;
    free(json);
}

static bool find_plain(struct device_session *l, struct lift_choice *choice,
                       struct lift_str *why)
{
    *choice = (struct lift_choice){.expr = DEVICE_SESSION_PLAIN};
    if (!make_space(l, why))
        return false;
    if (!candidate_space_nearest(&l->spaces[DEVICE_SESSION_PLAIN], "{}",
                                 choice->values)) {
        return LIFT_FAIL(why, "no values of its tunables are allowed");
    }
    find_in_space(l, choice);
    return true;
}

/* ---- trying the naive kernel */

static void open(struct device_session *l, const struct lift_choice *choice)
{
    bool ours = choice->expr != DEVICE_SESSION_PLAIN &&
                lift_search_claim(frontier_search(l->frontier), choice);

    frontier_add(l->frontier,
                 &(struct frontier_item){*choice, FRONTIER_FIRST, l, .known = !ours});
}

static void set_reason(struct device_session *l, const char *reason)
{
    free(l->result->no_naive);
    l->result->no_naive = lift_strdup(reason);
}

static void miss(struct device_session *l, const char *reason)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_addf(&text, "the naive kernel was not timed: %s", reason);
    device_session_event(l, "naive", lift_str_get(&text));
    set_reason(l, reason);
}

void device_session_open(struct device_session *l)
{
    const struct fastest_row *best = &l->fastest.rows[0];
    LIFT_SCOPED(lift_str) why = {0};

    l->resumed = l->fastest.count > 0;
    if (l->session->options->no_naive) {
        set_reason(l, "it was not requested");
        return;
    }
    l->has_naive = find_plain(l, &l->plain, &why);
    if (l->has_naive)
        open(l, &l->plain);
    else
        miss(l, lift_str_get(&why));
    if (l->resumed && !device_session_is_naive(l, &best->choice))
        open(l, &best->choice);
}

bool device_session_is_naive(const struct device_session *l,
                             const struct lift_choice *choice)
{
    return l->has_naive && lift_choice_equal(&l->plain, choice);
}

/* ---- time of the naive kernel */

/* Scales the naive kernel's time to the machine state in which the best kernel took
 * 'seconds'. Scores are times of both kernels in one state of the machine. */
static void scale_plain(struct device_session *l, double seconds, double score)
{
    if (l->naive_score > 0 && score > 0)
        l->result->progress.naive_seconds = l->naive_score * seconds / score;
}

void device_session_take_naive(struct device_session *l, const struct attempt *a)
{
    struct lift_explore_progress *p = &l->result->progress;
    const struct trial_reply *end = &a->end;
    LIFT_SCOPED(lift_str) why = {0};

    if (end->status == LIFT_TRIAL_OK || end->status == LIFT_TRIAL_SLOW) {
        l->naive_score = a->score;
        p->naive_seconds = trial_median(end) / device_session_steps(l, a->choice.expr);
        interference_take_naive(&l->interference, end,
                                device_session_steps(l, a->choice.expr));
        if (l->timed_here)
            device_session_take_best(l, p->best_seconds, p->best_steps);
        return;
    }
    lift_str_addf(&why, "%s%s%s", lift_trial_status_name(end->status),
                  *end->reason ? ": " : "", end->reason);
    miss(l, lift_str_get(&why));
}

void device_session_take_best(struct device_session *l, double seconds, int steps)
{
    scale_plain(l, seconds, l->best_score);
    device_session_set_best(l, seconds, steps);
}

void device_session_take_winner(struct device_session *l,
                                const struct lift_choice *choice, double seconds,
                                struct lift_interval naive)
{
    struct lift_explore_progress *p = &l->result->progress;
    const struct fastest *s = &l->fastest;
    struct interference *drift = &l->interference;

    for (int i = 0; i < s->count; i++)
        if (lift_choice_equal(&s->rows[i].choice, choice) &&
            (!l->resumed || s->rows[i].seconds == l->best_score)) {
            scale_plain(l, seconds, s->rows[i].seconds);
            if (!l->resumed && !device_session_is_naive(l, choice))
                drift->best_drift = seconds / s->rows[i].seconds;
        }
    interference_compare_naive(drift, &naive);
    if (naive.median > 0) {
        p->naive_seconds = naive.median;
        p->naive_low = naive.low;
        p->naive_high = naive.high;
    }
    device_session_set_best(l, seconds, device_session_steps(l, choice->expr));
    p->confirmed = true;
}
