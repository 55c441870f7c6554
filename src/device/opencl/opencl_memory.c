/* Buffers of OpenCL devices, their guard bands and checksums. */
#include "base/bug.h"
#include "base/memory.h"
#include "device/device_t.h"
#include "device/guard.h"
#include "device/opencl/opencl.h"
#include <stdlib.h>
#include <string.h>

enum { SMALL = 1 << 20 };

void opencl_release(struct lift_device *device, struct lift_buffer *buffer)
{
    (void)device;
    if (!buffer)
        return;
    if (buffer->mem)
        clReleaseMemObject(buffer->mem);
    if (buffer->whole)
        clReleaseMemObject(buffer->whole);
    free(buffer);
}

/* ---- allocation */

static bool fill_band(struct opencl_device *o, const struct lift_buffer *b, size_t from,
                      struct lift_error *error)
{
    LIFT_FREED void *pattern = lift_resize(NULL, 1, b->band);

    device_guard_fill(pattern, b->band);
    return opencl_check(error, LIFT_ERROR_RESOURCE, "clEnqueueWriteBuffer",
                        clEnqueueWriteBuffer(o->queue, b->whole, CL_TRUE, from, b->band,
                                             pattern, 0, NULL, NULL));
}

/* Fills a new buffer: drivers may allocate memory at the first use only, and a lack of
 * memory should be detected now. */
static bool fill(struct opencl_device *o, const struct lift_buffer *b,
                 struct lift_error *error)
{
    const cl_uchar zero = 0;

    if (!fill_band(o, b, 0, error) || !fill_band(o, b, b->band + b->bytes, error))
        return false;
    return b->bytes == 0 ||
           (opencl_check(error, LIFT_ERROR_RESOURCE, "clEnqueueFillBuffer",
                         clEnqueueFillBuffer(o->queue, b->mem, &zero, sizeof zero, 0,
                                             b->bytes, 0, NULL, NULL)) &&
            opencl_check(error, LIFT_ERROR_RESOURCE, "clFinish", clFinish(o->queue)));
}

/* The size of a band preserves the alignment that the device requires. */
static size_t band_bytes(const struct opencl_device *o)
{
    cl_uint bits = 0;

    clGetDeviceInfo(o->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL);
    return bits / 8 > DEVICE_GUARD_BYTES ? bits / 8 : DEVICE_GUARD_BYTES;
}

/* Small buffers, as in checks at small sizes, are written in one piece with their guard
 * bands. After a partial write, oclgrind loses the state of the other bytes. */
static bool is_small(const struct lift_buffer *b)
{
    return b->bytes + 2 * b->band <= SMALL;
}

/* Returns 'data' (NULL: zeros) between guard bands, in malloc'd memory. */
static unsigned char *image_of(const struct lift_buffer *b, const void *data)
{
    unsigned char *image = lift_alloc(b->bytes + 2 * b->band, 1);

    device_guard_fill(image, b->band);
    device_guard_fill(image + b->band + b->bytes, b->band);
    if (data)
        memcpy(image + b->band, data, b->bytes);
    return image;
}

static cl_mem create_whole(struct opencl_device *o, const struct lift_buffer *b,
                           cl_int *code)
{
    size_t bytes = b->bytes + 2 * b->band;
    unsigned char *image;
    cl_mem mem;

    if (!is_small(b))
        return clCreateBuffer(o->context, CL_MEM_READ_WRITE, bytes, NULL, code);
    image = image_of(b, NULL);
    mem = clCreateBuffer(o->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                         image, code);
    free(image);
    return mem;
}

struct lift_buffer *opencl_alloc(struct lift_device *device, size_t bytes,
                                 struct lift_error *error)
{
    struct opencl_device *o = opencl(device);
    struct lift_buffer *b = lift_alloc(1, sizeof *b);
    cl_buffer_region middle;
    cl_int code;

    b->bytes = bytes;
    b->band = band_bytes(o);
    middle = (cl_buffer_region){b->band, bytes ? bytes : 1};
    b->whole = create_whole(o, b, &code);
    if (opencl_check(error, LIFT_ERROR_RESOURCE, "clCreateBuffer", code)) {
        b->mem = clCreateSubBuffer(b->whole, CL_MEM_READ_WRITE,
                                   CL_BUFFER_CREATE_TYPE_REGION, &middle, &code);
        if (opencl_check(error, LIFT_ERROR_RESOURCE, "clCreateSubBuffer", code) &&
            (is_small(b) || fill(o, b, error)))
            return b;
    }
    opencl_release(device, b);
    return NULL;
}

static bool check_borrowed(const struct opencl_device *o, cl_mem mem, size_t bytes,
                           struct lift_error *error)
{
    cl_context context = NULL;
    size_t size = 0;
    cl_int code = clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof context, &context, NULL);

    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (!opencl_check(error, LIFT_ERROR_RUN, "clGetMemObjectInfo", code))
        return false;
    if (context != o->context)
        return lift_fail(error, LIFT_ERROR_RUN,
                         "a buffer is of another context than the queue");
    return size >= bytes ||
           lift_fail(error, LIFT_ERROR_RUN, "a buffer has %zu bytes: %zu are expected",
                     size, bytes);
}

struct lift_buffer *opencl_borrow(struct lift_device *device, void *memory, size_t bytes,
                                  struct lift_error *error)
{
    struct lift_buffer *b;

    if (!check_borrowed(opencl(device), memory, bytes, error))
        return NULL;
    b = lift_alloc(1, sizeof *b);
    *b = (struct lift_buffer){.whole = memory, .mem = memory, .bytes = bytes};
    clRetainMemObject(b->whole);
    clRetainMemObject(b->mem);
    return b;
}

/* ---- content */

static bool write_small(struct opencl_device *o, const struct lift_buffer *b,
                        const void *data, struct lift_error *error)
{
    LIFT_FREED unsigned char *image = image_of(b, data);
    cl_int code = clEnqueueWriteBuffer(o->queue, b->whole, CL_TRUE, 0,
                                       b->bytes + 2 * b->band, image, 0, NULL, NULL);

    return opencl_check(error, LIFT_ERROR_RUN, "clEnqueueWriteBuffer", code);
}

bool opencl_write(struct lift_device *device, struct lift_buffer *buffer,
                  const void *data, size_t bytes, struct lift_error *error)
{
    LIFT_ASSERT(bytes <= buffer->bytes);
    if (bytes == 0)
        return true;
    if (is_small(buffer) && bytes == buffer->bytes)
        return write_small(opencl(device), buffer, data, error);
    return opencl_check(error, LIFT_ERROR_RUN, "clEnqueueWriteBuffer",
                        clEnqueueWriteBuffer(opencl(device)->queue, buffer->whole,
                                             CL_TRUE, buffer->band, bytes, data, 0, NULL,
                                             NULL));
}

bool opencl_read(struct lift_device *device, struct lift_buffer *buffer, void *data,
                 size_t bytes, struct lift_error *error)
{
    LIFT_ASSERT(bytes <= buffer->bytes);
    return bytes == 0 ||
           opencl_check(error, LIFT_ERROR_RUN, "clEnqueueReadBuffer",
                        clEnqueueReadBuffer(opencl(device)->queue, buffer->mem, CL_TRUE,
                                            0, bytes, data, 0, NULL, NULL));
}

static bool read_band(struct opencl_device *o, const struct lift_buffer *b, size_t from,
                      int64_t *changed, struct lift_error *error)
{
    LIFT_FREED void *band = lift_resize(NULL, 1, b->band);
    bool good = opencl_check(error, LIFT_ERROR_RUN, "clEnqueueReadBuffer",
                             clEnqueueReadBuffer(o->queue, b->whole, CL_TRUE, from,
                                                 b->band, band, 0, NULL, NULL));

    *changed = good ? device_guard_changed(band, b->band) : -1;
    return good;
}

bool opencl_guards(struct lift_device *device, struct lift_buffer *b, int64_t *at,
                   struct lift_error *error)
{
    struct opencl_device *o = opencl(device);
    int64_t front, back;

    if (!read_band(o, b, 0, &front, error) ||
        !read_band(o, b, b->band + b->bytes, &back, error))
        return false;
    *at = device_guard_place(front, back, b->band, b->bytes);
    return true;
}

/* ---- checksums */

/* Computes the digest on the host: a processor's buffer is in host memory. */
static bool digest_here(struct opencl_device *o, const struct lift_buffer *b,
                        uint64_t *out, struct lift_error *error)
{
    cl_int code;
    void *data = clEnqueueMapBuffer(o->queue, b->whole, CL_TRUE, CL_MAP_READ, b->band,
                                    b->bytes, 0, NULL, NULL, &code);

    if (!opencl_check(error, LIFT_ERROR_RUN, "clEnqueueMapBuffer", code))
        return false;
    *out = device_digest_here(data, b->bytes);
    return opencl_check(
               error, LIFT_ERROR_RUN, "clEnqueueUnmapMemObject",
               clEnqueueUnmapMemObject(o->queue, b->whole, data, 0, NULL, NULL)) &&
           opencl_check(error, LIFT_ERROR_RUN, "clFinish", clFinish(o->queue));
}

bool opencl_digest(struct lift_device *device, struct lift_buffer *buffer, uint64_t *out,
                   struct lift_error *error)
{
    struct opencl_device *o = opencl(device);

    *out = 0;
    return buffer->bytes == 0 ||
           (o->facts.info.is_cpu
                ? digest_here(o, buffer, out, error)
                : device_digest_there(device, buffer, buffer->bytes, out, error));
}
