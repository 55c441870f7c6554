/* Whole grids on devices with separate memory: the device fills, lays out and compares
 * them, so they cross the bus once a session. */
#ifndef EXPLORE_TRIAL_DEVICE_GRIDS_H
#define EXPLORE_TRIAL_DEVICE_GRIDS_H

#include "device/device.h"
#include "device/device_ops.h"
#include "explore/buffer_layout.h"
#include "explore/input_data.h"

/* Fills the grid with NaN, and the halo as layout_write does. */
bool remote_poison(struct lift_device *device, struct lift_buffer *buffer,
                   const struct place *place, struct lift_error *error);
/* explore_fill, row-major. */
bool remote_fill(struct lift_device *device, struct lift_buffer *buffer,
                 const struct explore_leaf *leaf, const struct lift_random *random,
                 struct lift_error *error);
/* layout_write, of a grid that lies row-major in another buffer. */
bool remote_lay_out(struct lift_device *device, struct lift_buffer *buffer,
                    const struct place *place, struct lift_buffer *grid,
                    struct lift_error *error);

/* A grid and what it should be, row-major. */
struct remote_pair {
    struct lift_buffer *got, *want;
    const struct place *place; /* of 'got' */
    int64_t count;             /* elements of the grid */
};
/* explore_compare. False and a failure: OVERFLOW if the halo differs from the one that
 * remote_lay_out stored. */
bool remote_compare(struct lift_device *device, struct remote_pair pair, int64_t base,
                    struct explore_verdict *verdict, struct lift_error *error);

#endif
