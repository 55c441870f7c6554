#include "run/planes.h"
#include "base/number.h"
#include "base/parallel.h"
#include "device/device_ops.h"
#include <string.h>

/* A thread copies at least this number of bytes. */
static const int64_t grain_bytes = 8 << 20;

/* A copy through a buffer has at most this number of bytes, or one plane. */
static const int64_t most_bytes = 64 << 20;

/* ---- selecting planes */

int64_t planes_length(const struct plan_array *a, int dim)
{
    return dim < a->shape.dims ? a->shape.length[dim] : 1;
}

struct planes planes_all(struct lift_plan *plan, const struct plan_array *array,
                         const struct plan_buffer *buffer)
{
    struct planes out = {plan, array, buffer, {0}, {0}};

    for (int d = 0; d < PLANES_DIMS; d++)
        out.count[d] = planes_length(array, d);
    return out;
}

struct planes planes_some(struct planes all, int dim, int64_t first, int64_t count)
{
    all.first[dim] = first;
    all.count[dim] = count;
    return all;
}

bool planes_any(const struct planes *p)
{
    return p->count[0] > 0 && p->count[1] > 0;
}

/* ---- sizes in bytes */

size_t planes_bytes(const struct plan_array *array)
{
    return array->bytes / (size_t)array->shape.length[0];
}

size_t planes_row(const struct plan_array *array)
{
    return planes_bytes(array) / (size_t)planes_length(array, 1);
}

size_t planes_sum(const struct planes *p)
{
    return (size_t)(p->count[0] * p->count[1]) * planes_row(p->array);
}

static size_t width(const struct plan_array *a)
{
    return (size_t)lift_scalar_bytes(a->shape.scalar);
}

size_t planes_apart(const struct plan_array *a)
{
    return a->place.laid_out ? (size_t)a->place.layout.stride[0] * width(a)
                             : planes_bytes(a);
}

/* Returns true if the planes include all their rows. */
static bool are_whole(const struct planes *p)
{
    return p->count[1] == planes_length(p->array, 1);
}

/* The box in an array without gaps: one long row, or one row a plane. */
static struct lift_box dense_box(const struct planes *p)
{
    int64_t row = (int64_t)(planes_row(p->array) / width(p->array));
    int64_t plane = row * planes_length(p->array, 1);

    if (are_whole(p))
        return lift_box_flat(p->first[0] * plane, p->count[0] * plane);
    return (struct lift_box){2,
                             {p->count[0], p->count[1] * row},
                             {plane, 1},
                             p->first[0] * plane + p->first[1] * row};
}

/* The box of the planes in the array's memory. */
static struct lift_box box_of(const struct planes *p)
{
    struct lift_box box;

    if (!p->array->place.laid_out)
        return dense_box(p);
    box = lift_box_of(&p->array->place.layout);
    for (int d = 0; d < PLANES_DIMS && d < box.dims; d++) {
        box.offset += p->first[d] * box.stride[d];
        box.length[d] = p->count[d];
    }
    return box;
}

/* ---- memory of this process */

struct rows {
    const struct lift_box *box;
    size_t bytes; /* of an element */
    char *memory, *flat;
    bool in;
};

/* Copies rows 'from' to 'to', numbered over all dimensions except the last. */
static void copy_rows(void *user, int64_t from, int64_t to)
{
    const struct rows *r = user;
    int last = r->box->dims - 1;
    size_t bytes = (size_t)r->box->length[last] * r->bytes;

    for (int64_t i = from; i < to; i++) {
        char *flat = r->flat + (size_t)i * bytes, *there;
        int64_t at = r->box->offset, rest = i;

        for (int d = last - 1; d >= 0; d--) {
            at += rest % r->box->length[d] * r->box->stride[d];
            rest /= r->box->length[d];
        }
        there = r->memory + (size_t)at * r->bytes;
        memcpy(r->in ? there : flat, r->in ? flat : there, bytes);
    }
}

/* Uses several threads for large boxes. */
static void copy_box(const struct rows *r)
{
    int64_t rows = 1, row = r->box->length[r->box->dims - 1] * (int64_t)r->bytes;

    for (int d = 0; d < r->box->dims - 1; d++)
        rows *= r->box->length[d];
    lift_parallel(rows, 1 + grain_bytes / (row + 1), copy_rows, (void *)r);
}

/* ---- devices */

bool planes_copy(const struct planes *p, struct lift_buffer *flat, bool in,
                 struct lift_error *error)
{
    struct lift_ops *ops = lift_device_ops(p->plan->device, error);
    enum lift_scalar scalar = p->array->shape.scalar;
    int64_t count = (int64_t)(planes_sum(p) / width(p->array));
    const struct lift_grid own = {p->buffer->buffer, scalar, box_of(p)};
    const struct lift_grid other = {flat, scalar, lift_box_flat(0, count)};

    return ops && lift_ops_copy(ops, in ? &own : &other, in ? &other : &own, error);
}

static bool make_between(struct lift_plan *plan, size_t bytes, struct lift_error *error)
{
    if (plan->between_bytes >= bytes)
        return true;
    planes_end(plan);
    plan->between = plan->device->runtime->alloc(plan->device, bytes, error);
    plan->between_bytes = plan->between ? bytes : 0;
    return plan->between != NULL;
}

static bool move_some(const struct planes *p, char *flat, bool in,
                      struct lift_error *error)
{
    struct lift_plan *plan = p->plan;
    const struct lift_runtime *rt = plan->device->runtime;
    size_t bytes = planes_sum(p);

    if (make_between(plan, bytes, error) &&
        (in ? rt->write(plan->device, plan->between, flat, bytes, error) &&
                  planes_copy(p, plan->between, true, error)
            : planes_copy(p, plan->between, false, error) &&
                  rt->read(plan->device, plan->between, flat, bytes, error)))
        return true;
    return lift_recode(error, LIFT_ERROR_RUN);
}

static bool move(const struct planes *p, char *flat, bool in, struct lift_error *error)
{
    const struct lift_runtime *rt = p->plan->device->runtime;
    struct lift_box box = box_of(p);
    size_t plane = (size_t)p->count[1] * planes_row(p->array);
    int64_t most = lift_max(most_bytes / (int64_t)(plane + 1), 1);
    char *memory = rt->memory ? rt->memory(p->plan->device, p->buffer->buffer) : NULL;
    bool good = true;

    if (memory) {
        copy_box(&(struct rows){&box, width(p->array), memory, flat, in});
        return true;
    }
    for (int64_t i = 0; good && i < p->count[0]; i += most) {
        struct planes some =
            planes_some(*p, 0, p->first[0] + i, lift_min(most, p->count[0] - i));

        good = move_some(&some, flat + (size_t)i * plane, in, error);
    }
    return good;
}

bool planes_get(const struct planes *from, void *to, struct lift_error *error)
{
    return !planes_any(from) || move(from, to, false, error);
}

bool planes_put(const struct planes *to, const void *from, struct lift_error *error)
{
    return !planes_any(to) || move(to, (void *)from, true, error);
}

void planes_end(struct lift_plan *plan)
{
    if (plan->between)
        plan->device->runtime->release(plan->device, plan->between);
    plan->between = NULL;
    plan->between_bytes = 0;
}

/* ---- from device to device */

/* Counts the elements from the first to the last, including gaps between rows. */
static int64_t span(struct lift_box box)
{
    int64_t last = box.length[box.dims - 1];

    for (int d = 0; d + 1 < box.dims; d++)
        last += (box.length[d] - 1) * box.stride[d];
    return last;
}

void *planes_place(const struct planes *p, size_t *bytes)
{
    const struct lift_runtime *rt = p->plan->device->runtime;
    char *base = rt->address ? rt->address(p->plan->device, p->buffer->buffer)
                             : rt->memory(p->plan->device, p->buffer->buffer);
    struct lift_box box = box_of(p);

    *bytes = (size_t)span(box) * width(p->array);
    return base + (size_t)box.offset * width(p->array);
}

/* Returns true if the planes of the box do not interleave in memory. */
static bool lie_apart(const struct lift_box *box)
{
    struct lift_box plane = *box;

    plane.length[0] = 1;
    return span(plane) <= box->stride[0];
}

static bool same_inside(const struct lift_box *a, const struct lift_box *b, int from)
{
    for (int d = from; d < a->dims; d++)
        if (a->stride[d] != b->stride[d] || (d > from && a->length[d] != b->length[d]))
            return false;
    return true;
}

bool planes_are_near(const struct planes *to, const struct planes *from)
{
    const struct lift_runtime *rt = to->plan->device->runtime;
    struct lift_box a = box_of(to), b = box_of(from);
    bool whole = are_whole(to) && are_whole(from);

    if (rt != from->plan->device->runtime || !rt->pull || a.dims != b.dims ||
        to->array->place.laid_out != from->array->place.laid_out)
        return false;
    if (whole)
        return memcmp(a.length, b.length, (size_t)a.dims * sizeof *a.length) == 0 &&
               (a.dims == 1 ||
                memcmp(a.stride, b.stride, (size_t)(a.dims - 1) * sizeof *a.stride) == 0);
    return a.dims > 1 && a.length[0] == b.length[0] && a.length[1] == b.length[1] &&
           same_inside(&a, &b, 1) && lie_apart(&a) && lie_apart(&b);
}

/* Returns the box without its outermost dimension. */
static struct lift_box inside(struct lift_box box)
{
    memmove(box.length, box.length + 1, sizeof box.length - sizeof *box.length);
    memmove(box.stride, box.stride + 1, sizeof box.stride - sizeof *box.stride);
    box.dims--;
    return box;
}

bool planes_pull(const struct planes *to, const struct planes *from, enum lift_lane lane,
                 struct lift_error *error)
{
    struct lift_box a = box_of(to), b = box_of(from);
    bool whole = are_whole(to) && are_whole(from);
    size_t bytes = width(to->array);
    const struct lift_pull pull = {.to = to->buffer->buffer,
                                   .from = from->buffer->buffer,
                                   .to_at = (size_t)a.offset * bytes,
                                   .from_at = (size_t)b.offset * bytes,
                                   .bytes = (size_t)span(whole ? a : inside(a)) * bytes,
                                   .pieces = whole ? 1 : a.length[0],
                                   .to_apart = whole ? 0 : (size_t)a.stride[0] * bytes,
                                   .from_apart = whole ? 0 : (size_t)b.stride[0] * bytes,
                                   .lane = lane,
                                   .enqueued = lane != LIFT_LANE_MAIN};

    return !planes_any(to) ||
           to->plan->device->runtime->pull(to->plan->device, from->plan->device, &pull,
                                           error) ||
           lift_recode(error, LIFT_ERROR_RUN);
}
