/* The second step of a trial: the runner loads, checks and times the binary. */
#include "base/bug.h"
#include "base/memory.h"
#include "explore/trial/runner_limits.h"
#include "explore/trial/trial_run.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run_state *run_open(const struct explore_bench *bench, struct lift_error *error)
{
    struct run_state *s = lift_alloc(1, sizeof *s);

    s->bench = bench;
    s->interpreter = explore_interpreter(bench->problem);
    s->references = references_create(bench);
    s->device = lift_device_open(bench->device, error);
    if (s->device) {
        lift_device_pin(s->device);
        s->clocks = lift_clocks_open(lift_device_info(s->device));
        return s;
    }
    references_destroy(s->references, NULL);
    lift_worker_stop(s->interpreter);
    free(s);
    return NULL;
}

/* The state for the slab, on the same device. */
static struct run_state *on_slab(struct run_state *s, const struct explore_bench *slab)
{
    if (!s->slab) {
        s->slab = lift_alloc(1, sizeof *s);
        LIFT_ASSERT(slab);
        s->slab->bench = slab;
        s->slab->device = s->device;
        s->slab->clocks = s->clocks;
        s->slab->interpreter = explore_interpreter(slab->problem);
        s->slab->references = s->references;
    }
    return s->slab;
}

static bool load(struct run *r, struct runner_module *m, const char *bytes, size_t size)
{
    struct lift_device *device = r->state->device;
    struct lift_error error = {0};

    m->binary = device->runtime->load(device, bytes, size, &error);
    return m->binary || trial_end_failure(&r->t, &error);
}

/* Before the first result, many kernels are tried on the slab, and the slowest would use
 * all the time. */
static const double first_on_slab = 0.1;

void run_limit(const struct run *r)
{
    const struct explore_bench *bench = r->state->bench;
    double launch =
        explore_launch_seconds(bench->problem, r->request->best * run_steps(r->state));

    if (r->request->slab && r->request->best <= 0)
        launch *= first_on_slab;
    runner_limit((struct runner_limits){
        .launch = launch,
        .first = bench->info->compiles_late ? explore_build_seconds() : 0,
        .rest = explore_run_seconds(bench->problem)});
}

bool run_load(struct run *r, const char *job)
{
    const struct trial_request *asked = r->request;
    const char *binaries = job + asked->job_size;

    run_limit(r);
    candidate_read(job, r->state->bench->problem, &r->candidate);
    return (asked->parts == TRIAL_SMALL ||
            load(r, &r->candidate.full, binaries, asked->full_size)) &&
           (!r->candidate.small.module ||
            load(r, &r->candidate.small, binaries + asked->full_size, asked->small_size));
}

enum { STOP_US = 2000 }; /* time until stopped compilers have left their cores */

void run_begin_quiet(struct run *r)
{
    if (!r->request->quiet || r->quiet)
        return;
    lift_worker_begin_quiet();
    usleep(STOP_US);
    r->quiet = true;
}

void run_end_quiet(struct run *r)
{
    if (!r->quiet)
        return;
    lift_load_pause(lift_clocks_load(r->state->clocks)); /* compilers resume */
    lift_worker_end_quiet();
    r->quiet = false;
}

static void run(struct run *r, const char *job)
{
    bool good = run_load(r, job) && run_check(r);

    if (good && r->request->parts == TRIAL_SMALL)
        r->t.reply.status = LIFT_TRIAL_OK;
    else if (good && !run_measure(r) && r->t.reply.status != LIFT_TRIAL_SLOW &&
             r->t.reply.status != LIFT_TRIAL_SLAB)
        r->t.reply.sample_count = 0;
    run_end_quiet(r);
    candidate_fini(r->state->device, &r->candidate);
}

static void run_health(struct run *r, const char *binary)
{
    struct lift_error error = {0};

    r->t.reply.status = LIFT_TRIAL_OK;
    if (!lift_device_health_check(r->state->device, binary, r->request->full_size,
                                  &error))
        trial_end_failure(&r->t, &error);
}

void run_send(struct run *r, struct lift_str *reply)
{
    size_t at = reply->len;

    if (r->state)
        lift_load_take(lift_clocks_load(r->state->clocks), &r->t.reply.load);
    lift_str_addn(reply, (const char *)&r->t.reply, sizeof r->t.reply);
    r->t.reply.log_size = trial_add_text(reply, &r->t.log);
    memcpy(reply->data + at, &r->t.reply, sizeof r->t.reply);
    lift_str_fini(&r->t.log);
}

static void serve(struct run *r, const char *data)
{
    switch (r->request->task) {
    case TRIAL_CANDIDATE:
        run(r, data);
        break;
    case TRIAL_HEALTH:
        run_health(r, data);
        break;
    case TRIAL_REFERENCE:
        run_reference(r);
        break;
    case TRIAL_LOAD:
    case TRIAL_TIME:
        run_final(r, data);
        break;
    }
}

static bool uses_bench(const struct trial_request *asked)
{
    return asked->task != TRIAL_HEALTH && asked->task != TRIAL_TIME;
}

void explore_run_serve(void *user, void **state, const void *request, size_t size,
                       struct lift_str *reply)
{
    struct trial_request asked;
    const struct explore_bench *bench;
    struct run r = {.request = &asked};
    struct lift_error error = {0};

    LIFT_ASSERT(size >= sizeof asked);
    memcpy(&asked, request, sizeof asked);
    bench = explore_bench_at(user, asked.depth);
    LIFT_ASSERT(size ==
                sizeof asked + asked.job_size + asked.full_size + asked.small_size);
    trial_start(&r.t);
    runner_limits_put(bench->info);
    if (!*state)
        *state = run_open(bench, &error);
    r.state = *state;
    if (r.state && asked.slab)
        r.state = on_slab(r.state, bench->slab);
    if (r.state && (!uses_bench(&asked) ||
                    run_turn(r.state, asked.slab ? bench->slab : bench, &error)))
        serve(&r, (const char *)request + sizeof asked);
    else
        trial_end_failure(&r.t, &error);
    run_send(&r, reply);
}
