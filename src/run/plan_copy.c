/* Between the caller's arrays and the plan's buffers. */
#include "run/plan.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static size_t width(const struct place *p)
{
    return (size_t)lift_scalar_bytes(p->scalar);
}

/* ---- rows of laid-out grids */

/* Between a grid without gaps and the whole buffer. */
static void copy_rows(const struct place *p, void *grid, void *whole, bool in)
{
    size_t bytes = (size_t)p->layout.length[p->layout.dims - 1] * width(p);

    for (int64_t r = 0; r < place_rows(&p->layout); r++) {
        char *at = (char *)whole + place_row_start(&p->layout, r) * (int64_t)width(p);
        char *row = (char *)grid + bytes * (size_t)r;

        memcpy(in ? at : row, in ? row : at, bytes);
    }
}

/* ---- buffers */

static bool allocate_whole(struct lift_plan *plan, const struct plan_array *a,
                           struct plan_buffer *out, struct lift_plan_error *error)
{
    size_t bytes = layout_bytes(&a->place);
    void *grid = calloc(1, a->bytes + 1);

    out->whole = aligned_alloc(PAGE, (bytes / PAGE + 1) * PAGE);
    if (!out->whole || !grid) {
        free(grid);
        return plan_fail(error, LIFT_PLAN_RUN, "cannot allocate %zu bytes for '%s'",
                         bytes, a->shape.name);
    }
    layout_write(&a->place, grid, out->whole);
    free(grid);
    if (plan->device->runtime->wrap)
        out->buffer = plan->device->runtime->wrap(plan->device, out->whole, bytes);
    return true;
}

bool plan_allocate(struct lift_plan *plan, const struct plan_array *a,
                   struct plan_buffer *out, struct lift_plan_error *error)
{
    const struct lift_runtime *rt = plan->device->runtime;
    struct lift_failure failure = {0};

    if (out->buffer)
        return true;
    if (a->place.laid_out && !allocate_whole(plan, a, out, error))
        return false;
    if (out->buffer)
        return true;
    out->buffer = rt->alloc(plan->device, layout_bytes(&a->place), &failure);
    if (out->buffer && (!out->whole || rt->write(plan->device, out->buffer, out->whole,
                                                 layout_bytes(&a->place), &failure)))
        return true;
    return plan_fail_device(error, LIFT_PLAN_RUN, &failure);
}

void plan_release(struct lift_plan *plan, struct plan_buffer *b)
{
    plan->device->runtime->release(plan->device, b->buffer);
    free(b->whole);
    *b = (struct plan_buffer){.buffer = NULL};
}

void plan_release_all(struct lift_plan *plan)
{
    plan_graphs_drop(plan);
    for (int i = 0; i < plan->input_count; i++)
        plan_release(plan, &plan->in[i].own);
    for (int i = 0; i < plan->output_count; i++)
        plan_release(plan, &plan->out[i].own);
    for (int i = 0; i < plan->pool.count; i++)
        plan_release(plan, &plan->pool.buffers[i]);
    plan->pool.count = 0;
}

/* On the host, memory that is the buffer itself. */
static bool is_memory(const struct lift_plan *plan, const struct plan_buffer *b)
{
    return b->whole && plan->device->runtime->wrap;
}

bool plan_put(struct lift_plan *plan, const struct plan_array *a,
              const struct plan_buffer *to, const void *grid,
              struct lift_plan_error *error)
{
    struct lift_failure failure = {0};

    if (a->place.laid_out)
        copy_rows(&a->place, (void *)grid, to->whole, true);
    if (is_memory(plan, to) ||
        plan->device->runtime->write(plan->device, to->buffer,
                                     a->place.laid_out ? to->whole : grid,
                                     layout_bytes(&a->place), &failure))
        return true;
    return plan_fail_device(error, LIFT_PLAN_RUN, &failure);
}

bool plan_get(struct lift_plan *plan, const struct plan_array *a,
              const struct plan_buffer *from, void *grid, struct lift_plan_error *error)
{
    struct lift_failure failure = {0};

    if (!is_memory(plan, from) &&
        !plan->device->runtime->read(plan->device, from->buffer,
                                     a->place.laid_out ? from->whole : grid,
                                     layout_bytes(&a->place), &failure))
        return plan_fail_device(error, LIFT_PLAN_RUN, &failure);
    if (a->place.laid_out)
        copy_rows(&a->place, grid, from->whole, false);
    return true;
}

/* ---- places */

static struct plan_array *array_of(struct lift_plan *plan, const struct lift_bind *bind)
{
    if (bind->kind == LIFT_BIND_INPUT)
        return &plan->in[bind->index];
    return bind->kind == LIFT_BIND_OUTPUT ? &plan->out[bind->index] : NULL;
}

/* An output that is stored in an input lies as that does. */
static const struct lift_bind *bind_of_place(const struct lift_module *m,
                                             const struct lift_bind *bind)
{
    return bind->kind == LIFT_BIND_OUTPUT && bind->in_place >= 0
               ? &m->binds[bind->in_place]
               : bind;
}

bool plan_place_arrays(struct lift_plan *plan, struct lift_plan_error *error)
{
    const struct lift_module *m = plan->chosen->module.module;
    struct lift_str why = {0};
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
    if (!good)
        plan_fail(error, LIFT_PLAN_KERNEL, "%s", lift_str_get(&why));
    lift_str_fini(&why);
    return good;
}
