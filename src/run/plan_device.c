/* The caller's memory on the device. */
#include "run/planes.h"

/* OpenCL buffers are handles: adjacent handle values do not mean overlapping memory. */
bool plan_memory_on_device(const struct lift_plan *plan, struct plan_memory *m,
                           struct lift_error *error)
{
    if (plan->device->runtime->wrap)
        return true;
    m->on_device = true;
    m->handles = plan->device->runtime->dialect == LIFT_DIALECT_OPENCL;
    return !m->handles || plan->stream ||
           lift_fail(error, LIFT_ERROR_ARGUMENT,
                     "buffers of OpenCL belong to a context: create the plan with "
                     "'stream', a command queue of their context");
}

struct lift_buffer *plan_borrow(struct lift_plan *plan, const void *memory, size_t bytes,
                                struct lift_error *error)
{
    struct lift_buffer *buffer =
        plan->device->runtime->borrow(plan->device, (void *)memory, bytes, error);

    if (!buffer)
        lift_recode(error, LIFT_ERROR_RUN);
    return buffer;
}

/* Copies between a buffer of the plan and memory of the caller. */
static bool copy(struct lift_plan *plan, const struct plan_array *a,
                 const struct plan_buffer *own, const void *memory, bool in,
                 struct lift_error *error)
{
    const struct lift_runtime *rt = plan->device->runtime;
    const struct planes all = planes_all(plan, a, own);
    struct lift_buffer *flat = plan_borrow(plan, memory, a->bytes, error);
    bool good;

    if (!flat)
        return false;
    good = a->place.laid_out ? planes_copy(&all, flat, in, error)
                             : rt->copy(plan->device, in ? own->buffer : flat,
                                        in ? flat : own->buffer, a->bytes, error);
    rt->release(plan->device, flat);
    return good || lift_recode(error, LIFT_ERROR_RUN);
}

bool plan_put_device(struct lift_plan *plan, const struct plan_array *a,
                     const struct plan_buffer *to, const void *memory,
                     struct lift_error *error)
{
    return copy(plan, a, to, memory, true, error);
}

bool plan_get_device(struct lift_plan *plan, const struct plan_array *a,
                     const struct plan_buffer *from, void *memory,
                     struct lift_error *error)
{
    return copy(plan, a, from, memory, false, error);
}

bool plan_copy_device(struct lift_plan *plan, void *to, const void *from, size_t bytes,
                      struct lift_error *error)
{
    const struct lift_runtime *rt = plan->device->runtime;
    struct lift_buffer *a = plan_borrow(plan, to, bytes, error);
    struct lift_buffer *b = a ? plan_borrow(plan, from, bytes, error) : NULL;
    bool good = a && b &&
                (rt->copy(plan->device, a, b, bytes, error) ||
                 lift_recode(error, LIFT_ERROR_RUN));

    rt->release(plan->device, a);
    rt->release(plan->device, b);
    return good;
}

bool plan_adopt(struct lift_plan *plan, void *stream, struct lift_error *error)
{
    const struct lift_runtime *rt = plan->device->runtime;

    plan->stream = stream;
    if (!stream)
        return true;
    if (!rt->adopt)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "device '%s' has no streams: NULL is expected for 'stream'",
                         rt->name);
    return rt->adopt(plan->device, stream, error) ||
           lift_recode(error, LIFT_ERROR_ARGUMENT);
}
