/* Buffers, with a guard band on either side. */
#include "base/bug.h"
#include "base/memory.h"
#include "device/device_t.h"
#include "device/gpu/gpu_device.h"
#include "device/guard.h"
#include <stdlib.h>

static bool fill_band(struct gpu_device *g, gpu_pointer at, struct lift_error *error)
{
    unsigned char pattern[DEVICE_GUARD_BYTES];

    device_guard_fill(pattern, sizeof pattern);
    return gpu_check(g, error, LIFT_ERROR_RESOURCE, "MemcpyHtoD",
                     g->driver.write(at, pattern, sizeof pattern));
}

/* Waits for writes and fills in the default stream: the caller's stream may not
 * synchronise with it. */
static bool settle(struct gpu_device *g, struct lift_error *error)
{
    return !g->stream ||
           gpu_check(g, error, LIFT_ERROR_RUN, "CtxSynchronize", g->driver.synchronize());
}

/* The size of a band preserves the alignment of the allocation. */
struct lift_buffer *gpu_alloc(struct lift_device *device, size_t bytes,
                              struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);
    struct lift_buffer *b;
    gpu_pointer whole;

    if (!gpu_enter(g, error) ||
        !gpu_check(g, error, LIFT_ERROR_RESOURCE, "MemAlloc",
                   g->driver.alloc(&whole, bytes + 2 * DEVICE_GUARD_BYTES)))
        return NULL;
    b = lift_alloc(1, sizeof *b);
    *b = (struct lift_buffer){whole, whole + DEVICE_GUARD_BYTES, bytes};
    if (fill_band(g, whole, error) && fill_band(g, b->pointer + bytes, error) &&
        (bytes == 0 || gpu_check(g, error, LIFT_ERROR_RESOURCE, "MemsetD8",
                                 g->driver.fill(b->pointer, 0, bytes))) &&
        settle(g, error))
        return b;
    gpu_release(device, b);
    return NULL;
}

struct lift_buffer *gpu_borrow(struct lift_device *device, void *memory, size_t bytes,
                               struct lift_error *error)
{
    struct lift_buffer *b = lift_alloc(1, sizeof *b);

    (void)device, (void)error;
    *b = (struct lift_buffer){.pointer = (uintptr_t)memory, .bytes = bytes};
    return b;
}

struct lift_buffer *gpu_view(struct lift_device *device, struct lift_buffer *buffer,
                             size_t at, size_t bytes)
{
    struct lift_buffer *b = lift_alloc(1, sizeof *b);

    (void)device;
    LIFT_ASSERT(at + bytes <= buffer->bytes);
    *b = (struct lift_buffer){.pointer = buffer->pointer + at, .bytes = bytes};
    return b;
}

void *gpu_address(struct lift_device *device, struct lift_buffer *buffer)
{
    (void)device;
    return (void *)(uintptr_t)buffer->pointer;
}

void gpu_release(struct lift_device *device, struct lift_buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->whole)
        gpu_of(device)->driver.free(buffer->whole);
    free(buffer);
}

bool gpu_write(struct lift_device *device, struct lift_buffer *buffer, const void *data,
               size_t bytes, struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);

    LIFT_ASSERT(bytes <= buffer->bytes);
    return bytes == 0 || (gpu_enter(g, error) &&
                          gpu_check(g, error, LIFT_ERROR_RUN, "MemcpyHtoD",
                                    g->driver.write(buffer->pointer, data, bytes)) &&
                          settle(g, error));
}

bool gpu_read(struct lift_device *device, struct lift_buffer *buffer, void *data,
              size_t bytes, struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);

    LIFT_ASSERT(bytes <= buffer->bytes);
    return bytes == 0 || (gpu_enter(g, error) &&
                          gpu_check(g, error, LIFT_ERROR_RUN, "MemcpyDtoH",
                                    g->driver.read(data, buffer->pointer, bytes)));
}

/* 'changed' is the first byte of a band that was written to; -1: none. */
static bool read_band(struct gpu_device *g, gpu_pointer at, int64_t *changed,
                      struct lift_error *error)
{
    unsigned char band[DEVICE_GUARD_BYTES];

    if (!gpu_check(g, error, LIFT_ERROR_RUN, "MemcpyDtoH",
                   g->driver.read(band, at, sizeof band)))
        return false;
    *changed = device_guard_changed(band, sizeof band);
    return true;
}

bool gpu_guards(struct lift_device *device, struct lift_buffer *b, int64_t *at,
                struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);
    int64_t front, back;

    if (!read_band(g, b->whole, &front, error) ||
        !read_band(g, b->pointer + b->bytes, &back, error))
        return false;
    *at = device_guard_place(front, back, DEVICE_GUARD_BYTES, b->bytes);
    return true;
}

bool gpu_digest(struct lift_device *device, struct lift_buffer *buffer, uint64_t *out,
                struct lift_error *error)
{
    return device_digest_there(device, buffer, buffer->bytes, out, error);
}
