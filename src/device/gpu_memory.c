#include "device/gpu_device.h"
#include "lift/bug.h"
#include <stdlib.h>

struct lift_buffer *gpu_alloc(struct lift_device *device, size_t bytes,
                              struct lift_failure *failure)
{
    struct gpu_device *g = gpu_of(device);
    size_t size = bytes ? bytes : 1;
    struct lift_buffer *buffer;
    gpu_pointer pointer;

    if (!gpu_enter(g, failure) || !gpu_check(g, failure, LIFT_FAIL_RESOURCE, "MemAlloc",
                                             g->driver.alloc(&pointer, size)))
        return NULL;
    buffer = calloc(1, sizeof *buffer);
    LIFT_ASSERT(buffer);
    *buffer = (struct lift_buffer){pointer, bytes};
    if (gpu_check(g, failure, LIFT_FAIL_RESOURCE, "MemsetD8",
                  g->driver.fill(pointer, 0, size)))
        return buffer;
    gpu_release(device, buffer);
    return NULL;
}

void gpu_release(struct lift_device *device, struct lift_buffer *buffer)
{
    if (!buffer)
        return;
    gpu_of(device)->driver.free(buffer->pointer);
    free(buffer);
}

bool gpu_write(struct lift_device *device, struct lift_buffer *buffer, const void *data,
               size_t bytes, struct lift_failure *failure)
{
    struct gpu_device *g = gpu_of(device);

    LIFT_ASSERT(bytes <= buffer->bytes);
    return bytes == 0 || gpu_check(g, failure, LIFT_FAIL_RUN, "MemcpyHtoD",
                                   g->driver.write(buffer->pointer, data, bytes));
}

bool gpu_read(struct lift_device *device, struct lift_buffer *buffer, void *data,
              size_t bytes, struct lift_failure *failure)
{
    struct gpu_device *g = gpu_of(device);

    LIFT_ASSERT(bytes <= buffer->bytes);
    return bytes == 0 || gpu_check(g, failure, LIFT_FAIL_RUN, "MemcpyDtoH",
                                   g->driver.read(data, buffer->pointer, bytes));
}
