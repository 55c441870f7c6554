/* Many steps of a time loop, the state on the device. */
#include "base/bug.h"
#include "run/plan.h"
#include <stdlib.h>

static bool in_use(const struct plan_state *s, const struct lift_buffer *buffer,
                   const struct plan_buffer *outs, int out_count)
{
    for (int i = 0; i < s->plan->input_count; i++)
        if (s->in[i].buffer == buffer)
            return true;
    for (int i = 0; i < out_count; i++)
        if (outs[i].buffer == buffer)
            return true;
    return false;
}

bool plan_state_take(struct plan_state *s, const struct plan_array *a, int outs,
                     struct plan_buffer *out)
{
    struct plan_pool *pool = &s->plan->pool;

    for (int i = 0; i < pool->count; i++)
        if (layout_same(&pool->places[i], &a->place) &&
            !in_use(s, pool->buffers[i].buffer, s->out, outs)) {
            *out = pool->buffers[i];
            return true;
        }
    LIFT_ASSERT(pool->count < PLAN_POOL);
    pool->places[pool->count] = a->place;
    *out = (struct plan_buffer){.buffer = NULL};
    if (!plan_allocate(s->plan, a, out, s->error)) {
        plan_release(s->plan, out);
        return false;
    }
    pool->buffers[pool->count++] = *out;
    return true;
}

bool plan_state_load(struct plan_state *s, void *const *arrays)
{
    struct lift_plan *p = s->plan;

    for (int i = 0; i < p->input_count; i++)
        if (!plan_state_take(s, &p->in[i], 0, &s->in[i]) ||
            !(s->on_device ? plan_put_device : plan_put)(p, &p->in[i], &s->in[i],
                                                         arrays[i], s->error))
            return false;
    return plan_state_bind(s);
}

bool plan_state_bind(struct plan_state *s)
{
    struct lift_plan *p = s->plan;

    for (int i = 0; i < p->input_count; i++)
        p->bound[plan_bind(p, LIFT_BIND_INPUT, i)] = s->in[i].buffer;
    for (int o = 0; o < p->output_count; o++) {
        s->out[o].buffer = NULL;
        if (p->out[o].shared_with >= 0)
            s->out[o] = s->in[p->out[o].shared_with];
        else if (!plan_state_take(s, &p->out[o], o, &s->out[o]))
            return false;
        p->bound[plan_bind(p, LIFT_BIND_OUTPUT, o)] = s->out[o].buffer;
    }
    return true;
}

/* Two inputs of one value need a buffer each: one of them may be overwritten. */
static bool copy(struct plan_state *s, const struct plan_array *a, struct plan_buffer *b)
{
    struct plan_buffer other;
    void *grid = malloc(a->bytes + 1);
    bool good;

    if (!grid)
        return lift_fail(s->error, LIFT_ERROR_RUN, "cannot allocate %zu bytes", a->bytes);
    good = plan_state_take(s, a, s->plan->output_count, &other) &&
           plan_wait(s->plan, s->error) && plan_get(s->plan, a, b, grid, s->error) &&
           plan_put(s->plan, a, &other, grid, s->error);
    free(grid);
    s->copied = true;
    *b = other;
    return good;
}

static bool separate(struct plan_state *s)
{
    for (int i = 0; i < s->plan->input_count; i++)
        for (int j = 0; j < i; j++)
            if (s->in[i].buffer == s->in[j].buffer) {
                if (!copy(s, &s->plan->in[i], &s->in[i]))
                    return false;
                break;
            }
    return true;
}

bool plan_state_rotate(struct plan_state *s)
{
    struct lift_plan *p = s->plan;
    struct plan_buffer next[EXPLORE_MAX_LEAVES];

    for (int i = 0; i < p->input_count; i++)
        next[i] = p->in[i].next == LIFT_NEXT_SAME    ? s->in[i]
                  : p->in[i].next == LIFT_NEXT_INPUT ? s->in[p->in[i].next_index]
                                                     : s->out[p->in[i].next_index];
    for (int i = 0; i < p->input_count; i++)
        s->in[i] = next[i];
    return separate(s);
}

static bool fetch(struct plan_state *s, const struct plan_array *a,
                  const struct plan_buffer *from, void *memory)
{
    return (s->on_device ? plan_get_device : plan_get)(s->plan, a, from, memory,
                                                       s->error);
}

static bool fetch_all(struct plan_state *s, void *const *arrays, void *const *outputs)
{
    struct lift_plan *p = s->plan;

    for (int i = 0; i < p->input_count; i++)
        if (p->in[i].next != LIFT_NEXT_SAME && arrays[i] &&
            !fetch(s, &p->in[i], &s->in[i], arrays[i]))
            return false;
    for (int o = 0; outputs && o < p->output_count; o++)
        if (outputs[o] && !fetch(s, &p->out[o], &s->out[o], outputs[o]))
            return false;
    return true;
}

/* Copies on the device have only been enqueued. */
bool plan_state_fetch(struct plan_state *s, void *const *arrays, void *const *outputs)
{
    return fetch_all(s, arrays, outputs) &&
           (!s->on_device || plan_wait(s->plan, s->error));
}

static bool check_steps(const struct lift_plan *plan, int64_t steps,
                        struct lift_error *error)
{
    if (!plan->iterates)
        return lift_fail(
            error, LIFT_ERROR_ARGUMENT,
            "program '%s' has no time loop: say 'time (...) <- (...)' in it, "
            "or execute its steps one by one",
            plan->facts.program);
    return steps >= 1 ||
           lift_fail(error, LIFT_ERROR_ARGUMENT, "%lld steps: at least 1 is expected",
                     (long long)steps);
}

/* 'plan' is the caller's or its single step, 'watch' the caller's. */
static bool launch_steps(struct lift_plan *plan, const struct plan_memory *m,
                         void *const *outputs, int64_t launches, struct plan_watch *watch,
                         struct lift_error *error)
{
    struct plan_state s = {
        .plan = plan, .error = error, .on_device = m->on_device, .watch = watch};
    void *arrays[EXPLORE_MAX_LEAVES];

    LIFT_ASSERT(plan);
    for (int i = 0; i < plan->input_count; i++)
        arrays[i] = (void *)m->inputs[i];
    if (!plan_state_load(&s, arrays) || !plan_state_launch(&s, launches) ||
        !plan_state_fetch(&s, arrays, outputs))
        return false;
    watch->advanced += s.launched * plan->chosen->problem->program->steps;
    return s.launched == launches ||
           lift_fail(error, LIFT_ERROR_STOPPED, "stopped after %lld steps",
                     (long long)watch->advanced);
}

/* What is no multiple of the steps of a launch comes first, by single ones. */
static bool check_rest(const struct lift_plan *plan, void *const *outputs, int64_t steps,
                       struct lift_error *error)
{
    int at_once = plan->chosen->problem->program->steps;

    if (steps % at_once == 0)
        return true;
    if (!plan->single)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "program '%s' computes %d steps at once, of which %lld is no "
                         "multiple: leave 'steps' out of its text and give them as an "
                         "option of the plan",
                         plan->facts.program, at_once, (long long)steps);
    for (int o = plan->single->output_count; o < plan->output_count; o++)
        if (outputs && outputs[o] && steps < at_once)
            return lift_fail(
                error, LIFT_ERROR_ARGUMENT,
                "output '%s' is of %d steps at once, and NULL is expected for "
                "it where there are fewer",
                plan->out[o].shape.name, at_once);
    return true;
}

static bool advance(struct lift_plan *plan, const struct plan_memory *m, int64_t steps,
                    struct lift_error *error)
{
    int at_once = plan->chosen->problem->program->steps;
    int64_t launches = steps / at_once, rest = steps % at_once;

    plan->watch.advanced = 0;
    return check_steps(plan, steps, error) &&
           check_rest(plan, m->outputs, steps, error) &&
           plan_check_memory(plan, m, error) &&
           (!rest || launch_steps(plan->single, m, launches ? NULL : m->outputs, rest,
                                  &plan->watch, error)) &&
           (!launches ||
            launch_steps(plan, m, m->outputs, launches, &plan->watch, error));
}

bool lift_plan_advance(struct lift_plan *plan, void *const *arrays, void *const *outputs,
                       int64_t steps, struct lift_error *error)
{
    const struct plan_memory memory = {
        .inputs = (const void *const *)arrays, .outputs = outputs, .steps = true};
    bool good;

    if (!plan_enter(plan ? &plan->owner : NULL, "plan", error) || !plan)
        return false;
    good = advance(plan, &memory, steps, error);
    plan_leave(&plan->owner);
    return good;
}

bool lift_plan_advance_on_device(struct lift_plan *plan, void *const *arrays,
                                 void *const *outputs, int64_t steps,
                                 struct lift_error *error)
{
    struct plan_memory memory = {
        .inputs = (const void *const *)arrays, .outputs = outputs, .steps = true};
    bool good;

    if (!plan_enter(plan ? &plan->owner : NULL, "plan", error) || !plan)
        return false;
    good = plan_memory_on_device(plan, &memory, error) &&
           advance(plan, &memory, steps, error);
    plan_leave(&plan->owner);
    return good;
}

bool lift_plan_watch(struct lift_plan *plan, lift_plan_go_on *go_on, void *user,
                     struct lift_error *error)
{
    if (!plan_enter(plan ? &plan->owner : NULL, "plan", error) || !plan)
        return false;
    plan->watch.go_on = go_on;
    plan->watch.user = user;
    plan_leave(&plan->owner);
    return true;
}

int64_t lift_plan_advanced(const struct lift_plan *plan)
{
    return plan ? plan->watch.advanced : 0;
}
