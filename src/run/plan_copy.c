/* Copies between the caller's arrays and the plan's buffers. */
#include "base/memory.h"
#include "run/planes.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

/* Returns memory with NaN in the grid and the kernels' halo value around the grid, or
 * NULL with the error. */
static void *make_whole(const struct place *p, struct lift_error *error)
{
    size_t bytes = layout_bytes(p);
    void *whole = aligned_alloc(PAGE, (bytes / PAGE + 1) * PAGE);

    if (whole)
        layout_poison(p, whole);
    else
        lift_fail(error, LIFT_ERROR_RUN, "cannot allocate %zu bytes", bytes);
    return whole;
}

/* Returns true if zeros are correct halo values. */
static bool zeros_do(const struct place *p)
{
    static const unsigned char zeros[PLACE_MOST_BYTES];
    unsigned char around[PLACE_MOST_BYTES];

    layout_around(p, around);
    return !p->laid_out || !p->filled ||
           memcmp(around, zeros, (size_t)lift_scalar_bytes(p->scalar)) == 0;
}

/* Fills the halo once: kernels do not write halos. */
static bool allocate(struct lift_plan *plan, const struct place *p,
                     struct lift_buffer **out, struct lift_error *error)
{
    const struct lift_runtime *rt = plan->device->runtime;
    LIFT_FREED void *whole = NULL;

    *out = rt->alloc(plan->device, layout_bytes(p), error);
    if (!*out)
        return lift_recode(error, LIFT_ERROR_RUN);
    if (zeros_do(p))
        return true;
    if (rt->memory) {
        layout_poison(p, rt->memory(plan->device, *out));
        return true;
    }
    whole = make_whole(p, error);
    return whole && (rt->write(plan->device, *out, whole, layout_bytes(p), error) ||
                     lift_recode(error, LIFT_ERROR_RUN));
}

bool plan_allocate_temp(struct lift_plan *plan, const struct lift_bind *bind,
                        struct lift_buffer **out, struct lift_error *error)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct place place;

    if (!runner_place(plan->chosen->problem, plan->params, bind, &place, &why))
        return lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&why));
    return allocate(plan, &place, out, error);
}

bool plan_allocate(struct lift_plan *plan, const struct plan_array *a,
                   struct plan_buffer *out, struct lift_error *error)
{
    return allocate(plan, &a->place, &out->buffer, error);
}

void plan_release(struct lift_plan *plan, struct plan_buffer *b)
{
    plan->device->runtime->release(plan->device, b->buffer);
    *b = (struct plan_buffer){.buffer = NULL};
}

void plan_release_all(struct lift_plan *plan)
{
    plan_graphs_drop(plan);
    for (int i = 0; i < plan->pool.count; i++)
        plan_release(plan, &plan->pool.buffers[i]);
    plan->pool.count = plan->pool.turn.count = 0;
    planes_end(plan);
}

/* ---- copies */

bool plan_put(struct lift_plan *plan, const struct plan_array *a,
              const struct plan_buffer *to, const void *grid, struct lift_error *error)
{
    const struct planes all = planes_all(plan, a, to);

    if (a->place.laid_out)
        return planes_put(&all, grid, error);
    return plan->device->runtime->write(plan->device, to->buffer, grid, a->bytes,
                                        error) ||
           lift_recode(error, LIFT_ERROR_RUN);
}

bool plan_get(struct lift_plan *plan, const struct plan_array *a,
              const struct plan_buffer *from, void *grid, struct lift_error *error)
{
    const struct planes all = planes_all(plan, a, from);

    if (a->place.laid_out)
        return planes_get(&all, grid, error);
    return plan->device->runtime->read(plan->device, from->buffer, grid, a->bytes,
                                       error) ||
           lift_recode(error, LIFT_ERROR_RUN);
}

/* ---- places */

static struct plan_array *array_of(struct lift_plan *plan, const struct lift_bind *bind)
{
    if (bind->kind == LIFT_BIND_INPUT)
        return &plan->in[bind->index];
    return bind->kind == LIFT_BIND_OUTPUT ? &plan->out[bind->index] : NULL;
}

/* An in-place output has the layout of its input. */
static const struct lift_bind *bind_of_place(const struct lift_module *m,
                                             const struct lift_bind *bind)
{
    return bind->kind == LIFT_BIND_OUTPUT && bind->in_place >= 0
               ? &m->binds[bind->in_place]
               : bind;
}

bool plan_place_arrays(struct lift_plan *plan, struct lift_error *error)
{
    const struct lift_module *m = plan->chosen->module.module;
    LIFT_SCOPED(lift_str) why = {0};
    bool good = true;

    for (int i = 0; i < m->bind_count && good; i++) {
        struct plan_array *a = array_of(plan, &m->binds[i]);
        struct place place;

        if (!a)
            continue;
        good = runner_place(plan->chosen->problem, plan->params,
                            bind_of_place(m, &m->binds[i]), &place, &why);
        if (good && !layout_same(&place, &a->place))
            plan_release_all(plan);
        if (good)
            a->place = place;
    }
    return good || lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&why));
}
