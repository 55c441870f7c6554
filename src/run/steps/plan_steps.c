/* Many steps of a time loop, with the state on the device. */
#include "run/planes.h"
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

/* Copies an array from one plan's layout to another's, on their device. 'flat' is a
 * buffer for the array without gaps. */
static bool relay(const struct planes *to, const struct planes *from,
                  struct lift_buffer *flat, struct lift_error *error)
{
    const struct lift_runtime *rt = to->plan->device->runtime;
    bool gaps = to->array->place.laid_out;
    struct lift_buffer *via = gaps ? flat : to->buffer->buffer;

    return (from->array->place.laid_out
                ? planes_copy(from, via, false, error)
                : rt->copy(to->plan->device, via, from->buffer->buffer,
                           from->array->bytes, error)) &&
           (!gaps || planes_copy(to, flat, true, error));
}

static bool relay_all(struct plan_state *s, const struct plan_state *from,
                      struct lift_error *error)
{
    struct lift_plan *p = s->plan;
    size_t most = 1;
    struct lift_buffer *flat;
    bool good;

    for (int i = 0; i < p->input_count; i++)
        if (p->in[i].bytes > most)
            most = p->in[i].bytes;
    flat = p->device->runtime->alloc(p->device, most, error);
    good = flat != NULL;
    for (int i = 0; i < p->input_count && good; i++) {
        const struct planes there =
            planes_all(from->plan, &from->plan->in[i], plan_state_buffer(from, true, i));
        struct planes here;

        good = plan_state_take(s, true, i);
        if (!good)
            break;
        here = planes_all(p, &p->in[i], plan_state_buffer(s, true, i));
        good = relay(&here, &there, flat, error);
    }
    good = good && plan_state_bind(s) && plan_wait(p, error);
    p->device->runtime->release(p->device, flat);
    return good;
}

bool plan_state_take_over(struct plan_state *s, const struct plan_state *from)
{
    LIFT_SCOPED(lift_error) unused = {0};
    struct lift_error *error = s->error;
    bool good = s->plan->device == from->plan->device && s->plan->device->runtime->copy;

    if (!good)
        return false;
    plan_state_begin(s);
    s->error = &unused;
    good = relay_all(s, from, &unused);
    s->error = error;
    plan_release_all(good ? from->plan : s->plan);
    return good;
}

/* Launches of one of the kernels of a call. */
struct stretch {
    struct plan_state state;
    void *arrays[EXPLORE_MAX_LEAVES], *outputs[EXPLORE_MAX_LEAVES]; /* the caller's */
    struct plan_watch *watch;
};

/* Ends the launches of a kernel: the caller's arrays receive the state. */
static bool leave(struct stretch *t, bool last)
{
    return plan_state_fetch(&t->state, t->arrays, last ? t->outputs : NULL);
}

/* Begins with the caller's arrays, or with the state that the kernel before left. */
static bool enter(struct stretch *t, struct lift_plan *plan)
{
    struct plan_state from = t->state;

    t->state = (struct plan_state){.plan = plan,
                                   .error = from.error,
                                   .on_device = from.on_device,
                                   .watch = from.watch};
    if (from.plan && plan_state_take_over(&t->state, &from))
        return true;
    return (!from.plan || plan_state_fetch(&from, t->arrays, NULL)) &&
           plan_state_load(&t->state, t->arrays);
}

static bool launch(struct stretch *t, int64_t launches)
{
    struct lift_plan *plan = t->state.plan;

    if (!plan_state_launch(&t->state, launches))
        return false;
    t->watch->advanced += t->state.launched * plan_launch_steps(plan->chosen->problem);
    if (t->state.launched == launches)
        return true;
    return leave(t, true) &&
           lift_fail(t->state.error, LIFT_ERROR_STOPPED, "stopped after %lld steps",
                     (long long)t->watch->advanced);
}

/* The remainder comes first, so that the last launch has all outputs of the plan. */
static bool run(struct lift_plan *plan, const struct plan_memory *m,
                const struct depth_split *split, struct lift_error *error)
{
    struct stretch t = {
        .state = {.error = error, .on_device = m->on_device, .watch = &plan->watch},
        .watch = &plan->watch};

    for (int i = 0; i < plan->input_count; i++)
        t.arrays[i] = (void *)m->inputs[i];
    for (int o = 0; m->outputs && o < plan->output_count; o++)
        t.outputs[o] = m->outputs[o];
    for (int i = split->count - 1; i >= 0; i--)
        if (!enter(&t, plan_at(plan, split->part[i].at_once)) ||
            !launch(&t, split->part[i].launches))
            return false;
    return leave(&t, true);
}

/* A program whose text has a number of steps has no plan of single steps. */
static bool check_rest(struct lift_plan *plan, void *const *outputs, int64_t steps,
                       struct lift_error *error)
{
    int at_once = plan_launch_steps(plan->chosen->problem);
    const struct lift_plan *single = plan_at(plan, 1);

    if (at_once == 1 || steps % at_once == 0)
        return true;
    if (!single)
        return lift_fail(
            error, LIFT_ERROR_ARGUMENT,
            "program '%s' computes %d steps a launch, of which %lld is not a multiple: "
            "omit 'steps' in its text and set the option 'steps' of the plan",
            plan->facts.program, at_once, (long long)steps);
    for (int o = single->output_count; o < plan->output_count; o++)
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
    struct depth_split split = depth_split(&plan->speeds, steps, 0);

    plan->watch.advanced = 0;
    if (!plan_at(plan, 1)) /* a multiple, which check_rest checks */
        split = (struct depth_split){
            .part = {{plan_launch_steps(plan->chosen->problem),
                      steps / plan_launch_steps(plan->chosen->problem)}},
            .count = 1};
    return check_steps(plan, steps, error) &&
           check_rest(plan, m->outputs, steps, error) &&
           plan_check_memory(plan, m, error) && run(plan, m, &split, error);
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
