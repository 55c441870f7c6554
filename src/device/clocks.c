#include "base/memory.h"
#include "device/clocks_t.h"
#include <stdlib.h>

static const struct clock_source *const sources[] = {&clock_source_nvml,
                                                     &clock_source_host};
enum { SOURCES = sizeof sources / sizeof *sources };

struct lift_clocks {
    const struct clock_source *source; /* NULL: no source knows the device */
    void *state;
    struct lift_load *load; /* NULL: no counters */
};

struct lift_clocks *lift_clocks_open(const struct lift_device_info *info)
{
    struct lift_clocks *clocks = lift_alloc(1, sizeof *clocks);

    for (int i = 0; i < SOURCES && !clocks->source; i++) {
        clocks->state = sources[i]->open(info);
        if (clocks->state)
            clocks->source = sources[i];
    }
    if (info->is_cpu)
        clocks->load = lift_load_open("");
    else if (clocks->source && clocks->source->others)
        clocks->load = lift_load_open_device(clocks->source->others, clocks->state);
    return clocks;
}

void lift_clocks_close(struct lift_clocks *clocks)
{
    if (clocks)
        lift_load_close(clocks->load);
    if (clocks && clocks->source)
        clocks->source->close(clocks->state);
    free(clocks);
}

struct lift_load *lift_clocks_load(const struct lift_clocks *clocks)
{
    return clocks->load;
}

void lift_clocks_read(struct lift_clocks *clocks, struct lift_clock_state *state)
{
    *state = (struct lift_clock_state){.throttled = -1};
    if (clocks->source)
        clocks->source->read(clocks->state, state);
}

void lift_clocks_settings(struct lift_clocks *clocks, struct lift_str *json)
{
    size_t at = json->len;

    if (clocks->source)
        clocks->source->settings(clocks->state, json);
    if (json->len > at)
        json->data[at] = '{'; /* replaces the first comma */
    else
        lift_str_add(json, "{");
    lift_str_add(json, "}");
}
