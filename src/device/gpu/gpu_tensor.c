/* Maps of tensors for TMA copies. */
#include "base/bug.h"
#include "device/device_t.h"
#include "device/gpu/gpu_device.h"

/* Values of the driver's enumerations. */
enum { TYPE_F32 = 7, TYPE_F64 = 8, PLAIN = 0, LINES_OF_256_BYTES = 3 };

/* The driver lists the innermost dimension first. */
bool gpu_encode(struct gpu_device *g, const struct lift_tensor_arg *arg,
                struct gpu_map *out, struct lift_error *error)
{
    const struct lift_tensor *t = arg->tensor;
    const size_t bytes = (size_t)lift_scalar_bytes(arg->scalar);
    uint64_t lengths[LIFT_TENSOR_DIMS], strides[LIFT_TENSOR_DIMS];
    uint32_t box[LIFT_TENSOR_DIMS], steps[LIFT_TENSOR_DIMS];
    gpu_pointer at = arg->buffer->pointer + (gpu_pointer)t->offset * bytes;

    LIFT_ASSERT(t->dims >= 1 && t->dims <= LIFT_TENSOR_DIMS);
    if (!g->driver.encode)
        return lift_fail(error, LIFT_ERROR_LAUNCH,
                         "%s has no TMA copies: a newer one is needed",
                         g->kind->driver.what);
    for (int d = 0; d < t->dims; d++) {
        int from = t->dims - 1 - d;

        lengths[d] = (uint64_t)t->length[from];
        if (d > 0) /* the innermost stride is implicit */
            strides[d - 1] = (uint64_t)t->stride[from] * bytes;
        box[d] = (uint32_t)t->box[from];
        steps[d] = 1;
    }
    return gpu_check(g, error, LIFT_ERROR_LAUNCH, "TensorMapEncodeTiled",
                     g->driver.encode(out, arg->scalar == LIFT_F64 ? TYPE_F64 : TYPE_F32,
                                      (uint32_t)t->dims, (void *)(uintptr_t)at, lengths,
                                      strides, box, steps, PLAIN, PLAIN,
                                      LINES_OF_256_BYTES, PLAIN));
}
