/* Whole grids on devices with separate memory. The device fills, lays out and compares
 * grids, so each crosses the bus once in a session. */
#ifndef EXPLORE_TRIAL_DEVICE_GRIDS_H
#define EXPLORE_TRIAL_DEVICE_GRIDS_H

#include "device/device.h"
#include "device/device_ops.h"
#include "explore/buffer_layout.h"
#include "explore/input_data.h"

/* Fills the grid with NaN, and the halo like layout_write. */
bool remote_poison(struct lift_device *device, struct lift_buffer *buffer,
                   const struct place *place, struct lift_error *error);
/* Like explore_fill, row-major. */
bool remote_fill(struct lift_device *device, struct lift_buffer *buffer,
                 const struct explore_leaf *leaf, const struct lift_random *random,
                 struct lift_error *error);
/* Like layout_write, for a row-major grid in another buffer. */
bool remote_lay_out(struct lift_device *device, struct lift_buffer *buffer,
                    const struct place *place, struct lift_buffer *grid,
                    struct lift_error *error);

/* A grid and its reference result, row-major. */
struct remote_pair {
    struct lift_buffer *got, *want;
    const struct place *place; /* layout of 'got' */
    int64_t count;             /* elements of the grid */
};
/* Makes the reference result a copy of the grid. Then zeroes the grid to find the largest
 * value. */
bool remote_take(struct lift_device *device, struct remote_pair pair, double *magnitude,
                 struct lift_error *error);
/* Like explore_compare. Returns false and a failure: OVERFLOW if the halo differs from
 * remote_lay_out's. */
bool remote_compare(struct lift_device *device, struct remote_pair pair, int64_t base,
                    struct explore_verdict *verdict, struct lift_error *error);

#endif
