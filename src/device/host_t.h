/* What the files of the processor's runtime share. */
#ifndef DEVICE_HOST_T_H
#define DEVICE_HOST_T_H

#include "device/compiler.h"
#include "device/device_t.h"
#include "device/module.h"
#include "device/pins.h"

/* A piece of the address space of which the middle is memory, or was: from a page before
 * 'data' on. */
struct host_map {
    char *data;
    size_t room; /* bytes that there may be from 'data' on, whole pages */
    void *map;   /* NULL: there is none */
    size_t map_bytes;
};

enum { HOST_SPARES = 8, HOST_COMPILERS = 2 };

struct host_device {
    struct lift_device base;
    struct lift_device_info info;
    struct device_cpu cpu;
    struct device_compiler compilers[HOST_COMPILERS]; /* the first is the usual one */
    int compiler_count;
    struct lift_str driver, versions; /* of the compilers */
    double seconds;                   /* spent in kernels since the last finish */
    struct device_pins pins;
    bool kmp; /* the last launch was one of clang's library of OpenMP */
    /* Large pieces of released buffers, since memory that is touched for the first time
     * costs more than a launch. */
    struct host_map spares[HOST_SPARES];
};

/* What a kernel is in a shared object: '<name>_call'. */
typedef void host_kernel(void *const *args);

struct lift_binary {
    struct device_module module;
    bool kmp;              /* its threads are those of clang's library of OpenMP */
    struct lift_str bytes; /* of the shared object */
    /* Kernels that were launched: those that have threads have made them. */
    host_kernel **warm;
    int warm_count, warm_cap;
};

/* Around the data a band of a page, around that a page that cannot be touched. */
struct lift_buffer {
    char *data;
    size_t bytes;
    size_t front, back;   /* bytes of the bands */
    struct host_map held; /* none: the memory is somebody else's */
};

struct host_device *host_of(struct lift_device *device);
/* False and a failure for an architecture. */
bool host_is_here(const struct lift_device *device, struct lift_error *error);

/* host_memory.c */
void host_drop_spares(struct host_device *h);
struct lift_buffer *host_alloc(struct lift_device *device, size_t bytes,
                               struct lift_error *error);
void host_release(struct lift_device *device, struct lift_buffer *buffer);
struct lift_buffer *host_wrap(struct lift_device *device, void *data, size_t bytes);
struct lift_buffer *host_view(struct lift_device *device, struct lift_buffer *buffer,
                              size_t at, size_t bytes);
bool host_pull(struct lift_device *device, struct lift_device *other,
               const struct lift_pull *pull, struct lift_error *error);
void *host_memory(struct lift_device *device, struct lift_buffer *buffer);
bool host_guards(struct lift_device *device, struct lift_buffer *buffer, int64_t *at,
                 struct lift_error *error);
bool host_digest(struct lift_device *device, struct lift_buffer *buffer, uint64_t *out,
                 struct lift_error *error);
bool host_write(struct lift_device *device, struct lift_buffer *buffer, const void *data,
                size_t bytes, struct lift_error *error);
bool host_read(struct lift_device *device, struct lift_buffer *buffer, void *data,
               size_t bytes, struct lift_error *error);

/* host_launch.c */
void host_pin(struct lift_device *device);
bool host_launch(struct lift_device *device, struct lift_binary *binary,
                 const struct lift_call *call, struct lift_error *error);
bool host_finish(struct lift_device *device, double *seconds, struct lift_error *error);

#endif
