/* One launch with its exchange. A device has two lanes: kernels and local copies in the
 * main lane, fetches from other devices in the side lane. Lanes wait for marks, which are
 * events. Threads wait for turns, which count recorded marks:
 *
 *     main  ... neighbours' taken | edges | READY | inner planes | TAKEN awaited
 *     side      own and neighbours' ready awaited | fetch ghost planes | TAKEN
 *
 * Later launches wait until neighbours have taken the boundary planes, so no kernel
 * overwrites planes that are still being fetched. With NCCL, messages in the side lane
 * replace the fetches; the messages of both sides wait for each other on the devices.
 * Between processes, a process sends messages when the boundary planes are complete, and
 * receives messages while the device computes the inner planes. */
#include "base/seconds.h"
#include "run/devices/messages.h"
#include "run/devices/overlap_messages.h"
#include "run/devices/watch.h"
#include <string.h>

/* ---- turns */

static void publish(struct part *p, enum overlap_turn turn)
{
    pthread_mutex_lock(&p->all->mutex);
    p->overlap->turn[turn] = p->overlap->exchanges;
    pthread_cond_broadcast(&p->all->met);
    pthread_mutex_unlock(&p->all->mutex);
}

/* Waits for another part's turn. Returns false if a part fails meanwhile. */
static bool wait_turn(struct part *p, const struct part *other, enum overlap_turn turn,
                      int64_t exchange)
{
    bool good;

    pthread_mutex_lock(&p->all->mutex);
    while (!p->all->failed && other->overlap->turn[turn] < exchange)
        watch_wait(p);
    good = !p->all->failed;
    pthread_mutex_unlock(&p->all->mutex);
    return good;
}

/* ---- marks */

static bool set_mark(struct part *p, enum lift_lane lane, struct lift_mark **mark)
{
    const struct lift_runtime *rt = p->plan->device->runtime;

    return !rt->mark || rt->mark(p->plan->device, lane, mark, &p->error) ||
           lift_recode(&p->error, LIFT_ERROR_RUN);
}

static bool await(struct part *p, enum lift_lane lane, const struct lift_mark *mark)
{
    const struct lift_runtime *rt = p->plan->device->runtime;

    return !rt->await || rt->await(p->plan->device, lane, mark, &p->error) ||
           lift_recode(&p->error, LIFT_ERROR_RUN);
}

/* ---- windows */

/* The views of a launch. */
struct views {
    struct lift_device *device;
    struct lift_buffer *list[2 * EXPLORE_MAX_LEAVES];
    int count;
};

static struct lift_buffer *view(struct views *v, const struct part *p,
                                const struct overlap_window *w,
                                const struct plan_array *whole,
                                const struct plan_array *window, struct lift_buffer *b)
{
    return v->list[v->count++] = v->device->runtime->view(
               v->device, b, (size_t)overlap_place(p, w, whole, window),
               layout_bytes(&window->place));
}

static void bind_all(const struct part *p, const struct overlap_window *w,
                     struct views *v)
{
    struct lift_plan *q = w->plan;

    for (int i = 0; i < q->input_count; i++) {
        struct lift_buffer *b = plan_state_buffer(&p->state, true, i)->buffer;

        if (parts_cuts(p->all, 0, &q->in[i].shape, true))
            b = view(v, p, w, &p->plan->in[i], &q->in[i], b);
        q->bound[plan_bind(q, LIFT_BIND_INPUT, i)] = b;
    }
    for (int o = 0; o < q->output_count; o++)
        if (q->out[o].shared_with < 0)
            q->bound[plan_bind(q, LIFT_BIND_OUTPUT, o)] =
                view(v, p, w, &p->plan->out[o], &q->out[o],
                     plan_state_buffer(&p->state, false, o)->buffer);
}

/* The driver reads arguments when a kernel is enqueued, so the views end then. */
static bool launch_window(struct part *p, int window)
{
    struct overlap_window *w = &p->overlap->window[window];
    struct views v = {.count = 0};
    bool good;

    if (!w->plan)
        return true;
    v.device = w->plan->device;
    bind_all(p, w, &v);
    good = plan_launch(w->plan, &p->error);
    for (int i = 0; i < v.count; i++)
        v.device->runtime->release(v.device, v.list[i]);
    return good;
}

/* ---- the exchange */

/* Returns planes of an input of the next launch: an output or an input of this launch. */
static struct planes planes_at(const struct part *p, int i, int side, bool ghosts)
{
    const struct overlap *v = p->overlap;
    const struct plan_array *a = &p->plan->in[i];
    bool output = a->next == LIFT_NEXT_OUTPUT;
    int k = a->next_index;

    if (a->next == LIFT_NEXT_SAME)
        return (struct planes){.plan = NULL};
    return parts_planes_of(p,
                           planes_all(p->plan,
                                      output ? &p->plan->out[k] : &p->plan->in[k],
                                      output ? &v->out[k] : &v->in[k]),
                           i, side, ghosts);
}

static bool has_messages(const struct part *p)
{
    return p->all->way == PARTS_NCCL || p->all->way == PARTS_MESSAGE;
}

static bool await_all(struct part *p, enum overlap_turn turn, int64_t exchange)
{
    if (has_messages(p)) /* both sides of a message wait for each other */
        return true;
    for (int side = 0; exchange && side < PARTS_SIDES; side++) {
        const struct part *n = &p->all->part[p->beside[side] < 0 ? 0 : p->beside[side]];
        bool ready = turn == OVERLAP_READY;

        if (p->beside[side] >= 0 &&
            (!wait_turn(p, n, turn, exchange) ||
             !await(p, ready ? LIFT_LANE_SIDE : LIFT_LANE_MAIN,
                    ready ? n->overlap->ready : n->overlap->taken)))
            return false;
    }
    return true;
}

static bool take_ghosts(struct part *p)
{
    switch (p->all->way) {
    case PARTS_NCCL:
        return messages_swap_nccl(p, LIFT_LANE_SIDE, planes_at);
    case PARTS_MESSAGE:
        return overlap_messages_end(p);
    default:
        p->overlap->messages.count =
            messages_of(p, planes_at, 0, p->overlap->messages.planes);
        return messages_take(p, planes_at, &p->overlap->messages, LIFT_LANE_SIDE);
    }
}

static bool fetch_ghosts(struct part *p)
{
    struct overlap *v = p->overlap;

    if (!await(p, LIFT_LANE_SIDE, v->ready) ||
        !await_all(p, OVERLAP_READY, v->exchanges) ||
        !set_mark(p, LIFT_LANE_SIDE, &v->began))
        return false;
    return take_ghosts(p) && set_mark(p, LIFT_LANE_SIDE, &v->taken);
}

/* On devices without marks, copies are synchronous: the host's clock measures them. */
static bool exchange(struct part *p)
{
    double begin = lift_seconds();
    bool good = fetch_ghosts(p);

    if (good)
        publish(p, OVERLAP_TAKEN);
    good = good && await(p, LIFT_LANE_MAIN, p->overlap->taken);
    if (!p->plan->device->runtime->mark)
        p->exchange += lift_seconds() - begin;
    return good;
}

bool overlap_settle(struct part *p)
{
    return await_all(p, OVERLAP_TAKEN, p->overlap->exchanges);
}

bool overlap_launch(struct part *p)
{
    struct overlap *v = p->overlap;

    if (!plan_state_bind(&p->state) || !set_mark(p, LIFT_LANE_MAIN, &v->start) ||
        !launch_window(p, PARTS_BEFORE) || !launch_window(p, PARTS_AFTER) ||
        !set_mark(p, LIFT_LANE_MAIN, &v->ready))
        return false;
    for (int i = 0; i < p->plan->input_count; i++)
        v->in[i] = *plan_state_buffer(&p->state, true, i);
    for (int o = 0; o < p->plan->output_count; o++)
        v->out[o] = *plan_state_buffer(&p->state, false, o);
    v->exchanges++;
    publish(p, OVERLAP_READY);
    if (p->all->way == PARTS_MESSAGE && !overlap_messages_begin(p, planes_at))
        return false;
    return launch_window(p, OVERLAP_INNER) && set_mark(p, LIFT_LANE_MAIN, &v->inner) &&
           exchange(p) && plan_state_rotate(&p->state);
}

static bool between(struct part *p, const struct lift_mark *from,
                    const struct lift_mark *to, double *seconds)
{

    return p->plan->device->runtime->between(p->plan->device, from, to, seconds,
                                             &p->error) ||
           lift_recode(&p->error, LIFT_ERROR_RUN);
}

/* Measures the last exchange, as a sample of all exchanges since the previous call. */
bool overlap_wait(struct part *p)
{
    struct overlap *v = p->overlap;
    struct overlap_times *t = &v->times;
    double since = (double)(v->exchanges - v->sampled);

    if (!plan_wait(v->window[OVERLAP_INNER].plan, &p->error))
        return false;
    v->sampled = v->exchanges;
    if (!p->plan->device->runtime->between || since == 0)
        return true;
    if (!between(p, v->start, v->ready, &t->edges) ||
        !between(p, v->start, v->began, &t->began) ||
        !between(p, v->start, v->taken, &t->taken) ||
        !between(p, v->start, v->inner, &t->inner))
        return false;
    v->timed = true;
    p->exchange += t->taken > t->inner ? since * (t->taken - t->inner) : 0;
    return true;
}
