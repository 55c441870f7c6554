/* What a session tries before the search proposes anything: the plain loop nest, by which
 * people judge how fast a kernel is, and the best kernel of earlier sessions. */
#include "explore/chosen.h"
#include "explore/points.h"
#include "explore/session.h"
#include "lift/bug.h"
#include <stdlib.h>
#include <string.h>

/* ---- where it is */

/* It has an arm of its own: where only some expressions or values are wanted, it need not
 * be among them. */
static bool make_arm(struct lane *l, struct lift_str *why)
{
    struct explore_arm_request request = {.problem = l->session->problem,
                                          .device = &l->device.info};

    if (!points_plain(l->derivation, &l->plain_leaf, why))
        return false;
    request.term = l->derivation->nodes[l->plain_leaf.node].term;
    request.conditions = l->plain_leaf.conditions;
    return explore_arm_make(&request, &l->arms[LANE_PLAIN_ARM], why);
}

/* The same point of the search's space, if that has it. */
static void find_in_space(const struct lane *l, struct lift_choice *choice)
{
    const struct explore_arm *own = &l->arms[LANE_PLAIN_ARM];
    struct lift_choice same = {.expr = lane_arm_of(l, own->term->hash)};
    char *json;

    if (same.expr < 0)
        return;
    json = lift_space_json(own->space, choice->values);
    if (lift_space_parse(l->arms[same.expr].space, json, same.values) &&
        lift_space_valid(l->arms[same.expr].space, same.values))
        *choice = same;
    free(json);
}

static bool find_plain(struct lane *l, struct lift_choice *choice, struct lift_str *why)
{
    *choice = (struct lift_choice){.expr = LANE_PLAIN_ARM};
    if (!make_arm(l, why))
        return false;
    if (!refit_point(&l->arms[LANE_PLAIN_ARM], "{}", choice->values)) {
        lift_str_add(why, "no values of its tunables are allowed");
        return false;
    }
    find_in_space(l, choice);
    return true;
}

/* ---- trying it */

static void open(struct lane *l, const struct lift_choice *choice, bool plain)
{
    bool beside = choice->expr == LANE_PLAIN_ARM || !explore_ask_claim(l->ask, choice);

    l->openings[l->opening_count++] = (struct lane_opening){*choice, plain, beside};
}

static void set_reason(struct lane *l, const char *reason)
{
    free(l->result->no_plain);
    l->result->no_plain = strdup(reason);
    LIFT_ASSERT(l->result->no_plain);
}

static void miss(struct lane *l, const char *reason)
{
    struct lift_str text = {0};

    lift_str_addf(&text, "the plain loop nest was not timed: %s", reason);
    lane_event(l, "plain", lift_str_get(&text));
    lift_str_fini(&text);
    set_reason(l, reason);
}

void lane_open(struct lane *l)
{
    const struct standing *best = &l->standings.rows[0];
    struct lift_choice plain;
    struct lift_str why = {0};

    l->resumed = l->standings.count > 0;
    if (l->session->options->no_plain) {
        set_reason(l, "--no-plain");
        return;
    }
    if (find_plain(l, &plain, &why))
        open(l, &plain, true);
    else
        miss(l, lift_str_get(&why));
    lift_str_fini(&why);
    if (l->resumed && !lane_is_plain(l, &best->choice))
        open(l, &best->choice, false);
}

bool lane_is_plain(const struct lane *l, const struct lift_choice *choice)
{
    return l->opening_count > 0 && l->openings[0].plain &&
           lift_choice_equal(&l->openings[0].choice, choice);
}

bool lane_next_opening(struct lane *l, struct attempt *a)
{
    const struct lane_opening *opening = &l->openings[l->openings_given];

    if (l->openings_given == l->opening_count)
        return false;
    a->choice = opening->choice;
    a->plain = opening->plain;
    a->anew = l->openings_given++ == 0;
    a->whole = true;
    a->beside = opening->beside;
    return true;
}

/* ---- its time */

/* As the machine was when the best kernel was timed by 'seconds'; scores say what both
 * take in one state of the machine. */
static void scale_plain(struct lane *l, double seconds, double score)
{
    if (l->plain_score > 0 && score > 0)
        l->result->progress.plain_seconds = l->plain_score * seconds / score;
}

void lane_take_plain(struct lane *l, const struct attempt *a)
{
    struct lift_explore_progress *p = &l->result->progress;
    const struct trial_reply *end = &a->end;
    struct lift_str why = {0};

    if (end->status == LIFT_TRY_OK || end->status == LIFT_TRY_SLOW) {
        l->plain_score = a->score;
        p->plain_seconds = trial_median(end);
        if (l->timed_here)
            lane_take_best(l, p->best_seconds);
        return;
    }
    lift_str_addf(&why, "%s%s%s", lift_try_status_name(end->status),
                  *end->reason ? ": " : "", end->reason);
    miss(l, lift_str_get(&why));
    lift_str_fini(&why);
}

void lane_take_best(struct lane *l, double seconds)
{
    scale_plain(l, seconds, l->best_score);
    lane_set_best(l, seconds);
}

void lane_take_winner(struct lane *l, const struct lift_choice *choice, double seconds,
                      double plain)
{
    const struct standings *s = &l->standings;

    for (int i = 0; i < s->count; i++)
        if (lift_choice_equal(&s->rows[i].choice, choice) &&
            (!l->resumed || s->rows[i].seconds == l->best_score))
            scale_plain(l, seconds, s->rows[i].seconds);
    if (plain > 0)
        l->result->progress.plain_seconds = plain;
    lane_set_best(l, seconds);
}
