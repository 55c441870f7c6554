/* Runs parts, with one thread a part. */
#include "base/number.h"
#include "base/seconds.h"
#include "run/devices/messages.h"
#include "run/devices/overlap.h"
#include "run/devices/watch.h"
#include <stdlib.h>
#include <string.h>

/* Additional time limit of the first NCCL exchange, which connects the devices. */
static const double join_seconds = 60;

/* ---- threads */

/* A barrier of all parts. Returns false for all parts if one of them failed. */
static bool meet(struct part *p, bool good)
{
    struct parts *parts = p->all;
    int meeting;
    bool stop;

    pthread_mutex_lock(&parts->mutex);
    parts->failed |= !good;
    meeting = parts->meeting;
    if (++parts->arrived == parts->own_count) {
        parts->arrived = 0;
        parts->meeting++;
        parts->stop = parts->failed;
        pthread_cond_broadcast(&parts->met);
    }
    while (parts->meeting == meeting && !parts->hung)
        watch_wait(p);
    stop = parts->stop;
    pthread_mutex_unlock(&parts->mutex);
    return !stop;
}

static bool report(struct parts *parts, struct lift_error *error)
{
    for (int i = 0; i < parts->own_count; i++) {
        struct part *p = &parts->own[i];

        if (p->error.code)
            return lift_fail(error, p->error.code, "on '%s': %s", p->device,
                             lift_error_text(&p->error));
    }
    return lift_fail(error, LIFT_ERROR_RUN, "a device failed");
}

/* ---- planes of the grid */

int parts_ranges(const struct part *p, int dim, const struct explore_shape *shape,
                 bool input, bool ghosts, struct part_range out[PARTS_RANGES])
{
    const struct part_along *along = &p->along[dim];
    int64_t all = dim < shape->dims ? shape->length[dim] : 1, some = 0;
    int count = 0;

    if (!parts_cuts(p->all, dim, shape, input)) {
        out[0] = (struct part_range){0, 0, all};
        return 1;
    }
    if (!ghosts || p->all->options.own_only) {
        out[0] =
            (struct part_range){along->first - along->begin,
                                p->all->options.own_only ? 0 : along->first, along->own};
        return 1;
    }
    all = p->all->length[dim];
    for (int64_t at = 0; at < along->length; at += some) {
        int64_t grid = (along->begin + at + all) % all;

        some = lift_min(along->length - at, all - grid);
        out[count++] = (struct part_range){at, grid, some};
    }
    return count;
}

/* Copies from or to an array with 'apart' bytes from plane to plane. Contiguous planes
 * are copied together. */
static bool copy_range(struct planes planes, char *at, size_t apart, bool in,
                       struct lift_error *error)
{
    int64_t first = planes.first[0], count = planes.count[0];
    size_t bytes = (size_t)planes.count[1] * planes_row(planes.array);
    int64_t some = bytes < apart ? 1 : count;

    for (int64_t i = 0; i < count; i += some, at += (size_t)some * apart) {
        planes = planes_some(planes, 0, first + i, some);
        if (!(in ? planes_put(&planes, at, error) : planes_get(&planes, at, error)))
            return false;
    }
    return true;
}

/* Copies between an array on the device and the caller's array. */
static bool copy_array(struct part *p, int index, bool input, void *grid, bool in)
{
    struct lift_plan *plan = p->state.plan;
    const struct plan_array *a = input ? &plan->in[index] : &plan->out[index];
    const struct plan_buffer *buffer = plan_state_buffer(&p->state, input, index);
    const struct planes all = planes_all(plan, a, buffer);
    struct part_range z[PARTS_RANGES], y[PARTS_RANGES];
    int n = parts_ranges(p, 0, &a->shape, input, in, z);
    int m = parts_ranges(p, 1, &a->shape, input, in, y);
    bool cut = parts_cuts(p->all, 1, &a->shape, input), good = true;
    size_t row, apart;

    if (!cut && !parts_cuts(p->all, 0, &a->shape, input))
        return in ? plan_put(plan, a, buffer, grid, &p->error)
                  : plan_get(plan, a, buffer, grid, &p->error);
    row = planes_row(a);
    apart = row * (size_t)planes_length(a, 1);
    if (cut)
        apart = row *
                (size_t)(p->all->options.own_only ? p->along[1].own : p->all->length[1]);
    for (int i = 0; good && i < n * m; i++) {
        struct part_range planes = z[i / m], rows = y[i % m];

        good = copy_range(planes_some(planes_some(all, 1, rows.at, rows.count), 0,
                                      planes.at, planes.count),
                          (char *)grid + (size_t)planes.grid * apart +
                              (size_t)rows.grid * row,
                          apart, in, &p->error);
    }
    return good;
}

static bool load(struct part *p, struct lift_plan *plan, void *const *grids)
{
    bool good = true;

    if (p->state.plan && p->state.plan != plan)
        plan_release_all(p->state.plan);
    p->state = (struct plan_state){.plan = plan, .error = &p->error};
    plan_want_graphs(plan, p->all->options.graphs);
    plan_state_begin(&p->state);
    for (int i = 0; good && i < plan->input_count; i++)
        good =
            plan_state_take(&p->state, true, i) && copy_array(p, i, true, grids[i], true);
    return good && plan_state_bind(&p->state);
}

bool parts_fetch(struct parts *parts, int index, bool input, void *array,
                 struct lift_error *error)
{
    for (int i = 0; i < parts->own_count; i++)
        if (!copy_array(&parts->own[i], index, input, array, false))
            return report(parts, error);
    return true;
}

/* Exchanges the ghost planes of all inputs, also of inputs that do not change. */
static bool swap_all(struct part *p)
{
    struct parts *parts = p->all;
    int64_t width[PARTS_ENDS][LIFT_MAX_ARGS];
    bool good;

    memcpy(width, parts->width, sizeof width);
    for (int i = 0; i < p->plan->input_count; i++)
        for (int end = 0; end < PARTS_ENDS; end++) {
            const struct explore_shape *shape = &p->plan->in[i].shape;
            const struct lift_cut *c = &parts->cut[end / PARTS_SIDES];
            int64_t n = end % PARTS_SIDES == PARTS_BEFORE ? c->before : c->after;

            parts->width[end][shape->owner] =
                parts_cuts(parts, end / PARTS_SIDES, shape, true) ? parts->every * n : 0;
        }
    good = messages_swap(p);
    memcpy(parts->width, width, sizeof width);
    return good;
}

/* ---- exchanges */

struct planes parts_planes_of(const struct part *p, struct planes all, int input, int end,
                              bool ghosts)
{
    int owner = p->plan->in[input].shape.owner, dim = end / PARTS_SIDES;
    bool before = end % PARTS_SIDES == PARTS_BEFORE;
    const struct part_along *along = &p->along[dim];
    int64_t first = along->first - along->begin;
    int64_t count = p->all->width[ghosts ? end : parts_opposite(end)][owner];
    int64_t at = before ? first : first + along->own;

    if (before == ghosts)
        at -= count;
    return planes_some(all, dim, at, count);
}

struct planes parts_planes_at(const struct part *p, int input, int end, bool ghosts)
{
    struct lift_plan *plan = p->state.plan;

    return parts_planes_of(
        p, planes_all(plan, &plan->in[input], plan_state_buffer(&p->state, true, input)),
        input, end, ghosts);
}

/* After the second barrier, parts may overwrite their planes: all neighbours have copied
 * them. Rows follow planes, since exchanged rows include elements of ghost planes. */
static bool exchange_here(struct part *p, bool good)
{
    for (int d = 0; d < PARTS_DIMS; d++) {
        struct messages m;

        if (!parts_are_along(p->all, d))
            continue;
        good = meet(p, good && messages_pack(p, parts_planes_at, d, &m));
        good = meet(p, good && messages_take(p, parts_planes_at, &m, LIFT_LANE_MAIN));
    }
    return good;
}

static bool exchange(struct part *p, bool good)
{
    double begin = lift_seconds();

    switch (p->all->way) {
    case PARTS_HOST:
    case PARTS_PEER:
        good = exchange_here(p, good);
        break;
    case PARTS_MESSAGE:
        good = good && messages_swap(p);
        break;
    case PARTS_NCCL:
        good = good && messages_swap_nccl(p, LIFT_LANE_MAIN, parts_planes_at) &&
               plan_wait(p->plan, &p->error);
    }
    p->exchange += lift_seconds() - begin;
    return good;
}

/* The exchange overlaps with the last launch. */
static bool launch_beside(struct part *p, int64_t launches)
{
    return overlap_settle(p) && plan_state_enqueue(&p->state, launches - 1) &&
           overlap_launch(p) &&
           (p->overlap->exchanges % PLAN_STEPS_AT_ONCE || overlap_wait(p));
}

/* Connects NCCL by a first exchange; its planes are already correct. */
static bool join(struct part *p)
{
    return p->all->way != PARTS_NCCL || p->nccl ||
           (messages_join(p) && messages_swap_nccl(p, LIFT_LANE_MAIN, parts_planes_at) &&
            plan_wait(p->plan, &p->error));
}

static void *run(void *user)
{
    struct part *p = user;
    const int64_t every = p->all->every / (p->all->at_once / p->all->base);
    bool good;

    pthread_mutex_lock(&p->all->mutex);
    good = !p->all->off;
    pthread_mutex_unlock(&p->all->mutex);
    good = good && join(p);
    for (int64_t done = 0; good && done < p->launches;) {
        int64_t left = p->launches - done;
        int64_t some = p->all->count > 1 ? lift_min(left, every) : left;

        watch_step(p, done);
        good = p->overlap ? launch_beside(p, some)
                          : exchange(p, plan_state_launch(&p->state, some));
        done += some;
    }
    watch_end(p, good && (!p->overlap || overlap_wait(p)));
    return NULL;
}

static void set_out(struct part *p, int64_t launches)
{
    p->launches = launches;
    p->launched = 0;
    p->since = lift_seconds();
    if (p->all->way == PARTS_NCCL && !p->nccl)
        p->since += join_seconds;
    p->waits = p->done = false;
}

/* Starts all threads, with the mutex held: no thread begins before all are started. If a
 * thread cannot start, the others end without work, since no barrier could complete. */
static int start_all(struct parts *parts, int64_t launches)
{
    int started = 0;

    for (int i = 0; i < parts->own_count; i++)
        set_out(&parts->own[i], launches);
    while (started < parts->own_count && pthread_create(&parts->own[started].thread, NULL,
                                                        run, &parts->own[started]) == 0)
        started++;
    parts->off = started < parts->own_count;
    return started;
}

/* A single device works in the caller's thread, which also sends and receives messages.
 */
bool parts_launch(struct parts *parts, int64_t launches, struct lift_error *error)
{
    int started;

    if (parts->count == 1 || (parts->way == PARTS_MESSAGE && !parts->overlaps)) {
        set_out(parts->own, launches);
        run(parts->own);
        return !parts->failed || report(parts, error);
    }
    pthread_mutex_lock(&parts->mutex);
    started = start_all(parts, launches);
    pthread_mutex_unlock(&parts->mutex);
    if (!watch_all(parts, started, error))
        return false;
    if (parts->off)
        return lift_fail(error, LIFT_ERROR_RUN, "cannot start %d threads",
                         parts->own_count);
    return !parts->failed || report(parts, error);
}

/* A call of parts_launch with 0 launches connects NCCL. */
bool parts_load(struct parts *parts, void *const *arrays, int at_once,
                struct lift_error *error)
{
    for (int i = 0; i < parts->own_count; i++) {
        struct part *p = &parts->own[i];

        if (!load(p, plan_at(p->plan, at_once), arrays) ||
            (parts->options.own_only && !swap_all(p)))
            return report(parts, error);
    }
    parts->at_once = at_once;
    return parts->way != PARTS_NCCL || parts_launch(parts, 0, error);
}

/* Moves the state to another plan, through the host if the device cannot. */
static bool move(struct part *p, struct lift_plan *plan)
{
    struct plan_state to = {.plan = plan, .error = &p->error};
    struct lift_plan *from = p->state.plan;
    void *grids[EXPLORE_MAX_LEAVES] = {NULL};
    bool good = true;

    plan_want_graphs(plan, p->all->options.graphs);
    if (plan_state_take_over(&to, &p->state)) {
        p->state = to;
        return true;
    }
    if (p->all->count == 1)
        return false;
    for (int i = 0; good && i < from->input_count; i++) {
        grids[i] = malloc(from->in[i].bytes + 1);
        good = grids[i]
                   ? plan_get(from, &from->in[i], plan_state_buffer(&p->state, true, i),
                              grids[i], &p->error)
                   : lift_fail(&p->error, LIFT_ERROR_RUN, "out of memory");
    }
    plan_release_all(from);
    to = (struct plan_state){.plan = plan, .error = &p->error};
    good = good && plan_state_load(&to, grids);
    p->state = to;
    for (int i = 0; i < from->input_count; i++)
        free(grids[i]);
    return good;
}

bool parts_change(struct parts *parts, int at_once, struct lift_error *error)
{
    for (int i = 0; i < parts->own_count; i++)
        if (!move(&parts->own[i], plan_at(parts->own[i].plan, at_once)))
            return parts->count > 1 && report(parts, error);
    parts->at_once = at_once;
    return true;
}

double parts_exchange_seconds(const struct parts *parts)
{
    double most = 0;

    for (int i = 0; i < parts->count; i++)
        if (parts->part[i].exchange > most)
            most = parts->part[i].exchange;
    return most;
}
