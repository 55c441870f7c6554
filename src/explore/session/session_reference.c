/* The reference results of a session. For devices with separate memory, a process on the
 * host computes them concurrently, the slab's results first. On CPUs no other work may
 * run then: the host's runner computes them, in the buffers that candidates use later.
 * The first candidate then runs on the whole grid, later ones on the slab first. */
#include "base/seconds.h"
#include "device/traits.h"
#include "explore/reference.h"
#include "explore/session/session.h"
#include "explore/trial/slab.h"

enum {
    FIRST = 1 << EXPLORE_FIRST,
    SECOND = 1 << EXPLORE_SECOND,
    THIRD = 1 << EXPLORE_THIRD
};

static bool fail(struct session *s, struct lift_str *why)
{
    session_fail(s, "no reference for '%s': %s", s->problem->name, lift_str_get(why));
    lift_str_fini(why);
    return false;
}

/* Finds the slab for the device that needs the largest. */
static void find_slab(struct session *s)
{
    int64_t bytes = 0, wanted;

    for (int i = 0; i < s->device_session_count; i++) {
        wanted = explore_slab_bytes(&s->device_sessions[i].device.info);
        bytes = wanted > bytes ? wanted : bytes;
    }
    s->slab = (struct explore_bench){.problem = explore_slab_of(s->problem, bytes),
                                     .seed = s->options->seed};
}

int session_processors(const struct session *s)
{
    int count = 0;

    for (int i = 0; i < s->device_session_count; i++)
        count += s->device_sessions[i].device.info.is_cpu;
    return count;
}

/* The reference results of the search; second inputs are for the slab if there is one. */
static struct explore_wanted wanted(const struct session *s)
{
    if (s->slab.problem)
        return (struct explore_wanted){FIRST, FIRST | SECOND};
    return (struct explore_wanted){FIRST | SECOND, 0};
}

static bool rooms(struct explore_bench *bench, unsigned wanted, struct lift_str *why)
{
    for (int i = 0; i < EXPLORE_TRUTHS; i++)
        if ((wanted >> i & 1) && !explore_reference_room(bench, i, why))
            return false;
    return true;
}

/* On processors the final benchmark's reference result replaces the search's. */
static bool prepare(struct session *s)
{
    struct lift_str why = {0};
    struct explore_wanted w;
    bool apart = !session_processors(s) && !s->options->no_final;

    find_slab(s);
    s->whole = (struct explore_bench){.problem = s->problem, .seed = s->options->seed};
    w = wanted(s);
    if (!rooms(&s->slab, w.slab, &why) ||
        !rooms(&s->whole, w.whole | (apart ? THIRD : 0), &why) ||
        !explore_reference_lower(&s->whole, s->options->rules, &why))
        return fail(s, &why);
    if (!apart)
        explore_reference_reuse(&s->whole, EXPLORE_THIRD);
    s->slab.plain = s->whole.plain;
    s->whole.slab = s->slab.problem ? &s->slab : NULL;
    return true;
}

static struct explore_bench bench_of(const struct device_session *l,
                                     const struct explore_bench *of)
{
    struct explore_bench bench = *of;

    bench.device = l->result->name;
    bench.info = &l->device.info;
    bench.spaces = l->spaces;
    bench.later = &l->later;
    return bench;
}

static struct device_session *host_session(const struct session *s)
{
    for (int i = 0; i < s->device_session_count; i++)
        if (lift_device_traits(&s->device_sessions[i].device.info)->in_process &&
            !s->device_sessions[i].result->lost)
            return &s->device_sessions[i];
    return NULL;
}

static void begin(struct session *s, struct explore_wanted w)
{
    struct device_session *host = host_session(s);

    s->reference = explore_reference_begin(host ? &host->bench : &s->whole,
                                           host ? host->runner : NULL, w);
    s->slab_known |= w.slab != 0;
}

bool session_early_reference(struct session *s)
{
    struct explore_wanted w;

    if (session_processors(s))
        return true;
    if (!prepare(s))
        return false;
    w = wanted(s);
    w.whole |= s->options->no_final ? 0 : THIRD;
    s->final_truth = true;
    begin(s, w);
    return true;
}

bool session_begin_reference(struct session *s)
{
    if (!s->reference && !s->final_truth && !prepare(s))
        return false;
    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];

        l->bench = bench_of(l, &s->whole);
        l->slab = bench_of(l, &s->slab);
        l->bench.slab = s->slab.problem ? &l->slab : NULL;
        l->runner = lift_worker_create(explore_run_serve, &l->bench);
    }
    if (!s->final_truth)
        begin(s, (struct explore_wanted){wanted(s).whole, 0});
    return true;
}

static bool step(struct session *s)
{
    struct lift_str why = {0};
    bool good = true;

    if (!explore_reference_step(s->reference, &good, &why))
        return true;
    if (s->reference_seconds <= 0)
        s->reference_seconds = explore_reference_seconds(s->reference);
    explore_reference_end(s->reference);
    s->reference = NULL;
    return good || fail(s, &why);
}

/* True if there is time for the slab's reference, which has fewer points and serves later
 * trials. */
static bool has_time(const struct session *s)
{
    double left = session_deadline(s) - s->result->progress.reserved - lift_seconds();
    double share = s->slab.problem
                       ? (double)s->slab.problem->points / (double)s->problem->points
                       : 0;

    return s->options->seconds <= 0 || left > (0.5 + 2 * share) * s->reference_seconds;
}

bool session_has_slab_time(const struct session *s)
{
    return !s->slab.problem || s->slab_known || s->reference || has_time(s);
}

bool session_holds_runner(const struct device_session *l)
{
    return l->session->reference && host_session(l->session) == l;
}

static bool has_runner(const struct session *s)
{
    const struct device_session *host = host_session(s);

    return !host || host->drive.task == DRIVE_IDLE;
}

bool session_step_reference(struct session *s, bool goes_on)
{
    if (s->reference)
        return step(s);
    if (goes_on && s->slab.problem && !s->slab_known && has_time(s) && has_runner(s))
        begin(s, (struct explore_wanted){0, wanted(s).slab});
    return true;
}

bool session_has_truth(const struct session *s, bool slab)
{
    const struct explore_reference *r = s->reference;

    if (slab && !s->slab_known)
        return false;
    return !r || (explore_reference_has(r, slab, EXPLORE_FIRST) &&
                  explore_reference_has(r, slab, EXPLORE_SECOND));
}

bool session_final_truth(struct session *s)
{
    struct pollfd fd;

    if (!s->final_truth) {
        session_report(s, "final benchmark: computing the reference of other inputs");
        if (s->reference && host_session(s)) /* an unfinished reference */
            lift_worker_end(host_session(s)->runner);
        explore_reference_end(s->reference);
        begin(s, (struct explore_wanted){THIRD, 0});
        s->final_truth = true;
    }
    while (s->reference && !session_is_late(s)) {
        int ms = lift_worker_wait(explore_reference_worker(s->reference), &fd);

        poll(&fd, 1, ms < 50 ? ms : 50);
        if (!step(s))
            return false;
    }
    return !s->reference;
}

void session_free_reference(struct session *s)
{
    explore_reference_end(s->reference);
    if (s->whole.problem)
        explore_reference_free(&s->whole);
    if (s->slab.problem)
        explore_reference_free(&s->slab);
}
