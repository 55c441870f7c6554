/* Makes references in the process of a runner (explore/reference.h). The host makes them
 * in the buffers that candidates use, since the first access to new memory takes ten
 * times as long as the kernel. */
#include "explore/trial/reference_make.h"
#include "base/bug.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "explore/trial/device_grids.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 * 1024 * 1024 };

/* Most share of the device's memory for references. */
static const double most_share = 0.25;

struct references *references_create(const struct explore_bench *bench)
{
    struct references *r = lift_alloc(1, sizeof *r);

    r->interpreted = explore_reference_problem(bench);
    r->interpreter = explore_interpreter(r->interpreted);
    return r;
}

/* ---- memory */

static size_t bytes_of(const struct reference_entry *e)
{
    size_t sum = 0;

    for (int i = 0; i < e->count; i++)
        sum += explore_leaf_bytes(&e->leaves[i]);
    return sum;
}

static void release(struct reference_entry *e, struct lift_device *device)
{
    for (int i = 0; i < e->count; i++) {
        device->runtime->release(device, e->truth.there[i]);
        free(e->truth.outputs[i]);
    }
    *e = (struct reference_entry){.bench = NULL};
}

/* Releases the reference that has not been used for longest; false: there is none. */
static bool release_oldest(struct references *r, struct lift_device *device)
{
    struct reference_entry *oldest = NULL;

    for (int i = 0; i < REFERENCE_TRUTHS; i++)
        if (r->entries[i].bench && (!oldest || r->entries[i].used < oldest->used))
            oldest = &r->entries[i];
    if (oldest)
        release(oldest, device);
    return oldest != NULL;
}

/* An empty entry. */
static struct reference_entry *add_entry(struct making *m, int which)
{
    struct reference_entry new = {.which = which}, *empty;
    size_t most = (size_t)(most_share * (double)m->bench->info->global_bytes), sum;

    new.count =
        explore_output_leaves(m->bench->problem, &m->bench->problem->sizes, new.leaves);
    do {
        sum = bytes_of(&new);
        empty = NULL;
        for (int i = 0; i < REFERENCE_TRUTHS; i++) {
            struct reference_entry *e = &m->r->entries[i];

            sum += e->bench ? bytes_of(e) : 0;
            empty = e->bench ? empty : e;
        }
    } while ((!empty || (most && sum > most)) && release_oldest(m->r, m->device));
    *empty = new;
    return empty;
}

/* ---- on the host */

static bool keep(const struct making *m, const struct runner_data *data, int i,
                 struct explore_truth *out)
{
    const struct explore_leaf *leaf = &data->outputs[i];
    size_t bytes = explore_leaf_bytes(leaf),
           rounded = (bytes / LARGE_PAGE + 1) * LARGE_PAGE;

    while (!(out->outputs[i] = aligned_alloc(LARGE_PAGE, rounded)))
        if (!release_oldest(m->r, m->device))
            return lift_fail(m->error, LIFT_ERROR_RESOURCE,
                             "cannot allocate %zu bytes for the reference", bytes);
    madvise(out->outputs[i], rounded, MADV_HUGEPAGE);
    lift_parallel_copy(out->outputs[i], runner_result(), bytes);
    out->magnitude[i] = explore_magnitude(out->outputs[i], leaf->scalar, leaf->count);
    return true;
}

static bool compute_on_host(const struct making *m, struct runner_data *data)
{
    struct reference_kernel *k = reference_kernel(m, REFERENCE_HOST);
    struct explore_truth *out = &m->entry->truth;
    bool good = k && reference_compute(m->r->host, &k->module, out->seed, data, m->error);

    for (int i = 0; i < data->output_count && good; i++)
        good = runner_read(m->r->host, data, i, m->error) && keep(m, data, i, out);
    return good;
}

static bool make_on_host(struct making *m)
{
    const struct explore_problem *p = m->bench->problem;
    struct runner_data data = {0};
    bool good;

    if (lift_device_info(m->device)->dialect == LIFT_DIALECT_OPENMP) {
        m->r->host = m->device;
        return compute_on_host(m, m->data);
    }
    if (!m->r->host)
        m->r->host = lift_device_open("host", m->error);
    good =
        m->r->host &&
        runner_data_create(p, m->r->host, &p->sizes, m->bench->seed, &data, m->error) &&
        compute_on_host(m, &data);
    runner_data_destroy(m->r->host, &data);
    return good;
}

/* ---- on the device */

static bool take(const struct making *m, int i)
{
    const struct explore_leaf *leaf = &m->data->outputs[i];
    const struct lift_runtime *rt = m->device->runtime;
    struct explore_truth *out = &m->entry->truth;

    while (!(out->there[i] = rt->alloc(m->device, explore_leaf_bytes(leaf), m->error))) {
        if (!release_oldest(m->r, m->device))
            return false;
        lift_error_fini(m->error);
        *m->error = (struct lift_error){0};
    }
    return remote_take(m->device,
                       (struct remote_pair){m->data->out[i], out->there[i],
                                            &m->data->out_at[i], leaf->count},
                       &out->magnitude[i], m->error);
}

/* Compares the result with the witness's, whose outputs are in 'data'. */
static bool compare_witness(const struct making *m)
{
    const struct explore_truth *t = &m->entry->truth;
    struct explore_verdict v = {.bound = 0};

    for (int i = 0; i < m->data->output_count; i++) {
        const struct explore_leaf *leaf = &m->data->outputs[i];
        int64_t bad = v.bad;

        v.bound = explore_seed_bound(m->bench->problem, t->seed, i, leaf->scalar,
                                     t->magnitude[i]);
        if (!runner_compare(m->device, m->data, i, t->there[i], &v, m->error))
            return false;
        explore_excuse(&v, m->bench->problem, i, leaf->count, bad);
    }
    return v.bad == 0 || lift_fail(m->error, LIFT_ERROR_KERNEL,
                                   "two kernels differ in %lld values, first at %lld: "
                                   "%g off",
                                   (long long)v.bad, (long long)v.first_bad, v.max_error);
}

/* Kernels of a slab differ only by their sizes, and a result on a slab does not count
 * without a result on the whole grid. */
static bool witness(const struct making *m, struct reference_kernel *naive)
{
    struct reference_kernel *k;

    if (naive->witnessed || m->bench->problem->whole)
        return true;
    k = reference_kernel(m, EXPLORE_WITNESS);
    return k &&
           reference_compute(m->device, &k->module, m->entry->truth.seed, m->data,
                             m->error) &&
           compare_witness(m) && (naive->witnessed = true);
}

static bool make_here(struct making *m)
{
    struct reference_kernel *k = reference_kernel(m, EXPLORE_NAIVE);
    bool good = k && reference_compute(m->device, &k->module, m->entry->truth.seed,
                                       m->data, m->error);

    for (int i = 0; i < m->data->output_count && good; i++)
        good = take(m, i);
    return good && witness(m, k);
}

/* After a failure the host makes all references. */
static bool make_anywhere(struct making *m)
{
    LIFT_SCOPED(lift_error) own = {0};
    struct lift_error *error = m->error;
    struct explore_truth *t = &m->entry->truth;
    bool good;

    if (!m->bench->own || m->r->why_here.len)
        return make_on_host(m);
    m->error = &own;
    good = make_here(m);
    m->error = error;
    if (good)
        return true;
    lift_str_add(&m->r->why_here, lift_error_text(&own));
    for (int i = 0; i < m->entry->count; i++)
        m->device->runtime->release(m->device, t->there[i]);
    memset(t->there, 0, sizeof t->there);
    return make_on_host(m);
}

void references_prepare(struct references *r, struct lift_device *device,
                        const struct explore_bench *bench)
{
    LIFT_SCOPED(lift_error) later = {0}; /* the first reference fails likewise */
    const struct making m = {.r = r,
                             .bench = bench,
                             .step = explore_reference_problem(bench),
                             .device = device,
                             .error = &later};

    if (bench->own && reference_kernel(&m, EXPLORE_NAIVE))
        reference_kernel(&m, EXPLORE_WITNESS);
}

const char *references_why_here(const struct references *r)
{
    return lift_str_get(&r->why_here);
}

/* ---- requests */

static uint64_t seed_of(const struct explore_bench *bench, int which)
{
    switch (which) {
    case EXPLORE_SECOND:
        return explore_second_seed(bench->seed);
    case EXPLORE_THIRD:
        return explore_third_seed(bench->seed);
    default:
        return bench->seed;
    }
}

struct explore_truth *references_find(struct references *r,
                                      const struct explore_bench *bench, int which)
{
    for (int i = 0; i < REFERENCE_TRUTHS; i++)
        if (r->entries[i].bench == bench && r->entries[i].which == which) {
            r->entries[i].used = ++r->clock;
            return &r->entries[i].truth;
        }
    return NULL;
}

struct explore_truth *references_make(struct references *r, struct lift_device *device,
                                      const struct explore_bench *bench, int which,
                                      struct runner_data *data, struct lift_error *error)
{
    LIFT_SCOPED(lift_error) failed = {0};
    struct making m = {.r = r,
                       .bench = bench,
                       .step = explore_reference_problem(bench),
                       .device = device,
                       .data = data,
                       .error = &failed};
    struct explore_truth *found = references_find(r, bench, which);

    LIFT_ASSERT(bench->plain && which < EXPLORE_TRUTHS);
    if (found)
        return found;
    m.entry = add_entry(&m, which);
    m.entry->truth.seed = seed_of(bench, which);
    if (make_anywhere(&m)) {
        m.entry->bench = bench;
        m.entry->used = ++r->clock;
        return &m.entry->truth;
    }
    release(m.entry, device);
    lift_fail(error, failed.code, "no reference for '%s': %s", bench->problem->name,
              lift_error_text(&failed));
    return NULL;
}

struct lift_buffer *references_there(struct explore_truth *truth,
                                     struct lift_device *device, int output,
                                     const struct explore_leaf *leaf)
{
    struct lift_buffer **there = &truth->there[output];
    const struct lift_runtime *rt = device->runtime;
    LIFT_SCOPED(lift_error) error = {0};

    if (*there)
        return *there;
    *there = rt->alloc(device, explore_leaf_bytes(leaf), &error);
    if (*there && rt->write(device, *there, truth->outputs[output],
                            explore_leaf_bytes(leaf), &error))
        return *there;
    rt->release(device, *there);
    return *there = NULL;
}

void references_drop(struct references *r, struct lift_device *device)
{
    while (release_oldest(r, device))
        ;
}

void references_destroy(struct references *r, struct lift_device *device)
{
    references_drop(r, device);
    while (r->kernel_count)
        reference_unload(r, device, 0);
    if (r->host && r->host != device)
        lift_device_close(r->host);
    lift_worker_stop(r->interpreter);
    lift_str_fini(&r->why_here);
    free(r);
}
