/* Operations on whole buffers, executed by the device. The operations of each trial
 * (fill, lay out, compare, digest) then need no transfer over the bus, and run at the
 * speed of device memory. All runtimes have these operations; the kernels are written in
 * the device's dialect and compiled once.
 *
 * All calls wait until the device is done. A call that returns false fills 'error'. */
#ifndef DEVICE_DEVICE_OPS_H
#define DEVICE_DEVICE_OPS_H

#include "device/device.h"

/* Returns the device's operations, which the first call compiles and the device owns.
 * Returns NULL with an error on failure. */
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

/* Returns a box of 'count' contiguous elements from 'offset' on. */
struct lift_box lift_box_flat(int64_t offset, int64_t count);
struct lift_box lift_box_of(const struct lift_layout *layout);

/* 'element' points to one value of the grid's scalar type. */
bool lift_ops_fill(struct lift_ops *ops, const struct lift_grid *to, const void *element,
                   struct lift_error *error);
/* Fills a grid with random elements of one of two distributions, of both signs or
 * positive. The elements equal bit by bit those of explore_fill
 * (src/explore/input_data.h) on the host. Also returns false if the device has no
 * arithmetic of the scalar. */
struct lift_random {
    uint64_t seed;
    int64_t buffer; /* number of the buffer; each has other elements */
    bool second, positive;
};
bool lift_ops_random(struct lift_ops *ops, const struct lift_grid *to,
                     const struct lift_random *random, struct lift_error *error);
/* Copies between grids of equal scalar and equal number of elements, in row-major order.
 * The grids must not overlap. The boxes have equal lengths, or one box has one dimension.
 */
bool lift_ops_copy(struct lift_ops *ops, const struct lift_grid *to,
                   const struct lift_grid *from, struct lift_error *error);

/* The result of lift_ops_compare; positions count the elements of the grid, row-major. */
struct lift_ops_difference {
    double max_error;       /* of all finite elements */
    int64_t bad, first_bad; /* elements over the bound; first_bad -1: none */
    int64_t nonfinite;      /* bad elements that are not finite but should be */
};

/* Compares two grids, with the conditions of a copy. An element is good if its error is
 * at most 'bound', or if both values are equal infinities or both NaN. */
bool lift_ops_compare(struct lift_ops *ops, const struct lift_grid *got,
                      const struct lift_grid *want, double bound,
                      struct lift_ops_difference *out, struct lift_error *error);

/* Hashes a grid's bytes; equal grids of one device have equal hashes. */
bool lift_ops_digest(struct lift_ops *ops, const struct lift_grid *grid, uint64_t *out,
                     struct lift_error *error);

/* Compares a grid with one value bit by bit; different elements are bad. */
bool lift_ops_others(struct lift_ops *ops, const struct lift_grid *grid,
                     const void *element, struct lift_ops_difference *out,
                     struct lift_error *error);

/* Likewise for the gaps around and between the rows of a grid in a buffer of 'count'
 * elements. The rows must be in increasing order. */
bool lift_ops_gaps(struct lift_ops *ops, const struct lift_grid *grid, int64_t count,
                   const void *element, struct lift_ops_difference *out,
                   struct lift_error *error);

#endif
