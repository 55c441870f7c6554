/* Operations on whole buffers, executed by the device. The operations of each trial
 * (fill, lay out, compare, digest) then need no transfer over the bus, and run at the
 * speed of the device's memory. They work on every runtime; their kernels are written in
 * the device's dialect and compiled once.
 *
 * All calls wait until the device is done. Those that return false fill 'error'. */
#ifndef DEVICE_DEVICE_OPS_H
#define DEVICE_DEVICE_OPS_H

#include "device/device.h"

/* Compiled when first asked for; they belong to the device. NULL and a failure. */
struct lift_ops *lift_device_ops(struct lift_device *device, struct lift_error *error);

/* Elements of a buffer: element (i, j, ...) of the grid lies at offset + i * stride[0] +
 * j * stride[1] + ..., in elements. The last stride is 1. */
struct lift_box {
    int dims;
    int64_t length[LIFT_LAYOUT_DIMS], stride[LIFT_LAYOUT_DIMS];
    int64_t offset;
};

struct lift_grid {
    struct lift_buffer *buffer;
    enum lift_scalar scalar;
    struct lift_box box;
};

/* All elements from 'offset', one after the other. */
struct lift_box lift_box_flat(int64_t offset, int64_t count);
struct lift_box lift_box_of(const struct lift_layout *layout);

/* 'element' is as many bytes as the grid's scalar has. */
bool lift_ops_fill(struct lift_ops *ops, const struct lift_grid *to, const void *element,
                   struct lift_error *error);
/* Random elements, of one of two distributions, of numbers of both signs or positive
 * ones: bit by bit what explore_fill of src/explore/input_data.h makes on the host.
 * False, too, where the device has no arithmetic of that scalar. */
struct lift_random {
    uint64_t seed;
    int64_t buffer; /* another one, other elements */
    bool second, positive;
};
bool lift_ops_random(struct lift_ops *ops, const struct lift_grid *to,
                     const struct lift_random *random, struct lift_error *error);
/* Between grids of the same scalar and as many elements, in row-major order, of other
 * buffers or places that do not overlap. The boxes' lengths are the same, or one of them
 * has one dimension. */
bool lift_ops_copy(struct lift_ops *ops, const struct lift_grid *to,
                   const struct lift_grid *from, struct lift_error *error);

/* What lift_ops_compare finds; positions count the elements of the grid, row-major. */
struct lift_ops_difference {
    double max_error;       /* of all finite ones */
    int64_t bad, first_bad; /* beyond the bound; -1: none */
    int64_t nonfinite;      /* of the bad ones: no number where a number was wanted */
};

/* Of two grids as for copy. An element is good if it is off by at most 'bound', or both
 * are the same infinity or no number. */
bool lift_ops_compare(struct lift_ops *ops, const struct lift_grid *got,
                      const struct lift_grid *want, double bound,
                      struct lift_ops_difference *out, struct lift_error *error);

/* A hash of a grid's bytes, alike for alike grids of one device. */
bool lift_ops_digest(struct lift_ops *ops, const struct lift_grid *grid, uint64_t *out,
                     struct lift_error *error);

/* The elements that are not, bit by bit, 'element' are the bad ones. */
bool lift_ops_others(struct lift_ops *ops, const struct lift_grid *grid,
                     const void *element, struct lift_ops_difference *out,
                     struct lift_error *error);

/* The same for the gaps around and between the rows of a grid in a buffer of 'count'
 * elements. The rows must be in order. */
bool lift_ops_gaps(struct lift_ops *ops, const struct lift_grid *grid, int64_t count,
                   const void *element, struct lift_ops_difference *out,
                   struct lift_error *error);

#endif
