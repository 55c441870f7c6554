#include "base/bug.h"
#include "base/memory.h"
#include "device/device_ops.h"
#include "device/device_t.h"
#include "device/texts.h"
#include "ir/type.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBERS = 32, /* of a launch */
    AT_LENGTHS = 5,
    AT_BOX = 11,
    BOX_SIZE = 7,
    AT_ELEMENT = 25,
    AT_COUNT = 26,
    AT_RANDOM = 27,
    LANE = 4, /* results of a lane */
    GROUPS = 512,
    GROUP = 256,
    UNIT = 4096, /* elements */
    HOST_UNIT = 65536,
};

struct lift_ops {
    struct lift_device *device;
    struct lift_binary *binary;
    struct lift_buffer *numbers, *results;
    int64_t lanes; /* capacity of the results */
};

/* Two boxes of equal lengths; the second may be unused. */
struct pair {
    int dims;
    int64_t length[LIFT_LAYOUT_DIMS], stride[2][LIFT_LAYOUT_DIMS], offset[2];
};

/* A call of one kernel. */
struct job {
    const char *kernel; /* "fill"; the suffix follows from the scalar */
    const struct lift_grid *a, *b;
    const void *element;
    double bound;
    bool typed, compares, reduces; /* typed: a kernel for each scalar, not each width */
    const struct lift_random *random;
    int64_t gaps; /* elements of the buffer whose gaps are checked; 0: no gaps */
};

/* ---- boxes */

struct lift_box lift_box_flat(int64_t offset, int64_t count)
{
    return (struct lift_box){1, {count}, {1}, offset};
}

struct lift_box lift_box_of(const struct lift_layout *layout)
{
    struct lift_box box = {.dims = layout->dims, .offset = layout->offset};

    memcpy(box.length, layout->length, sizeof box.length);
    memcpy(box.stride, layout->stride, sizeof box.stride);
    return box;
}

static int64_t elements(const struct lift_box *box)
{
    int64_t count = 1;

    for (int k = 0; k < box->dims; k++)
        count *= box->length[k];
    return count;
}

/* Computes the strides of a box for the lengths of the other box. */
static void spread(struct pair *p, int which, const struct lift_box *box)
{
    int64_t stride = 1;

    p->offset[which] = box->offset;
    if (box->dims == p->dims) {
        memcpy(p->stride[which], box->stride, sizeof box->stride);
        return;
    }
    LIFT_ASSERT(box->dims == 1 && box->stride[0] == 1);
    for (int k = p->dims - 1; k >= 0; k--) {
        p->stride[which][k] = stride;
        stride *= p->length[k];
    }
}

static bool is_contiguous(const struct pair *p, int k)
{
    return p->stride[0][k] == p->length[k + 1] * p->stride[0][k + 1] &&
           p->stride[1][k] == p->length[k + 1] * p->stride[1][k + 1];
}

static void drop_dim(struct pair *p, int k)
{
    for (; k + 1 < p->dims; k++) {
        p->length[k] = p->length[k + 1];
        p->stride[0][k] = p->stride[0][k + 1];
        p->stride[1][k] = p->stride[1][k + 1];
    }
    p->dims--;
}

/* Merges contiguous dimensions, for the longest possible rows. */
static struct pair pair_of(const struct lift_box *a, const struct lift_box *b)
{
    const struct lift_box *shape = b && b->dims > a->dims ? b : a;
    struct pair p = {.dims = shape->dims};

    LIFT_ASSERT(shape->dims >= 1 && shape->stride[shape->dims - 1] == 1);
    LIFT_ASSERT(!b || elements(a) == elements(b));
    memcpy(p.length, shape->length, sizeof p.length);
    spread(&p, 0, a);
    spread(&p, 1, b ? b : a);
    for (int k = p.dims - 2; k >= 0; k--)
        if (is_contiguous(&p, k)) {
            p.length[k + 1] *= p.length[k];
            drop_dim(&p, k);
        }
    return p;
}

/* ---- creation */

static bool is_host(const struct lift_ops *ops)
{
    return lift_device_info(ops->device)->dialect == LIFT_DIALECT_OPENMP;
}

static struct lift_ops *create(struct lift_device *device, struct lift_error *error)
{
    struct lift_ops *ops = lift_alloc(1, sizeof *ops);
    enum lift_dialect dialect = lift_device_info(device)->dialect;
    LIFT_SCOPED(lift_str) source = {0};

    ops->device = device;
    lift_str_add(&source, device_prelude(dialect));
    lift_str_add(&source, device_text("units.inc"));
    lift_str_add(&source, device_text(lift_dialect_has_groups(dialect) ? "groups.inc"
                                                                       : "openmp.inc"));
    ops->binary = device->runtime->build(device, lift_str_get(&source), "", NULL, error);
    if (ops->binary)
        ops->numbers = device->runtime->alloc(device, NUMBERS * sizeof(int64_t), error);
    if (ops->numbers)
        return ops;
    device_ops_destroy(ops);
    return NULL;
}

void device_ops_destroy(struct lift_ops *ops)
{
    if (!ops)
        return;
    ops->device->runtime->release(ops->device, ops->numbers);
    ops->device->runtime->release(ops->device, ops->results);
    if (ops->binary)
        ops->device->runtime->unload(ops->device, ops->binary);
    free(ops);
}

struct lift_ops *lift_device_ops(struct lift_device *device, struct lift_error *error)
{
    if (!device->ops)
        device->ops = create(device, error);
    return device->ops;
}

/* ---- one launch */

static int64_t number_job(const struct lift_ops *ops, const struct job *job,
                          int64_t d[NUMBERS])
{
    struct pair p = pair_of(&job->a->box, job->b ? &job->b->box : NULL);
    int64_t row = p.length[p.dims - 1], rows = 1;

    memset(d, 0, NUMBERS * sizeof *d);
    d[2] = job->gaps ? row : is_host(ops) ? HOST_UNIT : UNIT;
    d[AT_COUNT] = job->gaps;
    d[3] = row;
    d[1] = (row + d[2] - 1) / d[2];
    d[4] = p.dims - 1;
    for (int k = 0; k < p.dims - 1; k++) {
        d[AT_LENGTHS + k] = p.length[k];
        rows *= p.length[k];
    }
    for (int which = 0; which < 2; which++) {
        d[AT_BOX + BOX_SIZE * which] = p.offset[which];
        for (int k = 0; k < p.dims - 1; k++)
            d[AT_BOX + BOX_SIZE * which + 1 + k] = p.stride[which][k];
    }
    if (job->element)
        memcpy(&d[AT_ELEMENT], job->element, (size_t)lift_scalar_bytes(job->a->scalar));
    if (job->random) {
        d[AT_RANDOM] = (int64_t)job->random->seed;
        d[AT_RANDOM + 1] = job->random->buffer;
        d[AT_RANDOM + 2] = 2 * job->random->second + job->random->positive;
    }
    return d[0] = rows * d[1] + (job->gaps > 0);
}

static struct lift_launch launch_of(const struct lift_ops *ops, int64_t units)
{
    int most = lift_device_info(ops->device)->max_group_size;
    size_t group = most > 0 && most < GROUP ? (size_t)most : GROUP;
    size_t groups = units < GROUPS ? (size_t)units : GROUPS;

    if (is_host(ops))
        return (struct lift_launch){0};
    return (struct lift_launch){1, {group * groups, 1, 1}, {group, 1, 1}, 0};
}

static int64_t lanes_of(const struct lift_launch *launch, int64_t units)
{
    return launch->dims ? (int64_t)launch->global[0] : units;
}

static bool make_room(struct lift_ops *ops, int64_t lanes, struct lift_error *error)
{
    const struct lift_runtime *rt = ops->device->runtime;

    if (lanes <= ops->lanes)
        return true;
    rt->release(ops->device, ops->results);
    ops->lanes = 0;
    ops->results = rt->alloc(ops->device, (size_t)lanes * LANE * sizeof(int64_t), error);
    if (ops->results)
        ops->lanes = lanes;
    return ops->results != NULL;
}

static const char *suffix(const struct job *job)
{
    enum lift_scalar scalar = job->a->scalar;
    int bytes = lift_scalar_bytes(scalar);

    if (!job->typed)
        return bytes == 1 ? "u8" : bytes == 2 ? "u16" : bytes == 4 ? "u32" : "u64";
    return lift_scalar_name(scalar);
}

/* f16 and bf16 are compared in single precision. The bound is rounded down, so the check
 * is never more lenient. */
static struct lift_arg bound_arg(enum lift_scalar scalar, double bound)
{
    float single = (float)bound;

    if (scalar == LIFT_F64)
        return (struct lift_arg){.kind = LIFT_ARG_F64, .f = bound};
    if (!lift_scalar_is_real(scalar))
        return (struct lift_arg){.kind = LIFT_ARG_I32, .i = (int32_t)bound};
    return (struct lift_arg){.kind = LIFT_ARG_F32,
                             .f = single > bound ? nextafterf(single, 0) : single};
}

static int arguments(const struct lift_ops *ops, const struct job *job,
                     struct lift_arg args[5])
{
    int n = 0;

    args[n++] = (struct lift_arg){.kind = LIFT_ARG_BUFFER, .buffer = job->a->buffer};
    if (job->b)
        args[n++] = (struct lift_arg){.kind = LIFT_ARG_BUFFER, .buffer = job->b->buffer};
    args[n++] = (struct lift_arg){.kind = LIFT_ARG_BUFFER, .buffer = ops->numbers};
    if (job->reduces)
        args[n++] = (struct lift_arg){.kind = LIFT_ARG_BUFFER, .buffer = ops->results};
    if (job->compares)
        args[n++] = bound_arg(job->a->scalar, job->bound);
    return n;
}

/* Runs one job; '*lanes' becomes 0 for an empty grid. */
static bool run_job(struct lift_ops *ops, const struct job *job, int64_t *lanes,
                    struct lift_error *error)
{
    const struct lift_runtime *rt = ops->device->runtime;
    int64_t d[NUMBERS], units;
    struct lift_launch launch;
    struct lift_arg args[5];
    char name[32];

    *lanes = 0;
    if (elements(&job->a->box) == 0)
        return true;
    units = number_job(ops, job, d);
    launch = launch_of(ops, units);
    *lanes = lanes_of(&launch, units);
    if (!make_room(ops, job->reduces ? *lanes : 0, error) ||
        !rt->write(ops->device, ops->numbers, d, sizeof d, error))
        return false;
    snprintf(name, sizeof name, "%s_%s", job->kernel, suffix(job));
    return rt->launch(ops->device, ops->binary,
                      &(struct lift_call){name, launch, args, arguments(ops, job, args)},
                      error) &&
           rt->finish(ops->device, NULL, error);
}

/* Returns the results of all lanes in malloc'd memory, or NULL with an error. */
static int64_t *reduce(struct lift_ops *ops, const struct job *job, int64_t *lanes,
                       struct lift_error *error)
{
    int64_t *results;
    size_t bytes;

    if (!run_job(ops, job, lanes, error))
        return NULL;
    bytes = (size_t)*lanes * LANE * sizeof *results;
    results = lift_resize(NULL, 1, bytes + 1);
    if (bytes == 0 ||
        ops->device->runtime->read(ops->device, ops->results, results, bytes, error))
        return results;
    free(results);
    return NULL;
}

/* ---- the operations */

bool lift_ops_fill(struct lift_ops *ops, const struct lift_grid *to, const void *element,
                   struct lift_error *error)
{
    struct job job = {.kernel = "fill", .a = to, .element = element};
    int64_t lanes;

    return run_job(ops, &job, &lanes, error);
}

bool lift_ops_random(struct lift_ops *ops, const struct lift_grid *to,
                     const struct lift_random *random, struct lift_error *error)
{
    struct job job = {.kernel = "random", .a = to, .typed = true, .random = random};
    int64_t lanes;

    return run_job(ops, &job, &lanes, error);
}

bool lift_ops_copy(struct lift_ops *ops, const struct lift_grid *to,
                   const struct lift_grid *from, struct lift_error *error)
{
    struct job job = {.kernel = "copy", .a = to, .b = from};
    int64_t lanes;

    LIFT_ASSERT(to->scalar == from->scalar);
    return run_job(ops, &job, &lanes, error);
}

static double error_of(enum lift_scalar scalar, int64_t bits)
{
    double d;
    float f;

    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &bits, sizeof f);
    return scalar == LIFT_F64            ? d
           : lift_scalar_is_real(scalar) ? (double)f
                                         : (double)bits;
}

bool lift_ops_compare(struct lift_ops *ops, const struct lift_grid *got,
                      const struct lift_grid *want, double bound,
                      struct lift_ops_difference *out, struct lift_error *error)
{
    struct job job = {.kernel = "compare",
                      .a = got,
                      .b = want,
                      .bound = bound,
                      .typed = true,
                      .compares = true,
                      .reduces = true};
    int64_t lanes, *r = reduce(ops, &job, &lanes, error);
    int64_t first = INT64_MAX;

    LIFT_ASSERT(got->scalar == want->scalar);
    *out = (struct lift_ops_difference){.first_bad = -1};
    for (int64_t i = 0; r && i < LANE * lanes; i += LANE) {
        out->bad += r[i];
        first = r[i + 1] < first ? r[i + 1] : first;
        out->nonfinite += r[i + 2];
        out->max_error = fmax(out->max_error, error_of(got->scalar, r[i + 3]));
    }
    if (out->bad)
        out->first_bad = first;
    free(r);
    return r != NULL;
}

bool lift_ops_digest(struct lift_ops *ops, const struct lift_grid *grid, uint64_t *out,
                     struct lift_error *error)
{
    struct job job = {.kernel = "digest", .a = grid, .reduces = true};
    int64_t lanes, *r = reduce(ops, &job, &lanes, error);

    *out = 0;
    for (int64_t i = 0; r && i < lanes; i++)
        *out += (uint64_t)r[LANE * i];
    free(r);
    return r != NULL;
}

static bool find_others(struct lift_ops *ops, const struct job *job,
                        struct lift_ops_difference *out, struct lift_error *error)
{
    int64_t lanes, *r = reduce(ops, job, &lanes, error);
    int64_t first = INT64_MAX;

    *out = (struct lift_ops_difference){.first_bad = -1};
    for (int64_t i = 0; r && i < lanes; i++) {
        out->bad += r[LANE * i];
        first = r[LANE * i + 1] < first ? r[LANE * i + 1] : first;
    }
    if (out->bad)
        out->first_bad = first;
    free(r);
    return r != NULL;
}

bool lift_ops_others(struct lift_ops *ops, const struct lift_grid *grid,
                     const void *element, struct lift_ops_difference *out,
                     struct lift_error *error)
{
    struct job job = {.kernel = "others", .a = grid, .element = element, .reduces = true};

    return find_others(ops, &job, out, error);
}

bool lift_ops_gaps(struct lift_ops *ops, const struct lift_grid *grid, int64_t count,
                   const void *element, struct lift_ops_difference *out,
                   struct lift_error *error)
{
    struct job job = {
        .kernel = "gaps", .a = grid, .element = element, .reduces = true, .gaps = count};

    return find_others(ops, &job, out, error);
}

/* Digests whole words, and then the bytes after the last word. */
bool device_digest_there(struct lift_device *device, struct lift_buffer *buffer,
                         size_t size, uint64_t *out, struct lift_error *error)
{
    struct lift_ops *ops = lift_device_ops(device, error);
    int64_t bytes = (int64_t)size, words = bytes / 4;
    struct lift_grid body = {buffer, LIFT_I32, lift_box_flat(0, words)};
    struct lift_grid tail = {buffer, LIFT_BOOL, lift_box_flat(4 * words, bytes % 4)};
    uint64_t rest;

    if (!ops || !lift_ops_digest(ops, &body, out, error) ||
        !lift_ops_digest(ops, &tail, &rest, error))
        return false;
    *out ^= rest;
    return true;
}
