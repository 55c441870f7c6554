/* Shared between the files of the OpenCL runtime. */
#ifndef DEVICE_OPENCL_OPENCL_H
#define DEVICE_OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include "device/device.h"
#include <CL/cl.h>

/* Returns the symbol of an OpenCL error code; "unknown error" if there is none. */
const char *opencl_error_name(cl_int code);

/* Checks the result of a driver call. Returns true on success; otherwise fills 'error'
 * with the call and the code. The error is 'kind', unless the code is more specific. */
bool opencl_check(struct lift_error *error, enum lift_error_code kind, const char *call,
                  cl_int code);

/* Returns device 'index' of the devices of all platforms, in the drivers' order; NULL if
 * there are fewer. 'count' gets the number of devices; 'why' (may be NULL) gets the
 * reason if there are none. */
cl_device_id opencl_find(int index, int *count, struct lift_str *why);

/* The facts about a device, with the strings that 'info' points to. */
struct opencl_facts {
    struct lift_device_info info;
    struct lift_str name, vendor, driver, arch, compiler;
    bool nvidia; /* the compiler accepts -cl-nv-... */
};

void opencl_facts_probe(cl_device_id device, struct opencl_facts *facts);
void opencl_facts_fini(struct opencl_facts *facts);

struct opencl_device {
    struct lift_device base;
    struct opencl_facts facts;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    bool adopted;     /* the queue is the caller's */
    cl_event *events; /* of the launches since the last finish */
    int event_count, event_cap;
};

struct opencl_device *opencl(struct lift_device *device);

/* A sub-buffer in the middle of a larger OpenCL buffer, with a guard band on each side. A
 * borrowed buffer has no bands: both members are equal. */
struct lift_buffer {
    cl_mem whole, mem;
    size_t bytes, band; /* band: of one side */
};

/* opencl_memory.c: the runtime's calls on buffers. */
struct lift_buffer *opencl_alloc(struct lift_device *device, size_t bytes,
                                 struct lift_error *error);
struct lift_buffer *opencl_borrow(struct lift_device *device, void *memory, size_t bytes,
                                  struct lift_error *error);
void opencl_release(struct lift_device *device, struct lift_buffer *buffer);
bool opencl_write(struct lift_device *device, struct lift_buffer *buffer,
                  const void *data, size_t bytes, struct lift_error *error);
bool opencl_read(struct lift_device *device, struct lift_buffer *buffer, void *data,
                 size_t bytes, struct lift_error *error);
bool opencl_guards(struct lift_device *device, struct lift_buffer *buffer, int64_t *at,
                   struct lift_error *error);
bool opencl_digest(struct lift_device *device, struct lift_buffer *buffer, uint64_t *out,
                   struct lift_error *error);

#endif
