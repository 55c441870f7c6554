/* The work of other processes while a kernel is timed. For this machine's processor it
 * comes from the counters of the Linux kernel in /proc, for other devices from their
 * drivers. Counters that the machine lacks are unknown without an error. These functions
 * only read. */
#ifndef DEVICE_LOAD_H
#define DEVICE_LOAD_H

#include <stdbool.h>

struct lift_load;

/* Sums of the counters. */
struct lift_load_sum {
    int windows;         /* windows with a known waiting time */
    int disturbed;       /* windows for which lift_load_end returned true */
    double core_seconds; /* usable cores times seconds; 0: the next two are unknown */
    double others; /* core seconds of all processes but this one and its parent; may be
                      slightly negative, since the kernel counts whole ticks */
    double stolen; /* core seconds that the hypervisor gave to other machines */
};

/* 'root' is a folder with files in place of those of "/"; "": the machine's own. The
 * caller ends by lift_load_close. NULL is legal for all other functions and has no
 * counters. */
struct lift_load *lift_load_open(const char *root);
void lift_load_close(struct lift_load *load);
/* The counters of another device, which counts as one core. 'others' sets the share of
 * the device's time that other processes used recently, or returns false. It is called at
 * most once a second, since drivers answer slowly. */
struct lift_load *lift_load_open_device(bool (*others)(void *state, double *share),
                                        void *state);

/* A window is the time of one sample. 'end' returns true if a thread of this process was
 * ready to run, but waited for a core, for at least a tenth of the window. */
void lift_load_begin(struct lift_load *load);
bool lift_load_end(struct lift_load *load);
/* Ends the period that began with the first window; the next window begins another one.
 * 'core_seconds', 'others' and 'stolen' are those of periods. Call before processes of
 * this session resume their work. */
void lift_load_pause(struct lift_load *load);
/* Ends the period, and returns the sums since the last call. */
void lift_load_take(struct lift_load *load, struct lift_load_sum *sum);
/* Adds 'more' to 'sum'. */
void lift_load_add(struct lift_load_sum *sum, const struct lift_load_sum *more);

#endif
