/* Some planes of an array on a device: elements whose outermost index is in a range, and
 * the second one, that of a row of a plane, in another. */
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

/* Elements of an array in a dimension; 1: it has fewer dimensions. */
int64_t planes_length(const struct plan_array *array, int dim);
/* All of an array; and some in a dimension, with all there is of the other one. */
struct planes planes_all(struct lift_plan *plan, const struct plan_array *array,
                         const struct plan_buffer *buffer);
struct planes planes_some(struct planes all, int dim, int64_t first, int64_t count);
bool planes_any(const struct planes *planes);
/* Bytes of them, of a plane, and of a row, without gaps. */
size_t planes_sum(const struct planes *planes);
size_t planes_bytes(const struct plan_array *array);
size_t planes_row(const struct plan_array *array);
/* Bytes from one plane to the next one where the array is. */
size_t planes_apart(const struct plan_array *array);
/* The memory of whole planes on the device; '*bytes' includes the gaps between rows. */
void *planes_place(const struct planes *planes, size_t *bytes);
/* To and from memory without gaps, which waits for the device. A device whose memory this
 * process cannot touch copies some planes after the others through a buffer of the plan,
 * which is made when it is needed, and kept. */
bool planes_get(const struct planes *from, void *to, struct lift_error *error);
bool planes_put(const struct planes *to, const void *from, struct lift_error *error);
void planes_end(struct lift_plan *plan);
/* The same of a buffer of the device, without gaps. */
bool planes_copy(const struct planes *planes, struct lift_buffer *flat, bool in,
                 struct lift_error *error);

/* Whether the planes of two devices lie alike, and can go from one to the other without
 * this process: whole planes, or rows of them, where each has as many planes. */
bool planes_are_near(const struct planes *to, const struct planes *from);
/* Such planes, as many on either side. In the main lane of the device they go to, the
 * call waits for them, and neither device works meanwhile; in the side lane it does not
 * wait. */
bool planes_pull(const struct planes *to, const struct planes *from, enum lift_lane lane,
                 struct lift_error *error);

#endif
