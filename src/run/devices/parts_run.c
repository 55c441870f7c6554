/* Parts at work: one thread for each. */
#include "lift/memory.h"
#include "lift/seconds.h"
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

static bool report(struct parts *parts, struct lift_plan_error *error)
{
    for (int i = 0; i < parts->own_count; i++) {
        const struct part *p = &parts->own[i];

        if (p->error.text[0])
            return plan_fail(error, p->error.fault, "on '%s': %s", p->device,
                             p->error.text);
    }
    return plan_fail(error, LIFT_PLAN_RUN, "a device failed");
}

/* ---- planes of the grid */

static bool is_cut(const struct part *p, const struct plan_array *a, bool input)
{
    return !input || p->all->cut.cut[a->shape.owner];
}

/* Ghost planes are zeros. */
static void *own_of(const struct part *p, const struct plan_array *a, const void *held,
                    void **own, bool *good)
{
    size_t plane = planes_bytes(a);

    *own = calloc(1, a->bytes);
    *good &= *own != NULL;
    if (*own)
        memcpy((char *)*own + (size_t)(p->first - p->begin) * plane, held,
               (size_t)p->planes * plane);
    return *own;
}

/* What the part has of an array of the grid: the array itself, or a copy in '*own'. */
static void *part_of(const struct part *p, const struct plan_array *a, void *grid,
                     void **own, bool *good)
{
    const struct parts *parts = p->all;
    size_t plane = planes_bytes(a);

    if (!is_cut(p, a, true))
        return grid;
    if (parts->held_count < parts->planes)
        return own_of(p, a, grid, own, good);
    if (p->begin >= 0 && p->begin + p->length <= parts->planes)
        return (char *)grid + (size_t)p->begin * plane;
    *own = malloc(a->bytes);
    *good &= *own != NULL;
    for (int64_t i = 0; *own && i < p->length; i++) {
        int64_t from = (p->begin + i + parts->planes) % parts->planes;

        memcpy((char *)*own + (size_t)i * plane, (char *)grid + (size_t)from * plane,
               plane);
    }
    return *own;
}

static bool load(struct part *p, void *const *grids)
{
    void *arrays[EXPLORE_MAX_LEAVES], *own[EXPLORE_MAX_LEAVES] = {NULL};
    bool good = true;

    for (int i = 0; i < p->plan->input_count; i++)
        arrays[i] = part_of(p, &p->plan->in[i], grids[i], &own[i], &good);
    p->state = (struct plan_state){.plan = p->plan, .error = &p->error};
    plan_want_graphs(p->plan, p->all->graphs);
    good = (good || plan_fail(&p->error, LIFT_PLAN_RUN, "out of memory")) &&
           plan_state_load(&p->state, arrays);
    for (int i = 0; i < p->plan->input_count; i++)
        free(own[i]);
    return good;
}

/* All ghost planes of all inputs, those that do not change, too. */
static bool swap_all(struct part *p)
{
    struct parts *parts = p->all;
    int64_t width[PARTS_SIDES][LIFT_MAX_ARGS];
    bool good;

    memcpy(width, parts->width, sizeof width);
    for (int i = 0; i < p->plan->input_count; i++) {
        int owner = p->plan->in[i].shape.owner;
        bool cut = parts->cut.cut[owner];

        parts->width[PARTS_BEFORE][owner] = cut ? parts->every * parts->cut.before : 0;
        parts->width[PARTS_AFTER][owner] = cut ? parts->every * parts->cut.after : 0;
    }
    good = messages_swap(p);
    memcpy(parts->width, width, sizeof width);
    return good;
}

static bool load_all(struct parts *parts, void *const *arrays,
                     struct lift_plan_error *error)
{
    for (int i = 0; i < parts->own_count; i++)
        if (!load(&parts->own[i], arrays) ||
            (parts->held_count < parts->planes && !swap_all(&parts->own[i])))
            return report(parts, error);
    return true;
}

static bool fetch(struct part *p, int index, bool input, void *grid)
{
    const struct plan_array *a = input ? &p->plan->in[index] : &p->plan->out[index];
    const struct plan_buffer *buffer = input ? &p->state.in[index] : &p->state.out[index];
    size_t plane = planes_bytes(a);
    int64_t some = plane < most_bytes ? (int64_t)(most_bytes / plane) : 1;

    if (!is_cut(p, a, input))
        return plan_get(p->plan, a, buffer, grid, &p->error);
    for (int64_t i = 0; i < p->planes; i += some) {
        const struct planes from = {p->plan, a, buffer, p->first - p->begin + i,
                                    i + some < p->planes ? some : p->planes - i};

        if (!planes_get(&from, &p->between,
                        (char *)grid +
                            (size_t)(p->first - p->all->held_first + i) * plane,
                        &p->error))
            return false;
    }
    return true;
}

bool parts_fetch(struct parts *parts, int index, bool input, void *array,
                 struct lift_plan_error *error)
{
    for (int i = 0; i < parts->own_count; i++)
        if (!fetch(&parts->own[i], index, input, array))
            return report(parts, error);
    return true;
}

/* ---- exchanges */

struct planes parts_planes_at(const struct part *p, int input, int side, bool ghosts)
{
    const struct plan_array *a = &p->plan->in[input];
    int64_t first = p->first - p->begin, end = first + p->planes;
    int64_t count = p->all->width[ghosts ? side : 1 - side][a->shape.owner];
    int64_t at = side == PARTS_BEFORE ? first : end;

    if ((side == PARTS_BEFORE) == ghosts)
        at -= count;
    return (struct planes){p->plan, a, &p->state.in[input], at, count};
}

static bool keep_edge(struct part *p, int input, int side)
{
    struct planes from = parts_planes_at(p, input, side, false);
    void **edge = &p->edge[side][input];

    if (!*edge && from.count)
        *edge = malloc((size_t)from.count * planes_bytes(from.array));
    if (!*edge && from.count)
        return plan_fail(&p->error, LIFT_PLAN_RUN, "out of memory");
    return planes_get(&from, &p->between, *edge, &p->error);
}

static bool keep_edges(struct part *p)
{
    for (int side = 0; side < PARTS_SIDES; side++)
        for (int i = 0; p->beside[side] >= 0 && i < p->plan->input_count; i++)
            if (!keep_edge(p, i, side))
                return false;
    return true;
}

static bool fetch_ghosts(struct part *p)
{
    for (int side = 0; side < PARTS_SIDES; side++)
        for (int i = 0; p->beside[side] >= 0 && i < p->plan->input_count; i++) {
            struct part *other = &p->all->part[p->beside[side]];
            struct planes to = parts_planes_at(p, i, side, true);
            struct planes from = parts_planes_at(other, i, 1 - side, false);

            if (!(p->all->way == PARTS_PEER
                      ? planes_pull(&to, &from, &p->error)
                      : planes_put(&to, &p->between, other->edge[1 - side][i],
                                   &p->error)))
                return false;
        }
    return true;
}

/* Edges may be overwritten, and planes be computed, when all have fetched theirs. */
static bool exchange(struct part *p, bool good)
{
    double begin = lift_seconds();

    switch (p->all->way) {
    case PARTS_HOST:
        good = meet(p, good && keep_edges(p));
        good = meet(p, good && fetch_ghosts(p));
        break;
    case PARTS_PEER:
        good = meet(p, good);
        good = meet(p, good && fetch_ghosts(p));
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
        int64_t some = left < p->all->every ? left : p->all->every;

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

/* Messages are sent and received by one thread, the caller's. */
static bool launch_here(struct part *p, int64_t launches, struct lift_plan_error *error)
{
    set_out(p, launches);
    run(p);
    return !p->all->failed || report(p->all, error);
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

bool parts_launch(struct parts *parts, int64_t launches, struct lift_plan_error *error)
{
    int started;

    if (parts->way == PARTS_MESSAGE && !parts->overlaps)
        return launch_here(parts->own, launches, error);
    pthread_mutex_lock(&parts->mutex);
    started = start_all(parts, launches);
    pthread_mutex_unlock(&parts->mutex);
    if (!watch_all(parts, started, error))
        return false;
    if (parts->off)
        return plan_fail(error, LIFT_PLAN_RUN, "cannot start %d threads",
                         parts->own_count);
    return !parts->failed || report(parts, error);
}

/* Without a launch, devices find one another. */
bool parts_load(struct parts *parts, void *const *arrays, struct lift_plan_error *error)
{
    return load_all(parts, arrays, error) &&
           (parts->way != PARTS_NCCL || parts_launch(parts, 0, error));
}

struct lift_plan *parts_main_plan(const struct part *p)
{
    return p->overlap && p->all->every == 1 ? p->overlap->window[OVERLAP_INNER].plan
                                            : p->plan;
}

double parts_exchange_seconds(const struct parts *parts)
{
    double most = 0;

    for (int i = 0; i < parts->count; i++)
        if (parts->part[i].exchange > most)
            most = parts->part[i].exchange;
    return most;
}
