#include "explore/session/trial_queue.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "explore/estimate.h"
#include "explore/session/session.h"
#include "explore/trial/slab.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DELAYED_AT_ONCE = 32,
    LEAST_ENDED = 3,
    PROPOSALS_MOST = 10, /* proposals for each trial of the limit */
};

/* Trials that take this many seconds, and this multiple of the usual time, are late: the
 * technique does not wait for them. */
static const double late_seconds = 1.5, late_factor = 2;

/* On a processor, a compilation is also late after this share of the session, and this
 * multiple of the others' longest compilation. */
static const double straggler_seconds = 4, late_share = 1.0 / 8, straggler_factor = 3;

/* Trials are also late after this time if the runner and most compilers are idle. */
static const double idle_seconds = 2;

void queue_create(struct queue *q, int room, int rounds, bool ordered)
{
    *q = (struct queue){.room = room,
                        .slots = rounds * room,
                        .ordered = ordered,
                        .ring =
                            lift_alloc((size_t)rounds * (size_t)room, sizeof *q->ring)};
}

struct attempt *queue_at(struct queue *q, int64_t number)
{
    return &q->ring[number % q->slots];
}

void queue_fini(struct queue *q)
{
    for (int64_t i = q->first; i < q->next; i++)
        built_release(&queue_at(q, i)->built);
    free(q->ring);
    *q = (struct queue){.ring = NULL};
}

struct attempt *queue_find(struct queue *q, enum attempt_stage stage)
{
    for (int64_t i = q->first; i < q->next; i++)
        if (queue_at(q, i)->stage == stage)
            return queue_at(q, i);
    return NULL;
}

int queue_count(const struct queue *q, enum attempt_stage from, enum attempt_stage to)
{
    int count = 0;

    for (int64_t i = q->first; i < q->next; i++) {
        enum attempt_stage stage = q->ring[i % q->slots].stage;

        count += stage >= from && stage <= to;
    }
    return count;
}

void attempt_end(struct attempt *a, const struct trial_reply *end)
{
    a->end = *end;
    a->stage = ATTEMPT_ENDED;
    a->age = lift_seconds() - a->asked;
}

void attempt_enlarge(struct attempt *a, const struct trial_reply *slab)
{
    cache_release(a->built.full);
    a->built.full = NULL;
    a->slab = *slab;
    a->age = lift_seconds() - a->asked;
    a->on_slab = false;
    a->stage = ATTEMPT_PROPOSED;
}

/* ---- proposals */

static void tell_failure(struct device_session *l, const struct lift_choice *choice)
{
    lift_search_tell(frontier_search(l->frontier), choice,
                     (struct lift_outcome){false, 0});
}

/* Delays a candidate, and reports it to the technique as failed. */
static void delay(struct device_session *l, const struct frontier_item *item)
{
    struct frontier_item delayed = *item;

    delayed.source = FRONTIER_DELAYED;
    delayed.owner = l;
    tell_failure(l, &item->choice);
    frontier_add(l->frontier, &delayed);
}

/* True for a proposal of the technique whose shared memory exceeds the device's, as its
 * estimate finds without code. */
static bool is_excluded(const struct device_session *l, const struct frontier_item *item)
{
    struct explore_estimator *estimator =
        l->depths[l->depth_of[item->choice.expr]].estimator;
    struct explore_estimate e = {.exceeds = false};

    if (item->source == FRONTIER_PROPOSED && estimator)
        explore_estimate(estimator, &l->spaces[item->choice.expr], item->choice.values,
                         &e);
    return e.exceeds;
}

static bool is_struck(const struct device_session *l, const struct frontier_item *item)
{
    return item->source > FRONTIER_FIRST &&
           l->strikes[item->choice.expr] >= DEVICE_SESSION_STRIKES;
}

/* Finds the next candidate. Configurations of an expression that crashed too often come
 * after all others. They also come if the technique proposes only such configurations for
 * a while, since a space has millions. */
static bool next_item(struct device_session *l, struct frontier_item *item)
{
    struct queue *q = &l->queue;

    device_session_widen(l);
    for (int delayed = 0; delayed < DELAYED_AT_ONCE && !q->dry; delayed++) {
        q->dry = !frontier_next(l->frontier, l, item);
        if (q->dry)
            break;
        if (is_excluded(l, item)) {
            l->result->progress.excluded++;
            tell_failure(l, &item->choice);
        } else if (is_struck(l, item)) {
            delay(l, item);
        } else {
            return true;
        }
    }
    return q->first == q->next && frontier_next_delayed(l->frontier, l, item);
}

/* True if the slab is tried first. The first trial has no best time to compare with, so
 * it runs on the whole grid directly. So do trials that must be timed there. */
static bool wants_slab(const struct device_session *l, const struct attempt *a)
{
    const struct candidate_space *candidates = &l->spaces[a->choice.expr];
    const struct explore_bench *bench = &l->benches[l->depth_of[a->choice.expr]];
    const struct explore_problem *slab = bench->slab ? bench->slab->problem : NULL;
    struct explore_numbers n;

    return slab && !candidates->fixed && a->source != FRONTIER_FIRST &&
           l->queue.next > 0 &&
           explore_slab_numbers(slab, candidates, a->choice.values, &n) &&
           explore_slab_is_shared(slab, candidates, a->choice.values, &l->device.info);
}

/* True if the search has reached its limit of proposals; other trials do not count. */
static bool has_enough(const struct device_session *l)
{
    int64_t most = l->session->options->trials;

    if (l->session->options->only_final)
        return true;
    return most > 0 && (l->queue.next - l->queue.beside >= most ||
                        l->queue.next / PROPOSALS_MOST >= most);
}

void pace_add(struct pace *p, double seconds)
{
    p->logarithms += log(fmax(seconds, 1e-3));
    p->count++;
}

static double usual(const struct pace *p)
{
    return exp(p->logarithms / p->count);
}

/* True if a further trial can end in time. It waits for the compilers and for the runner,
 * which have other trials. A session without a verified kernel has time. */
static bool has_time(const struct device_session *l)
{
    const struct session *s = l->session;
    const struct pace *compile = &l->compile_pace, *run = &l->drive.pace;
    double left = session_deadline(s) - s->result->progress.reserved - lift_seconds();
    double builds, runs;

    if (s->options->seconds <= 0 || s->extends || !l->timed_here ||
        l->fastest.count == 0 || compile->count < LEAST_ENDED || run->count < LEAST_ENDED)
        return true;
    builds = 1 + queue_count(&l->queue, ATTEMPT_PROPOSED, ATTEMPT_COMPILING) /
                     fmax(s->pool.count, 1);
    runs = queue_count(&l->queue, ATTEMPT_PROPOSED, ATTEMPT_RUNNING);
    return left > fmax(builds * usual(compile), runs * usual(run)) + usual(run);
}

bool attempt_start(struct device_session *l, struct attempt *a)
{
    const struct candidate_space *candidates = &l->spaces[a->choice.expr];
    struct recorder *r = &device_session_depth(l, a->choice.expr)->recorder;

    return record_problem(r) && record_leaf(r, device_session_leaf(l, a->choice.expr)) &&
           record_start(r, candidates, a->choice.values, a->phase, &a->id);
}

static bool ask(struct device_session *l, bool *asked)
{
    struct queue *q = &l->queue;
    struct attempt a = {.asked = lift_seconds()};
    struct frontier_item item;

    *asked = false;
    q->dry = false;
    if (has_enough(l) || !has_time(l) || !next_item(l, &item))
        return true;
    *asked = true;
    a.choice = item.choice;
    a.source = item.source;
    a.plain = device_session_is_naive(l, &item.choice);
    a.phase = item.known                     ? LIFT_TRIAL_PHASE_RECHECK
              : item.source == FRONTIER_SEED ? LIFT_TRIAL_PHASE_SEED
                                             : LIFT_TRIAL_PHASE_SEARCH;
    if (!attempt_start(l, &a))
        return false;
    a.on_slab = wants_slab(l, &a);
    q->beside += a.phase == LIFT_TRIAL_PHASE_RECHECK;
    *queue_at(q, q->next++) = a;
    return true;
}

/* ---- results */

static bool store(struct device_session *l)
{
    struct queue *q = &l->queue;

    for (int64_t i = q->first; i < q->next; i++) {
        struct attempt *a = queue_at(q, i);

        if (a->stage != ATTEMPT_ENDED)
            continue;
        if (!record_finish(&device_session_depth(l, a->choice.expr)->recorder, a->id,
                           &a->end, a->built.texts.len ? &a->built.reply : NULL,
                           a->built.texts.data))
            return false;
        a->stage = ATTEMPT_STORED;
        device_session_account(l, a);
    }
    return true;
}

/* True if a proposal fits the queue. A session that is extended for a first kernel tries
 * one candidate after another. */
static bool has_room(struct device_session *l)
{
    struct queue *q = &l->queue;
    int untold = 0;

    if (l->session->extends &&
        (q->next >= q->room || queue_count(q, ATTEMPT_PROPOSED, ATTEMPT_RUNNING) > 0))
        return false;
    for (int64_t i = q->first; i < q->next; i++)
        untold += queue_at(q, i)->telling != ATTEMPT_TOLD;
    return q->next - q->first < q->slots && untold < q->room;
}

static bool fill(struct device_session *l)
{
    bool asked = true;

    while (asked && has_room(l))
        if (!ask(l, &asked))
            return false;
    return true;
}

/* True if the attempt has a result for the technique. */
static bool is_through(const struct attempt *a)
{
    return a->stage >= ATTEMPT_ENDED || a->slab.status == LIFT_TRIAL_OK;
}

/* The logarithm of a time, for geometric means; cached results count as a tenth of a
 * second. */
static double logarithm(double age)
{
    return log(fmax(age, 0.1));
}

/* The geometric mean of the ended attempts' times, which a single slow one hardly
 * changes; infinite if too few have ended. */
static double usual_age(struct queue *q)
{
    double sum = q->logarithms;
    int64_t count = q->told;

    for (int64_t i = q->first; i < q->next; i++) {
        const struct attempt *a = queue_at(q, i);

        if (a->telling != ATTEMPT_TOLD && is_through(a)) {
            sum += logarithm(a->age);
            count++;
        }
    }
    return count < LEAST_ENDED ? INFINITY : exp(sum / (double)count);
}

/* True if a few trials are being compiled, and all others wait for these to keep the
 * technique's order. */
static bool is_idle(struct queue *q)
{
    return queue_count(q, ATTEMPT_READY, ATTEMPT_RUNNING) == 0 &&
           queue_count(q, ATTEMPT_PROPOSED, ATTEMPT_COMPILING) <= q->room / 4;
}

static double longest_compilation(struct queue *q)
{
    double longest = 0;

    for (int64_t i = q->first; i < q->next; i++)
        if (queue_at(q, i)->stage >= ATTEMPT_READY)
            longest = fmax(longest, queue_at(q, i)->built.reply.compile_s);
    return longest;
}

/* True if a compilation takes much longer than all others of its batch. Only then does
 * the order of proposals depend on the clock on a processor. */
static bool is_straggler(struct device_session *l, const struct attempt *a)
{
    double seconds = l->session->options->seconds, least = straggler_seconds;

    if (seconds > 0)
        least = fmin(least, late_share * seconds);
    return a->stage == ATTEMPT_COMPILING &&
           lift_seconds() - a->began >
               fmax(least, straggler_factor * longest_compilation(&l->queue));
}

static bool is_late(struct device_session *l, const struct attempt *a)
{
    struct queue *q = &l->queue;
    double age = lift_seconds() - a->asked, usual = usual_age(q);

    if (isinf(usual))
        return false;
    if (q->ordered)
        return is_idle(q) && is_straggler(l, a);
    return (age > late_seconds && age > late_factor * usual) ||
           (age > idle_seconds && is_idle(q));
}

/* Releases the data of reported and stored trials that wait for older ones. */
static void forget(struct device_session *l)
{
    struct queue *q = &l->queue;

    for (int64_t i = q->first; i < q->next; i++) {
        struct attempt *a = queue_at(q, i);

        if (a->telling != ATTEMPT_TOLD || a->stage != ATTEMPT_STORED)
            continue;
        built_release(&a->built);
        if (i == q->first)
            q->first++;
    }
}

/* Marks a late trial. The mark stays: the technique receives the trials after it first.
 */
static void note_late(struct device_session *l)
{
    struct queue *q = &l->queue;

    for (int64_t i = q->first; i < q->next; i++) {
        struct attempt *a = queue_at(q, i);

        if (a->telling == ATTEMPT_UNTOLD && !is_through(a) && is_late(l, a))
            a->telling = ATTEMPT_LATE;
    }
}

/* The next trial for the technique; NULL: none yet. */
static struct attempt *next_told(struct queue *q)
{
    for (int64_t i = q->first; i < q->next; i++) {
        struct attempt *a = queue_at(q, i);

        if (a->telling != ATTEMPT_TOLD && is_through(a))
            return a;
        if (a->telling == ATTEMPT_UNTOLD)
            return NULL;
    }
    return NULL;
}

bool queue_turn(struct device_session *l, bool last)
{
    struct queue *q = &l->queue;
    struct attempt *a;

    if (!store(l) || (!last && q->next == q->first && !q->dry && !fill(l)))
        return false;
    note_late(l);
    while ((a = next_told(q))) {
        device_session_tell(l, a);
        q->beside +=
            lift_trial_is_rejected(a->end.status) && a->phase != LIFT_TRIAL_PHASE_RECHECK;
        q->told++;
        q->logarithms += logarithm(a->age);
        a->telling = ATTEMPT_TOLD;
        forget(l);
        if (!last && !fill(l))
            return false;
    }
    forget(l);
    return true;
}

void queue_end_stragglers(struct device_session *l)
{
    for (int64_t i = l->queue.first; i < l->queue.next; i++) {
        struct attempt *a = queue_at(&l->queue, i);
        struct trial_reply end = {.status = LIFT_TRIAL_LOST};
        double seconds = lift_seconds() - a->began;

        if (!is_straggler(l, a))
            continue;
        lift_snprintf(
            end.reason, sizeof end.reason,
            "the time limit ended, and the compiler had not finished after %.3g s",
            seconds);
        a->built.reply.compile_s += seconds;
        attempt_end(a, &end);
    }
}

bool queue_is_done(const struct device_session *l)
{
    const struct queue *q = &l->queue;

    return q->first == q->next && ((q->dry && !frontier_has_delayed(l->frontier, l) &&
                                    depths_are_estimated(l)) ||
                                   has_enough(l) || !has_time(l));
}
