/* Facts of plans on several devices, and their execution. */
#include "run/devices/plan_parts.h"

/* ---- facts */

static const struct lift_plan *plan_of(const struct lift_parts *p)
{
    return p ? p->all->own->plan : NULL;
}

/* Returns the extent of this process's arrays along a dimension. If only rows are cut,
 * the number of planes is that of any output. */
static struct part_along held(const struct lift_parts *p, int dim)
{
    if (!p || !parts_are_along(p->all, dim))
        return (struct part_along){
            .own = p && dim == 0 ? planes_length(&plan_of(p)->out[0], 0) : 0};
    return p->all->options.own_only ? p->all->own->along[dim]
                                    : (struct part_along){.own = p->all->length[dim]};
}

static void tell(struct part_along held, int64_t *first, int64_t *count)
{
    if (first)
        *first = held.first;
    if (count)
        *count = held.own;
}

void lift_parts_planes(const struct lift_parts *p, int64_t *first, int64_t *count)
{
    tell(held(p, 0), first, count);
}

void lift_parts_rows(const struct lift_parts *p, int64_t *first, int64_t *count)
{
    tell(held(p, 1), first, count);
}

const char *lift_parts_words(const struct lift_parts *p)
{
    return p ? lift_str_get(&p->all->words) : NULL;
}

int lift_parts_inputs(const struct lift_parts *p)
{
    return lift_plan_inputs(plan_of(p));
}

int lift_parts_outputs(const struct lift_parts *p)
{
    return lift_plan_outputs(plan_of(p));
}

/* Reduces the lengths of a distributed array to this process's part. */
static void hold(const struct lift_parts *p, const struct plan_array *of, bool input,
                 struct lift_plan_array *a)
{
    size_t bytes = a->bytes / (size_t)a->count;

    for (int d = 0; d < PARTS_DIMS; d++)
        if (parts_cuts(p->all, d, &of->shape, input)) {
            a->count = a->count / a->length[d] * held(p, d).own;
            a->length[d] = held(p, d).own;
        }
    a->bytes = (size_t)a->count * bytes;
}

bool lift_parts_input(const struct lift_parts *p, int index,
                      struct lift_plan_array *array)
{
    const struct lift_plan *plan = plan_of(p);

    if (!lift_plan_input(plan, index, array))
        return false;
    hold(p, &plan->in[index], true, array);
    return true;
}

bool lift_parts_output(const struct lift_parts *p, int index,
                       struct lift_plan_array *array)
{
    if (!lift_plan_output(plan_of(p), index, array))
        return false;
    hold(p, &plan_of(p)->out[index], false, array);
    return true;
}

/* ---- execution */

static bool enter(struct lift_parts *p, struct lift_error *error)
{
    if (!plan_enter(p ? &p->owner : NULL, "object of several devices", error) || !p)
        return false;
    if (!p->all->failed)
        return true;
    plan_leave(&p->owner);
    return lift_fail(error, LIFT_ERROR_RUN,
                     "a device failed before: create the parts again");
}

static bool leave(struct lift_parts *p, bool good)
{
    plan_leave(&p->owner);
    return good;
}

bool lift_parts_set_param(struct lift_parts *p, const char *name, double value,
                          struct lift_error *error)
{
    bool good;

    if (!enter(p, error))
        return false;
    good = parts_set_param(p->all, name, value, error);
    p->launches = -1; /* halo values may depend on the parameter: load again */
    return leave(p, good);
}

static bool check_pointer(const struct plan_array *a, const void *pointer,
                          struct lift_error *error)
{
    return (pointer &&
            (uintptr_t)pointer % (size_t)lift_scalar_bytes(a->shape.scalar) == 0) ||
           lift_fail(error, LIFT_ERROR_ARGUMENT, "array '%s' is at %p: %s", a->shape.name,
                     pointer,
                     pointer ? "an address is expected that its elements may have"
                             : "an address is expected");
}

static bool load(struct lift_parts *p, const void *const *inputs,
                 struct lift_error *error)
{
    const struct lift_plan *plan = plan_of(p);
    void *arrays[EXPLORE_MAX_LEAVES];

    if (!inputs)
        return lift_fail(error, LIFT_ERROR_ARGUMENT, "'inputs' is NULL");
    for (int i = 0; i < plan->input_count; i++) {
        if (!check_pointer(&plan->in[i], inputs[i], error))
            return false;
        arrays[i] = (void *)inputs[i];
    }
    p->launches = -1;
    if (!parts_load(p->all, arrays, p->all->at_once, error))
        return false;
    p->launches = 0;
    return true;
}

bool lift_parts_load(struct lift_parts *p, const void *const *inputs,
                     struct lift_error *error)
{
    return enter(p, error) && leave(p, load(p, inputs, error));
}

static bool is_loaded(const struct lift_parts *p, struct lift_error *error)
{
    return p->launches >= 0 || lift_fail(error, LIFT_ERROR_ARGUMENT,
                                         "there is no state: call lift_parts_load first, "
                                         "and again after lift_parts_set_param");
}

static bool advance(struct lift_parts *p, int64_t steps, struct lift_error *error)
{
    struct parts *all = p->all;

    if (steps < 0 || steps % all->at_once)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "%lld steps: a multiple of %d, those of a launch, is expected",
                         (long long)steps, all->at_once);
    if (!is_loaded(p, error))
        return false;
    all->step = p->launches * all->at_once;
    if (steps && !parts_launch(all, steps / all->at_once, error))
        return false;
    p->launches += steps / all->at_once;
    return true;
}

bool lift_parts_advance(struct lift_parts *p, int64_t steps, struct lift_error *error)
{
    return enter(p, error) && leave(p, advance(p, steps, error));
}

static bool fetch_all(struct lift_parts *p, void *const *arrays, bool input,
                      struct lift_error *error)
{
    const struct lift_plan *plan = plan_of(p);
    int count = input ? plan->input_count : plan->output_count;

    for (int i = 0; arrays && i < count; i++) {
        const struct plan_array *a = input ? &plan->in[i] : &plan->out[i];

        if (arrays[i] && !(input && a->next == LIFT_NEXT_SAME) &&
            (!check_pointer(a, arrays[i], error) ||
             !parts_fetch(p->all, i, input, arrays[i], error)))
            return false;
    }
    return true;
}

static bool fetch(struct lift_parts *p, void *const *inputs, void *const *outputs,
                  struct lift_error *error)
{
    if (!is_loaded(p, error))
        return false;
    if (outputs && p->launches == 0)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "no step has been computed: 'outputs' must be NULL");
    return fetch_all(p, inputs, true, error) && fetch_all(p, outputs, false, error);
}

bool lift_parts_fetch(struct lift_parts *p, void *const *inputs, void *const *outputs,
                      struct lift_error *error)
{
    return enter(p, error) && leave(p, fetch(p, inputs, outputs, error));
}
