/* Many steps of a time loop, with the state on the device. */
#include "base/bug.h"
#include "run/plan.h"
#include <stdlib.h>

/* Array 'i' of all inputs and then all outputs. */
static const struct plan_array *array_of(const struct lift_plan *p, int i)
{
    return i < p->input_count ? &p->in[i] : &p->out[i - p->input_count];
}

void plan_state_begin(struct plan_state *s)
{
    struct lift_plan *p = s->plan;
    struct rotation *r = &s->turn;

    *r = (struct rotation){&p->pool.turn, p->input_count,
                           p->input_count + p->output_count};
    for (int i = 0; i < r->count; i++) {
        const struct plan_array *a = array_of(p, i);
        int kind = 0;

        while (!layout_same(&array_of(p, kind)->place, &a->place))
            kind++;
        r->arrays[i].buffer = -1;
        r->arrays[i].kind = kind;
        r->arrays[i].from = i >= p->input_count           ? a->shared_with
                            : a->next == LIFT_NEXT_SAME   ? i
                            : a->next == LIFT_NEXT_OUTPUT ? p->input_count + a->next_index
                                                          : a->next_index;
    }
}

/* Allocates buffers that have a number but no memory yet. */
static bool allocate(struct plan_state *s)
{
    struct plan_pool *pool = &s->plan->pool;

    for (int n; (n = pool->count) < pool->turn.count; pool->count++)
        if (!plan_allocate(s->plan, array_of(s->plan, pool->turn.kinds[n]),
                           &pool->buffers[n], s->error)) {
            plan_release(s->plan, &pool->buffers[n]);
            pool->turn.count = n;
            return false;
        }
    return true;
}

bool plan_state_take(struct plan_state *s, bool input, int index)
{
    int i = input ? index : s->plan->input_count + index;

    s->turn.arrays[i].buffer = rotation_free(&s->turn, i, s->turn.arrays[i].kind);
    return allocate(s);
}

const struct plan_buffer *plan_state_buffer(const struct plan_state *s, bool input,
                                            int index)
{
    int i = input ? index : s->plan->input_count + index;

    return &s->plan->pool.buffers[s->turn.arrays[i].buffer];
}

bool plan_state_load(struct plan_state *s, void *const *arrays)
{
    struct lift_plan *p = s->plan;

    plan_state_begin(s);
    for (int i = 0; i < p->input_count; i++)
        if (!plan_state_take(s, true, i) ||
            !(s->on_device ? plan_put_device : plan_put)(
                p, &p->in[i], plan_state_buffer(s, true, i), arrays[i], s->error))
            return false;
    return plan_state_bind(s);
}

bool plan_state_bind(struct plan_state *s)
{
    struct lift_plan *p = s->plan;

    rotation_outputs(&s->turn);
    if (!allocate(s))
        return false;
    for (int i = 0; i < p->input_count; i++)
        p->bound[plan_bind(p, LIFT_BIND_INPUT, i)] =
            plan_state_buffer(s, true, i)->buffer;
    for (int o = 0; o < p->output_count; o++)
        p->bound[plan_bind(p, LIFT_BIND_OUTPUT, o)] =
            plan_state_buffer(s, false, o)->buffer;
    return true;
}

static bool copy(struct plan_state *s, int input, int from)
{
    const struct plan_array *a = &s->plan->in[input];
    void *grid = malloc(a->bytes + 1);
    bool good;

    if (!grid)
        return lift_fail(s->error, LIFT_ERROR_RUN, "cannot allocate %zu bytes", a->bytes);
    good = allocate(s) && plan_wait(s->plan, s->error) &&
           plan_get(s->plan, a, &s->plan->pool.buffers[from], grid, s->error) &&
           plan_put(s->plan, a, plan_state_buffer(s, true, input), grid, s->error);
    free(grid);
    s->copied = true;
    return good;
}

bool plan_state_rotate(struct plan_state *s)
{
    int input, from;

    rotation_next(&s->turn);
    while ((input = rotation_copy(&s->turn, &from)) >= 0)
        if (!copy(s, input, from))
            return false;
    return true;
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
            !fetch(s, &p->in[i], plan_state_buffer(s, true, i), arrays[i]))
            return false;
    for (int o = 0; outputs && o < p->output_count; o++)
        if (outputs[o] &&
            !fetch(s, &p->out[o], plan_state_buffer(s, false, o), outputs[o]))
            return false;
    return true;
}

/* Waits for copies on the device, which are only enqueued. */
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

/* 'plan' is the caller's plan or its plan of single steps; 'watch' is the caller's. */
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

/* Single steps come first if 'steps' is no multiple of the steps a launch. */
static bool check_rest(const struct lift_plan *plan, void *const *outputs, int64_t steps,
                       struct lift_error *error)
{
    int at_once = plan->chosen->problem->program->steps;

    if (steps % at_once == 0)
        return true;
    if (!plan->single)
        return lift_fail(
            error, LIFT_ERROR_ARGUMENT,
            "program '%s' computes %d steps a launch, of which %lld is not a multiple: "
            "omit 'steps' in its text and set the option 'steps' of the plan",
            plan->facts.program, at_once, (long long)steps);
    for (int o = plan->single->output_count; o < plan->output_count; o++)
        if (outputs && outputs[o] && steps < at_once)
            return lift_fail(error, LIFT_ERROR_ARGUMENT,
                             "output '%s' is of %d steps a launch, and NULL is expected "
                             "for it where there are fewer",
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
