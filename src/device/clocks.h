/* Reads a device's clock during measurements, and the reasons for a reduced clock. NVIDIA
 * devices are read by NVML (libnvidia-ml.so.1, if present), processors by /sys and /proc.
 * Any value may be unknown without an error. These functions only read and never change
 * settings. */
#ifndef DEVICE_CLOCKS_H
#define DEVICE_CLOCKS_H

#include "device/device.h"
#include "device/load.h"

struct lift_clocks;

struct lift_clock_state {
    double mhz;        /* of the multiprocessors, or the mean of some cores; 0: unknown */
    double celsius;    /* 0: unknown */
    double watts;      /* power draw; 0: unknown */
    double round_trip; /* seconds of a cache line from one core to another and back (see
                        * base/states.h); 0: unknown */
    int throttled; /* 1: power, heat or a quota of processor time reduced the clock since
                    * the last reading; 0: no; -1: unknown */
};

/* Never returns NULL: without a source for the device, all readings are unknown. The
 * process that drives the device calls this. The caller ends by lift_clocks_close (NULL
 * is legal).
 */
struct lift_clocks *lift_clocks_open(const struct lift_device_info *info);
void lift_clocks_close(struct lift_clocks *clocks);

/* Takes microseconds on a GPU, and up to some milliseconds on a processor with several
 * cores. On processors, measures the round trip between the first two usable cores,
 * unless the last round trip is less than 1 ms old. The clock of processors is slow to
 * read, so its value may be 0.1 s old. */
void lift_clocks_read(struct lift_clocks *clocks, struct lift_clock_state *state);

/* The work of other processes on the device; NULL without counters. Owned by 'clocks'. */
struct lift_load *lift_clocks_load(const struct lift_clocks *clocks);

/* Appends the settings before the measurement as one JSON object. Processors have
 * governor and highest clock; GPUs have power limit, highest clock, requested clock and
 * persistence. Appends "{}" if no setting is known. */
void lift_clocks_settings(struct lift_clocks *clocks, struct lift_str *json);

#endif
