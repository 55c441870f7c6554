/* How fast a device's clock runs while it is measured, and whether something holds it
 * back: of NVIDIA devices NVML is asked (libnvidia-ml.so.1, when it is there), of the
 * processor /sys and /proc. Everything may be unknown: that is no error. Nothing is ever
 * set. */
#ifndef DEVICE_CLOCKS_H
#define DEVICE_CLOCKS_H

#include "device/device.h"

struct lift_clocks;

struct lift_clock_state {
    double mhz;        /* of the multiprocessors, or the mean of some cores; 0: unknown */
    double celsius;    /* 0: unknown */
    double watts;      /* drawn; 0: unknown */
    double round_trip; /* seconds that a cache line takes from one core to another and
                        * back: see base/states.h; 0: unknown */
    int throttled; /* 1: held back by power or heat, or by a quota of processor time, at
                    * some moment since the last reading; 0: not; -1: unknown */
};

/* Never NULL: of a device of which nothing can be known all readings say so. To be called
 * by the process that drives the device. Released by lift_clocks_close (NULL is legal).
 */
struct lift_clocks *lift_clocks_open(const struct lift_device_info *info);
void lift_clocks_close(struct lift_clocks *clocks);

/* Takes microseconds, of a processor with several cores up to some milliseconds: its
 * round trip is measured, if that was not done within the last millisecond, between the
 * first two that this process may use. The clock of processors, which may take longer to
 * find out, is at most a tenth of a second old. */
void lift_clocks_read(struct lift_clocks *clocks, struct lift_clock_state *state);

/* Appends the settings before the measurement as one JSON object: governor and highest
 * clock of a processor; power limit, highest clock, clock that was asked for and
 * persistence of a GPU. "{}" if nothing is known. */
void lift_clocks_settings(struct lift_clocks *clocks, struct lift_str *json);

#endif
