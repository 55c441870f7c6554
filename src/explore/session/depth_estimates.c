/* The depths after the first. Their families are many, and their derivation and estimates
 * take seconds. So other processes make them concurrently with the estimates of the first
 * depth and with the first trials. This process then makes only the configurations with
 * the best estimates. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/seconds.h"
#include "explore/candidate/model_climb.h"
#include "explore/configurations.h"
#include "explore/session/breadth.h"
#include "explore/session/session.h"
#include "ir/spine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AT_ONCE = 8, MOST_ROWS = 64, MOST_SHAPES = 4 };

/* Without a time limit for the session, seconds for the estimates of one depth; otherwise
 * the share of the session. */
static const double usual_seconds = 20, seconds_share = 0.06, least_seconds = 1;

/* Candidates are not opened if their estimates exceed the best one of the first depth by
 * this factor: estimates are reliable within a factor of two. */
static const double slow_factor = 2;

/* A reply: this struct, its rows, and the reasons why configurations have no expression,
 * as lines with a number each. */
struct estimated {
    int count, exprs;
};

struct estimated_row {
    struct lift_configuration configuration;
    int values[LIFT_SPACE_PARAMS];
    double guessed;
};

/* ---- in the process */

static void put_rows(const struct device_session *l, const struct promising *rows,
                     int count, struct lift_str *reply)
{
    for (int i = 0; i < count; i++) {
        struct estimated_row row = {
            .configuration = device_session_leaf(l, rows[i].choice.expr)->configuration,
            .guessed = rows[i].guessed};

        memcpy(row.values, rows[i].choice.values, sizeof row.values);
        lift_str_addn(reply, (const char *)&row, sizeof row);
    }
}

/* False if the kernels of a leaf store the result of every time step: launches of a
 * single step do the same. */
static bool blocks_time(const struct device_session *l, int depth, int leaf)
{
    const struct device_depth *d = &l->depths[depth];
    lift_expr term = d->derivation->nodes[d->derivation->leaves[leaf].node].term;

    return lift_stages_stored(term) < d->steps - 1;
}

/* The request is the index of a depth. */
static void estimate(void *user, void **state, const void *request, size_t size,
                     struct lift_str *reply)
{
    struct device_session *l = user;
    const struct breadth *breadth = breadth_of(&l->device.info);
    struct promising rows[MOST_ROWS];
    struct climbing_limits limits = {
        .alone = true, .first_space = l->space_count, .alike = 1};
    double budget = l->session->options->seconds;
    struct estimated all;
    struct derivation *d;
    int depth, known, climbed;

    (void)state;
    LIFT_ASSERT(size == sizeof depth);
    memcpy(&depth, request, sizeof depth);
    d = l->depths[depth].derivation;
    known = d->leaf_count;
    configurations_add_temporal(d);
    for (int i = known; i < d->leaf_count; i++)
        if (blocks_time(l, depth, i))
            device_session_add_space(l, depth, i);
    l->joint = device_session_joint(l);
    limits.most = breadth->deeper;
    LIFT_ASSERT(breadth->shapes <= MOST_SHAPES &&
                breadth->deeper + breadth->shaped * breadth->shapes <= MOST_ROWS);
    limits.until =
        lift_seconds() +
        (budget > 0 ? fmax(least_seconds, seconds_share * budget) : usual_seconds);
    all.exprs = d->leaf_count - known;
    all.count = climbed = device_session_climb(l, &limits, rows);
    for (int i = 0; i < climbed && i < breadth->shaped; i++) {
        const struct climbed_configuration best = {rows[i].choice, rows[i].guessed};
        struct climbed_configuration shapes[MOST_SHAPES];
        int count = model_climb_shapes(l->joint, &best, shapes, breadth->shapes);

        for (int k = 0; k < count; k++)
            rows[all.count++] = (struct promising){shapes[k].choice, shapes[k].guessed};
    }
    lift_str_addn(reply, (const char *)&all, sizeof all);
    put_rows(l, rows, all.count, reply);
    for (int i = 0; i < d->unlowered.count; i++)
        lift_str_addf(reply, "%lld %s\n", (long long)d->unlowered.rows[i].count,
                      d->unlowered.rows[i].reason);
}

/* ---- in the session */

static double best_guess(const struct device_session *l)
{
    double best = INFINITY;

    for (int i = 0; i < l->promising_count; i++)
        best = fmin(best, l->promising[i].guessed);
    return best;
}

/* Adds a row's expression to the space, unless an earlier row did. Its candidate spaces
 * begin at 'first'. Returns false if there is no such candidate. */
static bool add(struct device_session *l, int depth, const struct estimated_row *row,
                int first, struct frontier_item *item)
{
    int expr = l->space_count;

    if (!device_session_add_configuration(l, depth, &row->configuration))
        do
            expr--;
        while (expr >= first &&
               memcmp(&device_session_leaf(l, expr)->configuration, &row->configuration,
                      sizeof row->configuration) != 0);
    *item = (struct frontier_item){.source = FRONTIER_TEMPORAL, .guessed = row->guessed};
    item->choice.expr = expr;
    memcpy(item->choice.values, row->values, sizeof row->values);
    return expr >= first &&
           lift_space_valid(l->spaces[item->choice.expr].space, item->choice.values);
}

static void take_reasons(struct device_depth *d, const char *line)
{
    while (*line) {
        char *reason;
        long long count = strtoll(line, &reason, 10);
        const char *end = strchr(reason, '\n');
        LIFT_SCOPED(lift_str) text = {0};

        if (!end || *reason != ' ')
            return;
        lift_str_addn(&text, reason + 1, (size_t)(end - reason - 1));
        reason_counts_add(&d->derivation->unlowered, lift_str_get(&text), count);
        line = end + 1;
    }
}

static void take(struct device_session *l, int depth, const struct lift_str *reply)
{
    double most = slow_factor * best_guess(l);
    int before = l->space_count, count = 0;
    struct frontier_item items[MOST_ROWS];
    struct estimated all;
    struct estimated_row row;
    size_t at = sizeof all;

    if (reply->len < sizeof all)
        return;
    memcpy(&all, reply->data, sizeof all);
    LIFT_ASSERT(reply->len >= sizeof all + (size_t)all.count * sizeof row);
    for (int i = 0; i < all.count; i++, at += sizeof row) {
        memcpy(&row, reply->data + at, sizeof row);
        count += row.guessed <= most && add(l, depth, &row, before, &items[count]);
    }
    l->depths[depth].unopened = all.exprs - (l->space_count - before);
    take_reasons(&l->depths[depth], lift_str_get(reply) + at);
    if (l->space_count > before)
        device_session_grown(l);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++)
            items[i].rank += items[k].guessed < items[i].guessed;
        l->queue.dry &= !frontier_add(l->frontier, &items[i]);
    }
}

/* The depth to estimate next; 0: none. Depths in the middle come first: small ones are
 * rarely the best on GPUs, and great ones on processors. */
static int next_depth(const struct device_session *l)
{
    enum { MIDDLE = 3 };
    int best = 0;

    for (int i = 1; i < l->session->depth_count && !l->twin; i++)
        if (l->depths[i].estimates == DEPTH_UNESTIMATED &&
            (!best || abs(i - MIDDLE) < abs(best - MIDDLE)))
            best = i;
    return best;
}

static int count_running(const struct session *s)
{
    int count = 0;

    for (int i = 0; i < s->device_session_count; i++)
        for (int k = 0; k < s->depth_count; k++)
            count += s->device_sessions[i].depths[k].estimates == DEPTH_ESTIMATING;
    return count;
}

/* Compilers use the other half of the cores. */
static int most_running(void)
{
    int cores = lift_cores();

    return cores / 2 < 1 ? 1 : cores / 2 < MOST_AT_ONCE ? cores / 2 : MOST_AT_ONCE;
}

static void begin(struct device_session *l, int depth)
{
    static const double most_seconds = 120;
    struct device_depth *d = &l->depths[depth];

    d->worker = lift_worker_create(estimate, l);
    d->estimates = DEPTH_ESTIMATING;
    lift_worker_begin(d->worker, &depth, sizeof depth, most_seconds);
}

static void end(struct device_depth *d)
{
    lift_worker_stop(d->worker);
    d->worker = NULL;
    d->estimates = DEPTH_ESTIMATED;
}

static void step(struct device_session *l)
{
    for (int i = 1; i < l->session->depth_count; i++) {
        struct device_depth *d = &l->depths[i];
        struct lift_worker_result result;
        LIFT_SCOPED(lift_str) reply = {0};

        if (d->estimates != DEPTH_ESTIMATING ||
            !lift_worker_step(d->worker, &reply, &result))
            continue;
        if (result.end == LIFT_WORKER_OK)
            take(l, i, &reply);
        end(d);
    }
}

bool depths_are_estimated(const struct device_session *l)
{
    for (int i = 1; i < l->session->depth_count; i++)
        if (l->depths[i].estimates == DEPTH_ESTIMATING)
            return false;
    return next_depth(l) == 0;
}

void depths_begin(struct device_session *l)
{
    int next;

    while (count_running(l->session) < most_running() && (next = next_depth(l)) > 0)
        begin(l, next);
}

void depths_step(struct session *s, bool begins)
{
    for (int i = 0; i < s->device_session_count; i++) {
        step(&s->device_sessions[i]);
        if (begins)
            depths_begin(&s->device_sessions[i]);
    }
}

int depths_workers(const struct session *s, struct lift_worker **out)
{
    int count = 0;

    for (int i = 0; i < s->device_session_count; i++)
        for (int k = 1; k < s->depth_count; k++)
            if (s->device_sessions[i].depths[k].worker)
                out[count++] = s->device_sessions[i].depths[k].worker;
    return count;
}

void depths_end(struct session *s)
{
    for (int i = 0; i < s->device_session_count; i++)
        for (int k = 1; k < s->depth_count; k++)
            end(&s->device_sessions[i].depths[k]);
}
