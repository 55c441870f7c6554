/* Parts at work: one thread for each. */
#include "base/number.h"
#include "base/seconds.h"
#include "run/devices/messages.h"
#include "run/devices/overlap.h"
#include "run/devices/watch.h"
#include <stdlib.h>
#include <string.h>

/* Of planes that are copied to the whole grid at once. */
static const size_t most_bytes = (size_t)64 << 20;

/* More than an exchange, until devices have found one another. */
static const double join_seconds = 60;

/* ---- threads */

/* Waits until all parts are here; false if one of them has failed, for all of them. */
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

static bool is_cut(const struct part *p, const struct plan_array *a, bool input)
{
    return parts_cuts(p->all, 0, &a->shape, input) ||
           parts_cuts(p->all, 1, &a->shape, input);
}

/* Where a part's array lies in the grid's, of which it may be all of a dimension. */
struct window {
    int64_t first[PARTS_DIMS], own[PARTS_DIMS]; /* counted in the part's array */
    int64_t begin[PARTS_DIMS], whole[PARTS_DIMS];
    size_t row; /* bytes */
};

static struct window window_of(const struct part *p, const struct plan_array *a,
                               bool input)
{
    struct window w = {.row = planes_row(a)};

    for (int d = 0; d < PARTS_DIMS; d++) {
        const struct part_along *at = &p->along[d];
        bool cut = parts_cuts(p->all, d, &a->shape, input);

        w.first[d] = cut ? at->first - at->begin : 0;
        w.own[d] = cut ? at->own : planes_length(a, d);
        w.begin[d] = cut ? at->begin : 0;
        w.whole[d] = cut ? p->all->length[d] : planes_length(a, d);
        if (cut && p->all->options.own_only) {
            w.begin[d] = -w.first[d];
            w.whole[d] = w.own[d];
        }
    }
    return w;
}

static size_t place_in_grid(const struct window *w, int64_t plane, int64_t row)
{
    int64_t z = (w->begin[0] + plane + w->whole[0]) % w->whole[0];
    int64_t y = (w->begin[1] + row + w->whole[1]) % w->whole[1];

    return (size_t)(z * w->whole[1] + y) * w->row;
}

/* Ghost planes and rows are zeros. */
static void *own_of(const struct window *w, const struct plan_array *a, const char *held,
                    void **own, bool *good)
{
    size_t row = w->row, part = (size_t)planes_length(a, 1) * row;
    char *at = calloc(1, a->bytes);

    *own = at;
    *good &= at != NULL;
    for (int64_t i = 0; at && i < w->own[0]; i++)
        memcpy(at + (size_t)(w->first[0] + i) * part + (size_t)w->first[1] * row,
               held + place_in_grid(w, w->first[0] + i, w->first[1]),
               (size_t)w->own[1] * row);
    return at;
}

/* Whether it is some planes of the grid as they lie there. */
static bool is_in_grid(const struct window *w, const struct plan_array *a)
{
    return w->begin[1] == 0 && w->whole[1] == planes_length(a, 1) && w->begin[0] >= 0 &&
           w->begin[0] + planes_length(a, 0) <= w->whole[0];
}

static void copy_rows(const struct window *w, const struct plan_array *a,
                      const char *grid, char *own)
{
    int64_t rows = planes_length(a, 1);

    for (int64_t i = 0; i < planes_length(a, 0); i++)
        for (int64_t k = 0; k < rows; k++)
            memcpy(own + (size_t)(i * rows + k) * w->row, grid + place_in_grid(w, i, k),
                   w->row);
}

/* What the part has of an array of the grid: the array itself, or a copy in '*own'. */
static void *part_of(const struct part *p, const struct plan_array *a, void *grid,
                     void **own, bool *good)
{
    struct window w = window_of(p, a, true);

    if (!is_cut(p, a, true))
        return grid;
    if (p->all->options.own_only)
        return own_of(&w, a, grid, own, good);
    if (is_in_grid(&w, a))
        return (char *)grid + place_in_grid(&w, 0, 0);
    *own = malloc(a->bytes);
    *good &= *own != NULL;
    if (*own)
        copy_rows(&w, a, grid, *own);
    return *own;
}

static bool load(struct part *p, struct lift_plan *plan, void *const *grids)
{
    void *arrays[EXPLORE_MAX_LEAVES], *own[EXPLORE_MAX_LEAVES] = {NULL};
    bool good = true;

    if (p->state.plan && p->state.plan != plan)
        plan_release_all(p->state.plan);
    for (int i = 0; i < plan->input_count; i++)
        arrays[i] = part_of(p, &plan->in[i], grids[i], &own[i], &good);
    p->state = (struct plan_state){.plan = plan, .error = &p->error};
    plan_want_graphs(plan, p->all->options.graphs);
    good = (good || lift_fail(&p->error, LIFT_ERROR_RUN, "out of memory")) &&
           plan_state_load(&p->state, arrays);
    for (int i = 0; i < plan->input_count; i++)
        free(own[i]);
    return good;
}

/* All ghost planes of all inputs, those that do not change, too. */
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

/* At once are planes that lie one behind the other in the grid. */
static bool fetch(struct part *p, int index, bool input, void *grid)
{
    struct lift_plan *plan = p->state.plan;
    const struct plan_array *a = input ? &plan->in[index] : &plan->out[index];
    const struct plan_buffer *buffer = plan_state_buffer(&p->state, input, index);
    struct window w = window_of(p, a, input);
    size_t plane = (size_t)w.own[1] * w.row;
    int64_t some = plane < most_bytes ? (int64_t)(most_bytes / plane) : 1;
    struct planes from = planes_all(plan, a, buffer);

    if (!is_cut(p, a, input))
        return plan_get(plan, a, buffer, grid, &p->error);
    some = w.own[1] < w.whole[1] ? 1 : some;
    from = planes_some(from, 1, w.first[1], w.own[1]);
    for (int64_t i = 0; i < w.own[0]; i += some) {
        from = planes_some(from, 0, w.first[0] + i,
                           i + some < w.own[0] ? some : w.own[0] - i);
        if (!planes_get(&from, &p->between,
                        (char *)grid + place_in_grid(&w, w.first[0] + i, w.first[1]),
                        &p->error))
            return false;
    }
    return true;
}

bool parts_fetch(struct parts *parts, int index, bool input, void *array,
                 struct lift_error *error)
{
    for (int i = 0; i < parts->own_count; i++)
        if (!fetch(&parts->own[i], index, input, array))
            return report(parts, error);
    return true;
}

/* ---- exchanges */

struct planes parts_planes_at(const struct part *p, int input, int end, bool ghosts)
{
    const struct plan_array *a = &p->plan->in[input];
    int dim = end / PARTS_SIDES;
    bool before = end % PARTS_SIDES == PARTS_BEFORE;
    const struct part_along *along = &p->along[dim];
    int64_t first = along->first - along->begin;
    int64_t count = p->all->width[ghosts ? end : parts_opposite(end)][a->shape.owner];
    int64_t at = before ? first : first + along->own;

    if (before == ghosts)
        at -= count;
    return planes_some(planes_all(p->plan, a, plan_state_buffer(&p->state, true, input)),
                       dim, at, count);
}

/* Planes may be overwritten when all parts have taken theirs, and rows be sent when all
 * have the ghost planes that these go through. */
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

/* The exchange goes on beside the last launch. */
static bool launch_beside(struct part *p, int64_t launches)
{
    return overlap_settle(p) && plan_state_enqueue(&p->state, launches - 1) &&
           overlap_launch(p) &&
           (p->overlap->exchanges % PLAN_STEPS_AT_ONCE || overlap_wait(p));
}

/* Connections are made by the first exchange: of planes that are there already. */
static bool join(struct part *p)
{
    return p->all->way != PARTS_NCCL || p->nccl ||
           (messages_join(p) && messages_swap_nccl(p, LIFT_LANE_MAIN, parts_planes_at) &&
            plan_wait(p->plan, &p->error));
}

static void *run(void *user)
{
    struct part *p = user;
    bool good;

    pthread_mutex_lock(&p->all->mutex);
    good = !p->all->off;
    pthread_mutex_unlock(&p->all->mutex);
    good = good && join(p);
    for (int64_t done = 0; good && done < p->launches;) {
        int64_t left = p->launches - done;
        int64_t some = p->all->count > 1 ? lift_min(left, p->all->every) : left;

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

/* With the mutex: parts never meet unless there are all of them, and none begins before
 * all are started. */
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

/* One device works in the caller's thread, and messages are sent and received by it. */
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

/* Without a launch, devices find one another. */
bool parts_load(struct parts *parts, void *const *arrays, bool single,
                struct lift_error *error)
{
    for (int i = 0; i < parts->own_count; i++) {
        struct part *p = &parts->own[i];

        if (!load(p, single ? p->plan->single : p->plan, arrays) ||
            (parts->options.own_only && !swap_all(p)))
            return report(parts, error);
    }
    parts->at_once = plan_launch_steps(parts->own->state.plan->chosen->problem);
    return parts->way != PARTS_NCCL || parts_launch(parts, 0, error);
}

double parts_exchange_seconds(const struct parts *parts)
{
    double most = 0;

    for (int i = 0; i < parts->count; i++)
        if (parts->part[i].exchange > most)
            most = parts->part[i].exchange;
    return most;
}
