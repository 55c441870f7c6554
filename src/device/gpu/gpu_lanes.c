/* Copies from device to device, in the order of the kernels or overlapped with them. */
#include "base/bug.h"
#include "base/memory.h"
#include "device/device_t.h"
#include "device/gpu/gpu_device.h"
#include <stdlib.h>

enum { NON_BLOCKING = 1 }; /* stream flag: no synchronisation with the default stream */

struct lift_mark {
    gpu_event event;
};

/* ---- lanes */

bool gpu_make_stream(struct gpu_device *g, void **stream, bool first,
                     struct lift_error *error)
{
    int least = 0, most = 0;

    return *stream || (gpu_check(g, error, LIFT_ERROR_RUN, "CtxGetStreamPriorityRange",
                                 g->driver.stream_range(&least, &most)) &&
                       gpu_check(g, error, LIFT_ERROR_RUN, "StreamCreateWithPriority",
                                 g->driver.stream_create(stream, NON_BLOCKING,
                                                         first ? most : least)));
}

static bool enter_lane(struct gpu_device *g, enum lift_lane lane, void **stream,
                       struct lift_error *error)
{
    if (!gpu_enter(g, error) ||
        (lane == LIFT_LANE_SIDE && !gpu_make_stream(g, &g->side, true, error)))
        return false;
    *stream = lane == LIFT_LANE_SIDE ? g->side : g->stream;
    return true;
}

bool gpu_stream(struct lift_device *device, enum lift_lane lane, void **stream,
                struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);

    return enter_lane(g, lane, stream, error) &&
           (lane == LIFT_LANE_SIDE || gpu_begin_timing(g, error));
}

/* ---- marks */

bool gpu_mark(struct lift_device *device, enum lift_lane lane, struct lift_mark **mark,
              struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);
    void *stream;

    if (!enter_lane(g, lane, &stream, error))
        return false;
    if (!*mark) {
        *mark = lift_alloc(1, sizeof **mark);
        if (!gpu_check(g, error, LIFT_ERROR_RUN, "EventCreate",
                       g->driver.event_create(&(*mark)->event, 0))) {
            free(*mark);
            *mark = NULL;
            return false;
        }
    }
    return gpu_check(g, error, LIFT_ERROR_RUN, "EventRecord",
                     g->driver.event_record((*mark)->event, stream));
}

bool gpu_await(struct lift_device *device, enum lift_lane lane,
               const struct lift_mark *mark, struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);
    void *stream;

    return enter_lane(g, lane, &stream, error) &&
           gpu_check(g, error, LIFT_ERROR_RUN, "StreamWaitEvent",
                     g->driver.stream_wait(stream, mark->event, 0));
}

bool gpu_between(struct lift_device *device, const struct lift_mark *from,
                 const struct lift_mark *to, double *seconds, struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);
    float ms = 0;

    if (!gpu_enter(g, error) ||
        !gpu_check(g, error, LIFT_ERROR_RUN, "EventElapsedTime",
                   g->driver.event_ms(&ms, from->event, to->event)))
        return false;
    *seconds = (double)ms * 1e-3;
    return true;
}

void gpu_drop_mark(struct lift_device *device, struct lift_mark *mark)
{
    if (!mark)
        return;
    gpu_of(device)->driver.event_destroy(mark->event);
    free(mark);
}

/* ---- copies */

/* Requests peer access. A failure is no error: the driver then copies through the host.
 */
static void come_near(struct gpu_device *g, gpu_context there)
{
    for (int i = 0; i < g->near_count; i++)
        if (g->near[i] == there)
            return;
    if (g->near_count < GPU_NEAR)
        g->near[g->near_count++] = there;
    if (g->driver.enable)
        g->driver.enable(there, 0);
}

static struct gpu_pieces_end end_of(const struct gpu_device *g, gpu_pointer at,
                                    size_t apart)
{
    static const int memory_of_device = 2;

    return (struct gpu_pieces_end){
        .kind = memory_of_device, .at = at, .context = g->context, .pitch = apart};
}

static bool enqueue_pieces(struct gpu_device *g, const struct gpu_device *o,
                           const struct lift_pull *p, void *stream,
                           struct lift_error *error)
{
    const struct gpu_pieces copy = {
        .from = end_of(o, p->from->pointer + p->from_at, p->from_apart),
        .to = end_of(g, p->to->pointer + p->to_at, p->to_apart),
        .bytes = p->bytes,
        .pieces = (size_t)p->pieces,
        .depth = 1};

    return gpu_check(g, error, LIFT_ERROR_RUN, "Memcpy3DPeerAsync",
                     g->driver.pull_pieces(&copy, stream));
}

static bool enqueue(struct gpu_device *g, struct gpu_device *o, const struct lift_pull *p,
                    struct lift_error *error)
{
    gpu_pointer to = p->to->pointer + p->to_at, from = p->from->pointer + p->from_at;
    void *stream;

    if (!enter_lane(g, p->lane, &stream, error))
        return false;
    if (p->pieces == 1 && g->context == o->context)
        return gpu_check(g, error, LIFT_ERROR_RUN, "MemcpyDtoDAsync",
                         g->driver.copy(to, from, p->bytes, stream));
    if (p->pieces > 1 ? !g->driver.pull_pieces : !g->driver.pull)
        return lift_fail(error, LIFT_ERROR_DEVICE,
                         "the driver does not copy from device to device");
    if (g->context != o->context)
        come_near(g, o->context);
    if (p->pieces > 1)
        return enqueue_pieces(g, o, p, stream, error);
    return gpu_check(g, error, LIFT_ERROR_RUN, "MemcpyPeerAsync",
                     g->driver.pull(to, g->context, from, o->context, p->bytes, stream));
}

bool gpu_pull(struct lift_device *device, struct lift_device *other,
              const struct lift_pull *p, struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);

    LIFT_ASSERT(device_pull_fits(p, p->to->bytes, p->from->bytes));
    return enqueue(g, gpu_of(other), p, error) &&
           (p->enqueued || gpu_check(g, error, LIFT_ERROR_RUN, "CtxSynchronize",
                                     g->driver.synchronize()));
}
