/* Sources of clock readings: one file a source. */
#ifndef DEVICE_CLOCKS_T_H
#define DEVICE_CLOCKS_T_H

#include "device/clocks.h"

struct clock_source {
    /* Returns NULL if this source does not know the device. */
    void *(*open)(const struct lift_device_info *info);
    void (*close)(void *state);
    /* The caller sets all of 'out' to unknown before. */
    void (*read)(void *state, struct lift_clock_state *out);
    /* The share of the device's time that processes outside this session used recently.
     * Returns false if it is unknown. NULL: always unknown. */
    bool (*others)(void *state, double *share);
    /* Appends members of an object, each with a comma before it: ,"name":value */
    void (*settings)(void *state, struct lift_str *json);
};

extern const struct clock_source clock_source_nvml, clock_source_host;

/* Opens the source of processors, with files below folder 'root' in place of "/". */
void *clocks_host_open(const char *root);

/* Returns the seconds of a cache line's round trip between two cores; 0 if the cores are
 * too busy. */
double clocks_round_trip(const int cores[2]);

#endif
