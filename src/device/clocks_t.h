/* Where clocks are read: one file a source. */
#ifndef DEVICE_CLOCKS_T_H
#define DEVICE_CLOCKS_T_H

#include "device/clocks.h"

struct clock_source {
    /* NULL if this source does not know the device. */
    void *(*open)(const struct lift_device_info *info);
    void (*close)(void *state);
    /* 'out' says that nothing is known. */
    void (*read)(void *state, struct lift_clock_state *out);
    /* Appends members of an object, each with a comma before it: ,"name":value */
    void (*settings)(void *state, struct lift_str *json);
};

extern const struct clock_source clock_source_nvml, clock_source_host;

/* The source of processors, reading below a folder in place of "/". */
void *clocks_host_open(const char *root);

/* The round trip of a cache line between two cores, in seconds; 0 if they are too busy.
 */
double clocks_round_trip(const int cores[2]);

#endif
