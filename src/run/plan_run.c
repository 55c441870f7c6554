/* One step on the caller's arrays. */
#include "base/bug.h"
#include "run/plan.h"
#include <string.h>

/* ---- launching */

int plan_bind(const struct lift_plan *plan, enum lift_bind_kind kind, int index)
{
    const struct lift_module *m = plan->chosen->module.module;

    for (int i = 0; i < m->bind_count; i++)
        if (m->binds[i].kind == kind && m->binds[i].index == index)
            return i;
    return -1;
}

static struct lift_arg argument(const void *user, int index)
{
    const struct lift_plan *plan = user;
    const struct lift_bind *b = &plan->chosen->module.module->binds[index];

    if (b->kind == LIFT_BIND_PARAM)
        return runner_param(b, plan->params[b->index]);
    LIFT_ASSERT(plan->bound[index]);
    return (struct lift_arg){.kind = LIFT_ARG_BUFFER, .buffer = plan->bound[index]};
}

bool plan_launch(struct lift_plan *plan, struct lift_error *error)
{

    return runner_call(plan->device, &plan->chosen->module, argument, plan, error) ||
           lift_recode(error, LIFT_ERROR_RUN);
}

bool plan_wait(struct lift_plan *plan, struct lift_error *error)
{

    return plan->device->runtime->finish(plan->device, NULL, error) ||
           lift_recode(error, LIFT_ERROR_RUN);
}

/* ---- the caller's arrays */

/* The data of one call. */
struct execution {
    struct lift_plan *plan;
    struct plan_state own; /* buffers of arrays that are copied */
    const void *const *inputs;
    void *const *outputs;
    bool on_device;
    struct lift_buffer *wrapped[2 * EXPLORE_MAX_LEAVES]; /* to be released */
    int wrapped_count;
    bool direct[EXPLORE_MAX_LEAVES]; /* outputs in the caller's own memory */
    struct lift_error *error;
};

/* Returns true if the output's memory is also an input's, except input 'but'. */
static bool replaces_input(const struct execution *e, int output, int but)
{
    for (int i = 0; i < e->plan->input_count; i++)
        if (i != but && e->inputs[i] == e->outputs[output])
            return true;
    return false;
}

/* Returns true if kernels can use the caller's memory. */
static bool works_on_memory(const struct execution *e)
{
    return e->on_device || e->plan->device->runtime->wrap;
}

static bool bind_memory(struct execution *e, int bind, const void *data, size_t bytes)
{
    struct lift_plan *p = e->plan;

    p->bound[bind] = e->on_device
                         ? plan_borrow(p, data, bytes, e->error)
                         : p->device->runtime->wrap(p->device, (void *)data, bytes);
    if (p->bound[bind])
        e->wrapped[e->wrapped_count++] = p->bound[bind];
    return p->bound[bind] != NULL;
}

/* Copies an input to the memory of the output that overwrites this input. */
static bool copy_there(struct execution *e, void *to, const void *from, size_t bytes)
{
    if (to == from)
        return true;
    if (e->on_device)
        return plan_copy_device(e->plan, to, from, bytes, e->error);
    memcpy(to, from, bytes);
    return true;
}

static bool bind_own(struct execution *e, int bind, bool input, int index)
{
    if (!plan_state_take(&e->own, input, index))
        return false;
    e->plan->bound[bind] = plan_state_buffer(&e->own, input, index)->buffer;
    return true;
}

static bool bind_input(struct execution *e, int i)
{
    struct lift_plan *p = e->plan;
    struct plan_array *a = &p->in[i];
    int bind = plan_bind(p, LIFT_BIND_INPUT, i), o = a->shared_with;

    if (o >= 0 && e->direct[o]) /* the kernel reads the input in the output's memory */
        return copy_there(e, e->outputs[o], e->inputs[i], a->bytes) &&
               bind_memory(e, bind, e->outputs[o], a->bytes);
    if (o < 0 && works_on_memory(e) && !a->place.laid_out)
        return bind_memory(e, bind, e->inputs[i], a->bytes);
    return bind_own(e, bind, true, i) &&
           (e->on_device ? plan_put_device : plan_put)(
               p, a, plan_state_buffer(&e->own, true, i), e->inputs[i], e->error);
}

static bool bind_output(struct execution *e, int o)
{
    struct lift_plan *p = e->plan;
    struct plan_array *a = &p->out[o];
    int bind = plan_bind(p, LIFT_BIND_OUTPUT, o);

    if (a->shared_with >= 0)
        return true;
    return e->direct[o] ? bind_memory(e, bind, e->outputs[o], a->bytes)
                        : bind_own(e, bind, false, o);
}

static bool bind_all(struct execution *e)
{
    for (int i = 0; i < e->plan->input_count; i++)
        if (!bind_input(e, i))
            return false;
    for (int o = 0; o < e->plan->output_count; o++)
        if (!bind_output(e, o))
            return false;
    return true;
}

static bool fetch(struct execution *e)
{
    struct lift_plan *p = e->plan;

    for (int o = 0; o < p->output_count; o++) {
        const struct plan_array *a = &p->out[o];
        bool in_place = a->shared_with >= 0;

        if (!e->direct[o] &&
            !(e->on_device ? plan_get_device : plan_get)(
                p, a, plan_state_buffer(&e->own, in_place, in_place ? a->shared_with : o),
                e->outputs[o], e->error))
            return false;
    }
    return true;
}

/* For arrays on the device, enqueued copies fetch the outputs, and the caller waits for
 * the stream. */
static bool run(struct execution *e)
{
    struct lift_plan *p = e->plan;

    if (!bind_all(e) || !plan_launch(p, e->error))
        return false;
    if (!e->on_device)
        return plan_wait(p, e->error) && fetch(e);
    return fetch(e) && (p->stream || plan_wait(p, e->error));
}

/* Kernels store an output directly in the caller's memory if they can use this memory, if
 * both layouts are equal, and if no other input is there. */
static bool execute(struct lift_plan *plan, const struct plan_memory *m,
                    struct lift_error *error)
{
    struct execution e = {.plan = plan,
                          .own = {.plan = plan, .error = error},
                          .inputs = m->inputs,
                          .outputs = m->outputs,
                          .on_device = m->on_device,
                          .error = error};
    bool good;

    if (!plan_check_memory(plan, m, error))
        return false;
    plan_state_begin(&e.own);
    for (int o = 0; o < plan->output_count; o++)
        e.direct[o] = works_on_memory(&e) && !plan->out[o].place.laid_out &&
                      !replaces_input(&e, o, plan->out[o].shared_with);
    good = run(&e);
    for (int i = 0; i < e.wrapped_count; i++)
        plan->device->runtime->release(plan->device, e.wrapped[i]);
    return good;
}

bool lift_plan_execute(struct lift_plan *plan, const void *const *inputs,
                       void *const *outputs, struct lift_error *error)
{
    const struct plan_memory memory = {.inputs = inputs, .outputs = outputs};
    bool good;

    if (!plan_enter(plan ? &plan->owner : NULL, "plan", error) || !plan)
        return false;
    good = execute(plan, &memory, error);
    plan_leave(&plan->owner);
    return good;
}

bool lift_plan_execute_on_device(struct lift_plan *plan, const void *const *inputs,
                                 void *const *outputs, struct lift_error *error)
{
    struct plan_memory memory = {.inputs = inputs, .outputs = outputs};
    bool good;

    if (!plan_enter(plan ? &plan->owner : NULL, "plan", error) || !plan)
        return false;
    good = plan_memory_on_device(plan, &memory, error) && execute(plan, &memory, error);
    plan_leave(&plan->owner);
    return good;
}
