/* The first step of a trial: source, binary, resources. */
#include "base/bug.h"
#include "base/seconds.h"
#include "explore/candidate.h"
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { BUILDER_DEVICES = 64 };

/* The state of one request. */
struct build {
    struct lift_device *device;
    struct candidate candidate;
    struct trial_outcome t;
    struct lift_str job, full, small;
};

static bool compile(struct build *b, struct runner_module *m, struct lift_str *bytes)
{
    struct lift_error error = {0};

    if (runner_build(b->device, m, b->candidate.flags, &b->t.log, &error) &&
        b->device->runtime->save(b->device, m->binary, bytes, &error))
        return true;
    return trial_end_failure(&b->t, &error);
}

/* The hash of a source, without the comment at its beginning, which names its origin. */
static struct lift_hash key_of(const struct build *b, const struct runner_module *m)
{
    const char *code = strstr(m->module->source, "*/");

    return lift_hash_combine(lift_hash_text(code ? code : m->module->source),
                             lift_hash_text(b->candidate.flags));
}

static bool generate(struct build *b, const struct explore_bench *bench,
                     const struct trial_request *asked)
{
    struct candidate *c = &b->candidate;
    bool made;

    runner_unload(b->device, &c->full);
    made = candidate_make(bench, asked, c, &b->t);
    if (!c->full.module)
        return made;
    b->t.reply.full_key = key_of(b, &c->full);
    b->t.reply.source_size = strlen(c->full.module->source) + 1;
    if (c->small.module)
        b->t.reply.small_key = key_of(b, &c->small);
    candidate_write(c, &b->job);
    return made;
}

static struct lift_resources resources_of_kernel(struct lift_device *device,
                                                 const struct runner_module *m,
                                                 const struct lift_kernel *kernel)
{
    struct lift_resources r = device->runtime->resources(device, m->binary, kernel->name);

    if (r.local_bytes >= 0)
        r.local_bytes += (int64_t)kernel->launch.dynamic_bytes;
    return r;
}

/* The largest resources of the kernels, but the smallest of their largest blocks. */
static struct lift_resources resources_of(struct lift_device *device,
                                          const struct runner_module *m)
{
    const struct lift_kernel *kernels = m->module->kernels;
    struct lift_resources all = resources_of_kernel(device, m, &kernels[0]);

    for (int i = 1; i < m->module->kernel_count; i++) {
        struct lift_resources r = resources_of_kernel(device, m, &kernels[i]);

        if (r.registers > all.registers)
            all.registers = r.registers;
        if (r.spill_bytes > all.spill_bytes)
            all.spill_bytes = r.spill_bytes;
        if (r.stack_bytes > all.stack_bytes)
            all.stack_bytes = r.stack_bytes;
        if (r.local_bytes > all.local_bytes)
            all.local_bytes = r.local_bytes;
        if (r.max_group_size >= 0 && r.max_group_size < all.max_group_size)
            all.max_group_size = r.max_group_size;
    }
    return all;
}

/* Compiles the small binary. A problem with small sizes has one binary for both. */
static bool compile_small(struct build *b)
{
    const struct candidate *c = &b->candidate;

    if (!c->full.binary || !lift_hash_equal(key_of(b, &c->full), key_of(b, &c->small)))
        return compile(b, &b->candidate.small, &b->small);
    lift_str_addn(&b->small, b->full.data, b->full.len);
    return true;
}

/* The binary for the small check is compiled in this way, too, so that its code differs
 * only by the sizes. */
static bool build(struct build *b, const struct explore_bench *bench,
                  const struct trial_request *asked, const char *job)
{
    struct candidate *c = &b->candidate;

    if (asked->job_size)
        candidate_read(job, bench->problem, c);
    if (((!asked->job_size || !asked->parts) &&
         !generate(b, asked->slab ? bench->slab : bench, asked)) ||
        ((asked->parts & TRIAL_FULL) && !compile(b, &c->full, &b->full)) ||
        ((asked->parts & TRIAL_SMALL) && c->small.module && !compile_small(b)))
        return false;
    if (c->full.binary)
        b->t.reply.resources = resources_of(b->device, &c->full);
    b->t.reply.status = LIFT_TRIAL_OK;
    return true;
}

static void build_health(struct build *b)
{
    struct lift_error error = {0};

    if (lift_device_health_build(b->device, &b->full, &error))
        b->t.reply.status = LIFT_TRIAL_OK;
    else
        trial_end_failure(&b->t, &error);
}

static void send(struct build *b, struct lift_str *reply)
{
    struct trial_reply *r = &b->t.reply;
    size_t at = reply->len;

    lift_str_addn(reply, (const char *)r, sizeof *r);
    r->job_size = b->job.len;
    lift_str_addn(reply, b->job.data, b->job.len);
    r->log_size = trial_add_text(reply, &b->t.log);
    if (r->status == LIFT_TRIAL_OK) {
        r->full_size = b->full.len;
        r->small_size = b->small.len;
        lift_str_addn(reply, b->full.data, b->full.len);
        lift_str_addn(reply, b->small.data, b->small.len);
    }
    memcpy(reply->data + at, r, sizeof *r);
}

/* Devices stay open between requests. */
struct builder_state {
    struct lift_device *devices[BUILDER_DEVICES];
};

static struct lift_device *open_device(struct builder_state *state,
                                       const struct explore_bench *bench,
                                       int device_session, struct lift_error *error)
{
    LIFT_ASSERT(device_session >= 0 && device_session < BUILDER_DEVICES);
    if (!state->devices[device_session])
        state->devices[device_session] =
            lift_device_open(bench[device_session].device, error);
    return state->devices[device_session];
}

void explore_build_serve(void *user, void **state, const void *request, size_t size,
                         struct lift_str *reply)
{
    const struct explore_bench *bench = user;
    struct trial_request asked;
    struct build b = {.device = NULL};
    struct lift_error error = {0};
    double start = lift_seconds() - lift_worker_paused();

    LIFT_ASSERT(size >= sizeof asked);
    memcpy(&asked, request, sizeof asked);
    LIFT_ASSERT(size == sizeof asked + asked.job_size);
    trial_start(&b.t);
    prctl(PR_SET_NAME, "lift-builder");
    if (!*state)
        *state = calloc(1, sizeof(struct builder_state));
    LIFT_ASSERT(*state);
    b.device = open_device(*state, bench, asked.device_session, &error);
    if (!b.device)
        trial_end_failure(&b.t, &error);
    else if (asked.task == TRIAL_HEALTH)
        build_health(&b);
    else
        build(&b, explore_bench_at(&bench[asked.device_session], asked.depth), &asked,
              (const char *)request + sizeof asked);
    b.t.reply.compile_s = lift_seconds() - lift_worker_paused() - start;
    send(&b, reply);
    candidate_fini(b.device, &b.candidate);
    lift_str_fini(&b.job);
    lift_str_fini(&b.full);
    lift_str_fini(&b.small);
    lift_str_fini(&b.t.log);
}
