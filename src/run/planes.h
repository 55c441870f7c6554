/* Some planes of an array on a device: elements whose plane index (outermost) and row
 * index (second) are in given ranges. */
#ifndef RUN_PLANES_H
#define RUN_PLANES_H

#include "run/plan.h"

enum { PLANES_DIMS = 2 };

struct planes {
    struct lift_plan *plan; /* of the device */
    const struct plan_array *array;
    const struct plan_buffer *buffer;
    int64_t first[PLANES_DIMS], count[PLANES_DIMS]; /* planes, and rows of each */
};

/* Returns the length of an array in a dimension; 1 for a dimension that it lacks. */
int64_t planes_length(const struct plan_array *array, int dim);
/* Select the whole array, and a range in one dimension. */
struct planes planes_all(struct lift_plan *plan, const struct plan_array *array,
                         const struct plan_buffer *buffer);
struct planes planes_some(struct planes all, int dim, int64_t first, int64_t count);
bool planes_any(const struct planes *planes);
/* Bytes without gaps: of selected planes, of a plane, and of a row. */
size_t planes_sum(const struct planes *planes);
size_t planes_bytes(const struct plan_array *array);
size_t planes_row(const struct plan_array *array);
/* Returns the bytes from one plane of the array to the next. */
size_t planes_apart(const struct plan_array *array);
/* Returns the memory of whole planes on the device; '*bytes' includes gaps between rows.
 */
void *planes_place(const struct planes *planes, size_t *bytes);
/* Copy to and from host memory without gaps, and wait for the device. If this process
 * cannot access the device's memory, some planes at a time pass through a buffer of the
 * plan. The plan allocates this buffer at first use and keeps the buffer. */
bool planes_get(const struct planes *from, void *to, struct lift_error *error);
bool planes_put(const struct planes *to, const void *from, struct lift_error *error);
void planes_end(struct lift_plan *plan);
/* Copies between the planes and a device buffer without gaps. */
bool planes_copy(const struct planes *planes, struct lift_buffer *flat, bool in,
                 struct lift_error *error);

/* Returns true if the planes of two devices have equal layouts and the devices can copy
 * without this process. Rows of planes also need equal numbers of planes. */
bool planes_are_near(const struct planes *to, const struct planes *from);
/* Copies between near planes of equal number. In the main lane of the receiving device,
 * the call waits, and both devices must be idle. In the side lane, the call does not
 * wait. */
bool planes_pull(const struct planes *to, const struct planes *from, enum lift_lane lane,
                 struct lift_error *error);

#endif
