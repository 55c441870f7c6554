/* Between the caller's arrays and the plan's buffers. */
#include "base/memory.h"
#include "run/plan.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static bool no_memory(const struct plan_array *a, size_t bytes, struct lift_error *error)
{
    return lift_fail(error, LIFT_ERROR_RUN, "cannot allocate %zu bytes for '%s'", bytes,
                     a->shape.name);
}

static void *pages(size_t bytes)
{
    return aligned_alloc(PAGE, (bytes / PAGE + 1) * PAGE);
}

/* Zeros, and around them what kernels expect there. */
static bool make_whole(const struct plan_array *a, void **whole, struct lift_error *error)
{
    size_t bytes = layout_bytes(&a->place);
    LIFT_FREED void *grid = calloc(1, a->bytes + 1);

    *whole = pages(bytes);
    if (grid && *whole)
        layout_write(&a->place, grid, *whole);
    return (grid && *whole) || no_memory(a, bytes, error);
}

/* Whether kernels find what they expect around a grid where all is zero. */
static bool zeros_do(const struct place *p)
{
    static const unsigned char zeros[PLACE_MOST_BYTES];
    unsigned char around[PLACE_MOST_BYTES];

    layout_around(p, around);
    return !p->laid_out || !p->filled ||
           memcmp(around, zeros, (size_t)lift_scalar_bytes(p->scalar)) == 0;
}

static bool write_whole(struct lift_plan *plan, const struct plan_array *a,
                        struct lift_buffer *buffer, struct lift_error *error)
{
    void *whole = NULL;
    bool made = make_whole(a, &whole, error);
    bool good = made && plan->device->runtime->write(plan->device, buffer, whole,
                                                     layout_bytes(&a->place), error);

    free(whole);
    return good || (made && lift_recode(error, LIFT_ERROR_RUN));
}

/* Kernels write nothing around the grids of stages. */
static bool write_around(struct lift_plan *plan, const struct place *p,
                         struct lift_buffer *buffer, struct lift_error *error)
{
    LIFT_FREED void *whole = pages(layout_bytes(p));

    if (!whole)
        return lift_fail(error, LIFT_ERROR_RUN, "cannot allocate %zu bytes for a stage",
                         layout_bytes(p));
    layout_poison(p, whole);
    return plan->device->runtime->write(plan->device, buffer, whole, layout_bytes(p),
                                        error) ||
           lift_recode(error, LIFT_ERROR_RUN);
}

bool plan_allocate_temp(struct lift_plan *plan, const struct lift_bind *bind,
                        struct lift_buffer **out, struct lift_error *error)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct place place;

    if (!runner_place(plan->chosen->problem, plan->params, bind, &place, &why))
        return lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&why));
    *out = plan->device->runtime->alloc(plan->device, layout_bytes(&place), error);
    if (!*out)
        return lift_recode(error, LIFT_ERROR_RUN);
    return zeros_do(&place) || write_around(plan, &place, *out, error);
}

/* Where the runtime can wrap memory, the memory of a laid-out array is the buffer. */
bool plan_allocate(struct lift_plan *plan, const struct plan_array *a,
                   struct plan_buffer *out, struct lift_error *error)
{
    const struct lift_runtime *rt = plan->device->runtime;

    if (a->place.laid_out && rt->wrap) {
        if (!make_whole(a, &out->whole, error))
            return false;
        out->buffer = rt->wrap(plan->device, out->whole, layout_bytes(&a->place));
        return true;
    }
    out->buffer = rt->alloc(plan->device, layout_bytes(&a->place), error);
    if (!out->buffer)
        return lift_recode(error, LIFT_ERROR_RUN);
    return zeros_do(&a->place) || write_whole(plan, a, out->buffer, error);
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
    for (int i = 0; i < plan->pool.count; i++)
        plan_release(plan, &plan->pool.buffers[i]);
    plan->pool.count = plan->pool.turn.count = 0;
    free(plan->staging);
    plan->staging = NULL;
    plan->staging_bytes = 0;
}

/* ---- copies */

/* What a laid-out array is copied from and to: the buffer itself on the host, and memory
 * that all arrays share elsewhere. */
static void *whole_of(struct lift_plan *plan, const struct plan_array *a,
                      const struct plan_buffer *b, struct lift_error *error)
{
    size_t bytes = layout_bytes(&a->place);

    if (b->whole)
        return b->whole;
    if (bytes > plan->staging_bytes) {
        free(plan->staging);
        plan->staging = pages(bytes);
        plan->staging_bytes = plan->staging ? bytes : 0;
    }
    if (!plan->staging)
        no_memory(a, bytes, error);
    return plan->staging;
}

bool plan_put(struct lift_plan *plan, const struct plan_array *a,
              const struct plan_buffer *to, const void *grid, struct lift_error *error)
{
    void *whole = a->place.laid_out ? whole_of(plan, a, to, error) : NULL;

    if (a->place.laid_out && !whole)
        return false;
    if (whole)
        layout_write(&a->place, grid, whole);
    if (to->whole ||
        plan->device->runtime->write(plan->device, to->buffer, whole ? whole : grid,
                                     layout_bytes(&a->place), error))
        return true;
    return lift_recode(error, LIFT_ERROR_RUN);
}

bool plan_get(struct lift_plan *plan, const struct plan_array *a,
              const struct plan_buffer *from, void *grid, struct lift_error *error)
{
    void *whole = a->place.laid_out ? whole_of(plan, a, from, error) : NULL;

    if (a->place.laid_out && !whole)
        return false;
    if (!from->whole &&
        !plan->device->runtime->read(plan->device, from->buffer, whole ? whole : grid,
                                     layout_bytes(&a->place), error))
        return lift_recode(error, LIFT_ERROR_RUN);
    if (whole)
        layout_read(&a->place, whole, grid);
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
