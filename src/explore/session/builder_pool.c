#include "explore/session/builder_pool.h"
#include "base/bug.h"
#include "base/locale.h"
#include "base/seconds.h"
#include "explore/session/session.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Address space of a builder and its compiler, in addition to this process's: enough for
 * any sensible source. */
static const int64_t most_memory = (int64_t)4 << 30;

enum { MOST_MISSES = 3 };

/* ---- orders */

/* Cache keys of the trial's two binaries, on the session's device. */
static struct lift_hash key_of(const struct device_session *l, struct lift_hash key)
{
    return lift_hash_combine(l->result->device, key);
}

/* State of a trial's binary: present, missing, or being compiled. */
enum have { HAVE_IT, HAVE_NOT, HAVE_SOON };

static enum have look_up(struct device_session *l, struct lift_hash key,
                         struct binary **out)
{
    struct binary *b = *out ? NULL : cache_find(&l->session->pool.cache, key_of(l, key));

    if (*out)
        return HAVE_IT;
    if (!b)
        return HAVE_NOT;
    if (b->making) {
        cache_release(b);
        return HAVE_SOON;
    }
    *out = b;
    return HAVE_IT;
}

static void ready(struct attempt *a)
{
    if (a->built.full)
        a->built.reply.resources = a->built.full->resources;
    a->stage = ATTEMPT_READY;
    a->ready = lift_seconds();
}

/* The binaries that a sourced trial still needs; negative if another builder compiles
 * them; 0: none. */
static int missing(struct device_session *l, struct attempt *a)
{
    unsigned parts = a->task == TRIAL_HEALTH ? TRIAL_FULL : l->session->pool.parts;
    enum have full = HAVE_IT, small = HAVE_IT;

    if (parts & TRIAL_FULL)
        full = look_up(l, a->built.reply.full_key, &a->built.full);
    if ((parts & TRIAL_SMALL) && !l->spaces[a->choice.expr].fixed)
        small = look_up(l, a->built.reply.small_key, &a->built.small);

    if (full == HAVE_SOON || small == HAVE_SOON)
        return -1;
    return (full == HAVE_NOT ? TRIAL_FULL : 0) | (small == HAVE_NOT ? TRIAL_SMALL : 0);
}

static bool share_a_process(const struct device_session *a,
                            const struct device_session *b)
{
    const struct lift_device_info *x = &a->device.info, *y = &b->device.info;

    return !strcmp(x->runtime, y->runtime) || (!x->compiles_apart && !y->compiles_apart);
}

double pool_build_seconds(const struct device_session *l)
{
    static const double share = 0.25, factor = 4;
    double budget = session_budget(l->session), most = explore_build_seconds();

    if (budget <= 0 || l->naive_compile_seconds <= 0)
        return most;
    return fmin(most, fmax(share * budget, factor * l->naive_compile_seconds));
}

static double build_limit(const struct device_session *l, const struct attempt *a)
{
    if (a->phase == LIFT_TRIAL_PHASE_FINAL)
        return session_left(l->session, explore_build_seconds());
    return a->plain || a->task == TRIAL_HEALTH ? explore_build_seconds()
                                               : pool_build_seconds(l);
}

static void send(struct builder *b, struct device_session *l, struct attempt *a,
                 unsigned parts)
{
    struct trial_request asked = {.device_session =
                                      (int)(l - l->session->device_sessions),
                                  .task = a->task,
                                  .parts = parts};
    LIFT_SCOPED(lift_str) request = {0};

    if (a->task == TRIAL_CANDIDATE) {
        asked.depth = l->depth_of[a->choice.expr];
        asked.candidates = a->choice.expr;
        asked.options = device_session_leaf(l, a->choice.expr)->configuration;
        asked.slab = a->on_slab;
        asked.job_size = a->built.reply.job_size;
        memcpy(asked.point, a->choice.values, sizeof asked.point);
    }
    lift_str_addn(&request, (const char *)&asked, sizeof asked);
    if (asked.job_size)
        lift_str_addn(&request, a->built.texts.data, asked.job_size);
    if (b->last && !share_a_process(b->last, l))
        lift_worker_end(b->worker);
    b->last = b->device_session = l;
    b->attempt = a;
    b->began = lift_seconds();
    b->limit = build_limit(l, a);
    lift_worker_begin(b->worker, request.data, request.len, b->limit);
}

static void order_binaries(struct builder *b, struct device_session *l, struct attempt *a,
                           int parts)
{
    struct cache *cache = &l->session->pool.cache;

    if (parts & TRIAL_FULL)
        a->built.full = cache_add(cache, key_of(l, a->built.reply.full_key));
    if (parts & TRIAL_SMALL)
        a->built.small = cache_add(cache, key_of(l, a->built.reply.small_key));
    a->stage = ATTEMPT_COMPILING;
    a->began = lift_seconds();
    send(b, l, a, (unsigned)parts);
}

/* Orders the missing binaries of a trial, unless another builder compiles them. */
static bool order_sourced(struct builder *b, struct device_session *l, struct attempt *a)
{
    int parts = a->stage == ATTEMPT_SOURCED ? missing(l, a) : -1;

    if (parts > 0)
        order_binaries(b, l, a, parts);
    return parts > 0;
}

static void promote(struct device_session *l, struct attempt *a)
{
    if (a->stage == ATTEMPT_SOURCED && missing(l, a) == 0)
        ready(a);
}

void pool_promote(struct device_session *l)
{
    struct queue *q = &l->queue;

    promote(l, &l->drive.known);
    for (int64_t i = q->first; i < q->next; i++)
        promote(l, queue_at(q, i));
}

/* The oldest trial is compiled first. Other sources are made before others are compiled,
 * so that candidates that the code generator rejects are replaced soon. */
static bool order(struct builder *b, struct device_session *l)
{
    struct queue *q = &l->queue;
    struct attempt *a;

    if (order_sourced(b, l, &l->drive.known) ||
        (q->first < q->next && order_sourced(b, l, queue_at(q, q->first))))
        return true;
    a = queue_find(&l->queue, ATTEMPT_PROPOSED);
    if (a) {
        a->stage = ATTEMPT_SOURCING;
        send(b, l, a, 0);
        return true;
    }
    for (int64_t i = q->first; i < q->next; i++)
        if (order_sourced(b, l, queue_at(q, i)))
            return true;
    return false;
}

/* Gives the builder work; device sessions alternate. */
static bool order_any(struct session *s, struct builder *b)
{
    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l =
            &s->device_sessions[(s->pool.turn + i) % s->device_session_count];

        if (!l->result->lost && order(b, l)) {
            s->pool.turn = (s->pool.turn + i + 1) % s->device_session_count;
            return true;
        }
    }
    return false;
}

void pool_start(struct session *s)
{
    for (int i = 0; i < s->pool.count; i++)
        if (!s->pool.builders[i].device_session && !order_any(s, &s->pool.builders[i]))
            return;
}

/* ---- answers */

static void take_source(struct attempt *a, const struct lift_str *reply)
{
    const struct trial_reply *r = &a->built.reply;

    lift_str_clear(&a->built.texts);
    if (r->job_size)
        lift_str_addn(&a->built.texts, reply->data + sizeof *r,
                      r->job_size + r->log_size);
    if (r->status == LIFT_TRIAL_OK)
        a->stage = ATTEMPT_SOURCED;
    else
        attempt_end(a, r);
}

/* The compiler's log follows the job. */
static void take_log(struct attempt *a, struct trial_reply *built, const char *log)
{
    a->built.texts.len = a->built.reply.job_size;
    lift_str_addn(&a->built.texts, log, built->log_size);
    built->source_size = a->built.reply.source_size;
    built->job_size = a->built.reply.job_size;
    built->full_key = a->built.reply.full_key;
    built->small_key = a->built.reply.small_key;
    built->compile_s += a->built.reply.compile_s;
    a->built.reply = *built;
}

static void keep(struct cache *cache, struct binary **b, bool good, const char *bytes,
                 size_t size)
{
    if (!*b || !(*b)->making)
        return;
    if (good) {
        cache_made(cache, *b, bytes, size);
    } else {
        cache_forget(cache, *b);
        *b = NULL;
    }
}

static void take_binaries(struct device_session *l, struct attempt *a,
                          struct trial_reply *built, const struct lift_str *reply)
{
    struct cache *cache = &l->session->pool.cache;
    bool good = built->status == LIFT_TRIAL_OK;
    const char *log = reply->len ? reply->data + sizeof *built : "";
    const char *full = log + built->log_size;
    struct binary *mine = a->built.full && a->built.full->making ? a->built.full : NULL;

    keep(cache, &a->built.full, good, full, built->full_size);
    keep(cache, &a->built.small, good, full + built->full_size, built->small_size);
    if (good && mine)
        mine->resources = built->resources;
    take_log(a, built, log);
    if (good)
        ready(a);
    else
        attempt_end(a, built);
}

/* Repeats the order if the builder was killed from outside, once. */
static bool take_again(struct device_session *l, struct attempt *a)
{
    struct cache *cache = &l->session->pool.cache;

    if (a->killed && a->task == TRIAL_CANDIDATE)
        return false;
    a->killed = true;
    keep(cache, &a->built.full, false, NULL, 0);
    keep(cache, &a->built.small, false, NULL, 0);
    a->stage = a->stage == ATTEMPT_SOURCING ? ATTEMPT_PROPOSED : ATTEMPT_SOURCED;
    return true;
}

/* Names the limit that a build exceeded; limits differ between sessions. */
static void name_limit(const struct builder *b, struct trial_reply *built)
{
    if (built->status != LIFT_TRIAL_COMPILE_TIMEOUT || built->compile_s > 0)
        return;
    built->compile_s = b->limit;
    lift_snprintf(
        built->reason, sizeof built->reason, "the compiler took more than %.3g s%s",
        b->limit,
        b->limit < explore_build_seconds() ? ", too long for such a short session" : "");
}

/* Marks the builder as idle. */
static void put_down(struct builder *b)
{
    if (b->device_session)
        b->device_session->compiled += lift_seconds() - b->began;
    if (b->attempt && b->attempt->stage == ATTEMPT_COMPILING)
        pace_add(&b->device_session->compile_pace, lift_seconds() - b->began);
    b->device_session = NULL;
    b->attempt = NULL;
}

static void take(struct builder *b, struct lift_worker_result result,
                 const struct lift_str *reply)
{
    struct device_session *l = b->device_session;
    struct attempt *a = b->attempt;
    struct trial_reply built;

    put_down(b);
    trial_read(result, TRIAL_BUILDS, reply, &built);
    name_limit(b, &built);
    l->misses =
        built.status == LIFT_TRIAL_LOST || (built.killed && a->task == TRIAL_HEALTH)
            ? l->misses + 1
            : 0;
    if (l->misses == MOST_MISSES)
        device_session_lose(l, "device '%s' is no longer available: %s", l->result->name,
                            built.reason);
    if (built.killed && take_again(l, a))
        return;
    if (a->stage == ATTEMPT_SOURCING) {
        a->built.reply = built;
        take_source(a, reply);
    } else {
        take_binaries(l, a, &built, reply);
    }
    if (a->task == TRIAL_HEALTH && a->stage == ATTEMPT_ENDED)
        device_session_lose(
            l, "the kernel of the health check cannot be compiled for '%s': %s",
            l->result->name, built.reason);
}

void pool_step(struct session *s)
{
    LIFT_SCOPED(lift_str) reply = {0};
    struct lift_worker_result result;

    for (int i = 0; i < s->pool.count; i++) {
        struct builder *b = &s->pool.builders[i];

        if (b->device_session && lift_worker_step(b->worker, &reply, &result))
            take(b, result, &reply);
    }
}

void pool_turn(struct device_session *l)
{
    const struct trial_reply lost = {.status = LIFT_TRIAL_LOST,
                                     .reason = "the device is excluded"};
    struct session *s = l->session;
    struct lift_worker *workers[JOBS];

    if (l->result->lost) {
        pool_stop(&s->pool);
        for (int64_t i = l->queue.first; i < l->queue.next; i++)
            if (queue_at(&l->queue, i)->stage < ATTEMPT_READY)
                attempt_end(queue_at(&l->queue, i), &lost);
        return;
    }
    for (int i = 0; i < s->pool.count; i++)
        workers[i] = s->pool.builders[i].worker;
    pool_promote(l);
    pool_start(s);
    lift_worker_wait_any(workers, s->pool.count, 50);
    pool_step(s);
}

void pool_build(struct device_session *l)
{
    while (queue_count(&l->queue, ATTEMPT_PROPOSED, ATTEMPT_COMPILING) > 0)
        pool_turn(l);
}

/* ---- the pool */

/* Drivers of devices other than processors map more memory than the machine has: no limit
 * then. */
void pool_create(struct session *s, unsigned parts)
{
    bool alone = session_processors(s) == s->device_session_count;
    int count = session_jobs(s->options);

    s->pool = (struct pool){.count = count,
                            .parts = parts,
                            .builders = calloc((size_t)count, sizeof(struct builder))};
    LIFT_ASSERT(s->pool.builders);
    for (int i = 0; i < count; i++) {
        s->pool.builders[i].worker = lift_worker_create(explore_build_serve, s->benches);
        lift_worker_limit_memory(s->pool.builders[i].worker,
                                 alone ? most_memory + lift_worker_memory() : 0);
    }
}

void pool_pause(struct pool *pool)
{
    for (int i = 0; i < pool->count; i++)
        lift_worker_pause(pool->builders[i].worker);
}

void pool_resume(struct pool *pool)
{
    for (int i = 0; i < pool->count; i++)
        lift_worker_resume(pool->builders[i].worker);
}

bool pool_is_idle(const struct pool *pool)
{
    for (int i = 0; i < pool->count; i++)
        if (pool->builders[i].device_session)
            return false;
    return true;
}

void pool_stop(struct pool *pool)
{
    for (int i = 0; i < pool->count; i++) {
        lift_worker_end(pool->builders[i].worker);
        put_down(&pool->builders[i]);
    }
}

void pool_fini(struct pool *pool)
{
    for (int i = 0; i < pool->count; i++)
        lift_worker_stop(pool->builders[i].worker);
    free(pool->builders);
    cache_fini(&pool->cache);
    *pool = (struct pool){.count = 0};
}
