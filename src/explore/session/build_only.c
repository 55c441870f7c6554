/* Candidates that are only built, or also run at small sizes. They are drawn at random:
 * each expression once, then the next round. The draw does not depend on timing.
 * Expressions are drawn by hash, so devices draw common expressions alike. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "explore/candidate.h"
#include "explore/session/session.h"
#include <stdlib.h>
#include <string.h>

struct builds {
    struct session s;
    enum lift_explore_builds what;
    lift_explore_build_row *row;
    void *user;
};

/* While a long compilation runs, at most this many rounds of others overtake it. */
enum { ROUNDS = 64 };

/* ---- the draw */

/* The rank of a candidate space in the order of drawing. */
struct lot {
    uint64_t number;
    int candidates;
};

static int by_number(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;

    return x->number == y->number  ? x->candidates - y->candidates
           : x->number < y->number ? -1
                                   : 1;
}

static struct lot *shuffled(const struct device_session *l, uint64_t seed)
{
    struct lot *lots = lift_alloc((size_t)l->space_count, sizeof *lots);

    for (int i = 0; i < l->space_count; i++) {
        struct lift_hash hash = l->spaces[i].term->hash;

        lots[i] = (struct lot){lift_hash_bytes(&hash, sizeof hash, seed).lo, i};
    }
    qsort(lots, (size_t)l->space_count, sizeof *lots, by_number);
    return lots;
}

/* The candidate with this number; candidate spaces follow their order. */
static struct attempt draw(const struct device_session *l, const struct lot *lots,
                           int64_t number)
{
    const struct lot *lot = &lots[number % l->space_count];
    struct attempt a = {.choice = {.expr = lot->candidates},
                        .asked = lift_seconds(),
                        .built.reply.resources = LIFT_RESOURCES_UNKNOWN};
    struct lift_rng rng;
    bool found;

    lift_rng_seed(&rng, lot->number + (uint64_t)(number / l->space_count));
    found = lift_space_sample(l->spaces[lot->candidates].space, &rng, a.choice.values);
    LIFT_ASSERT(found);
    return a;
}

static bool can_serve(struct builds *b, const struct device_session *l)
{
    if (b->what == LIFT_BUILDS_CHECK && l->device.info.builds_only)
        return session_fail(&b->s,
                            "'%s' is an architecture, not a device: kernels can be "
                            "built for it, but not run",
                            l->result->name);
    return true;
}

static bool can_be_built(struct session *s, enum lift_explore_builds what,
                         struct lift_error *errors)
{
    if (what != LIFT_BUILDS_ONLY)
        return session_ready(s, errors);
    if (explore_problem_sound(s->problem, s->options->source, errors))
        return true;
    s->result->end = LIFT_EXPLORE_BAD_PROGRAM;
    return false;
}

static bool prepare(struct builds *b, struct lift_error *errors)
{
    struct session *s = &b->s;

    if (!session_open(s, errors) || !can_be_built(s, b->what, errors))
        return false;
    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];

        if (!device_session_derive(l))
            return false;
        if (!can_serve(b, l))
            return false;
        l->benches[0] = (struct explore_bench){.problem = s->problem,
                                               .device = l->result->name,
                                               .info = &l->device.info,
                                               .spaces = l->spaces,
                                               .seed = s->options->seed};
        s->benches[i] = l->benches[0];
    }
    return true;
}

/* ---- building */

/* Runs a candidate while builders continue. */
static void run_small(struct device_session *l, struct attempt *a)
{
    struct session *s = l->session;
    struct trial_request asked = {.parts = TRIAL_SMALL};
    LIFT_SCOPED(lift_str) request = {0}, reply = {0};
    struct lift_worker_result result;

    if (!l->runner)
        l->runner = lift_worker_create(explore_run_serve, &l->benches[0]);
    built_send(&a->built, &asked, &request);
    result = lift_worker_call(l->runner, request.data, request.len,
                              explore_run_seconds(s->problem), &reply);
    trial_read(result, TRIAL_RUNS, &reply, &a->end);
    if (a->end.status == LIFT_TRIAL_OVERFLOW)
        lift_worker_end(l->runner);
}

static void tell(struct builds *b, const struct device_session *l,
                 const struct attempt *a)
{
    const struct candidate_request request = {.problem = b->s.problem,
                                              .device = &l->device.info,
                                              .candidates = &l->spaces[a->choice.expr],
                                              .point = a->choice.values};
    const struct trial_reply *built = &a->built.reply;
    LIFT_FREED char *tunables = lift_space_json(request.candidates->space, request.point);
    LIFT_SCOPED(lift_str) steps = {0};
    struct lift_explore_build row = {.device = l->result->name,
                                     .expr = request.candidates->term->hash,
                                     .tunables = tunables,
                                     .status = a->end.status,
                                     .reason = a->end.reason,
                                     .log = "",
                                     .request = &request,
                                     .resources = built->resources,
                                     .seconds = built->compile_s};

    if (built->log_size)
        row.log = a->built.texts.data + built->job_size;
    device_session_print_configuration(l, a->choice.expr, &steps);
    row.steps = lift_str_get(&steps);
    b->row(b->user, &row);
}

static void build(struct builds *b, struct device_session *l, int count)
{
    struct lot *lots = shuffled(l, b->s.options->seed);
    struct queue *q = &l->queue;

    queue_create(q, b->s.pool.count, ROUNDS, false);
    while (q->first < count) {
        for (; q->next < count && q->next - q->first < q->slots; q->next++)
            *queue_at(q, q->next) = draw(l, lots, q->next);
        pool_turn(l);
        while (q->first < q->next && queue_at(q, q->first)->stage >= ATTEMPT_READY) {
            struct attempt *a = queue_at(q, q->first);

            if (a->stage == ATTEMPT_READY)
                attempt_end(a, &a->built.reply);
            if (a->end.status == LIFT_TRIAL_OK && b->what == LIFT_BUILDS_CHECK)
                run_small(l, a);
            tell(b, l, a);
            built_release(&a->built);
            q->first++;
        }
    }
    free(lots);
}

struct lift_explore_result lift_explore_builds(const struct lift_explore_options *options,
                                               int count, enum lift_explore_builds what,
                                               struct lift_error *errors,
                                               lift_explore_build_row *row, void *user)
{
    struct lift_explore_result result = {.end = LIFT_EXPLORE_EXHAUSTED};
    struct builds b = {
        .s = {.options = options, .result = &result, .started = lift_seconds()},
        .what = what,
        .row = row,
        .user = user};

    if (prepare(&b, errors)) {
        pool_create(&b.s, what == LIFT_BUILDS_CHECK ? TRIAL_SMALL : TRIAL_FULL);
        for (int i = 0; i < b.s.device_session_count; i++)
            build(&b, &b.s.device_sessions[i], count);
    }
    session_sum(&b.s);
    session_close(&b.s);
    return result;
}
