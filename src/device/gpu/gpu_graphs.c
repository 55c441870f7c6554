/* Records launches once, and repeats them as a graph. */
#include "base/bug.h"
#include "base/memory.h"
#include "device/device_t.h"
#include "device/gpu/gpu_device.h"
#include <stdlib.h>

enum { OWN_THREAD = 1 }; /* capture mode: calls of other threads are not restricted */

struct lift_graph {
    gpu_graph executable;
};

static bool has_graphs(const struct gpu_driver *d)
{
    return d->capture_begin && d->capture_end && d->graph_instantiate &&
           d->graph_launch && d->graph_destroy && d->executable_destroy;
}

/* Records on a separate stream, since the default stream cannot record. The start event
 * of the timing is set before the recording begins. */
bool gpu_record(struct lift_device *device, struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);

    if (!has_graphs(&g->driver))
        return lift_fail(error, LIFT_ERROR_DEVICE,
                         "%s has no graphs: a newer one is needed", g->kind->driver.what);
    if (!gpu_enter(g, error) || !gpu_make_stream(g, &g->recorder, false, error) ||
        !gpu_begin_timing(g, error) ||
        !gpu_check(g, error, LIFT_ERROR_RUN, "StreamBeginCapture",
                   g->driver.capture_begin(g->recorder, OWN_THREAD)))
        return false;
    g->kept = g->stream;
    g->stream = g->recorder;
    return true;
}

struct lift_graph *gpu_recorded(struct lift_device *device, struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);
    gpu_graph graph = NULL, executable = NULL;
    struct lift_graph *result;
    bool good;

    LIFT_ASSERT(g->recorder && g->stream == g->recorder);
    g->stream = g->kept;
    good = gpu_check(g, error, LIFT_ERROR_RUN, "StreamEndCapture",
                     g->driver.capture_end(g->recorder, &graph)) &&
           gpu_check(g, error, LIFT_ERROR_RUN, "GraphInstantiate",
                     g->driver.graph_instantiate(&executable, graph, 0));
    if (graph)
        g->driver.graph_destroy(graph);
    if (!good)
        return NULL;
    result = lift_alloc(1, sizeof *result);
    result->executable = executable;
    return result;
}

bool gpu_replay(struct lift_device *device, const struct lift_graph *graph,
                struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);

    return gpu_enter(g, error) && gpu_begin_timing(g, error) &&
           gpu_check(g, error, LIFT_ERROR_LAUNCH, "GraphLaunch",
                     g->driver.graph_launch(graph->executable, g->stream));
}

void gpu_drop_graph(struct lift_device *device, struct lift_graph *graph)
{
    if (!graph)
        return;
    gpu_of(device)->driver.executable_destroy(graph->executable);
    free(graph);
}
