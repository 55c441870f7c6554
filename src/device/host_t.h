/* The inside of the processor's runtime, shared by the files host*.c. */
#ifndef DEVICE_HOST_T_H
#define DEVICE_HOST_T_H

#include "device/compiler.h"
#include "device/device_t.h"
#include "device/module.h"
#include "device/pins.h"

/* A range of address space with accessible memory in its middle, from a page before
 * 'data' on. */
struct host_map {
    char *data;
    size_t room; /* largest size from 'data' on, in bytes, whole pages */
    void *map;   /* NULL: no map */
    size_t map_bytes;
};

enum { HOST_SPARES = 8, HOST_COMPILERS = 2 };

struct host_device {
    struct lift_device base;
    struct lift_device_info info;
    struct device_cpu cpu;
    int domains;                                      /* of memory */
    struct device_compiler compilers[HOST_COMPILERS]; /* the first is the default */
    int compiler_count;
    struct lift_str driver, versions; /* of the compilers */
    double seconds;                   /* spent in kernels since the last finish */
    struct device_pins pins;
    bool kmp; /* the last launch used clang's OpenMP library */
    /* Large maps of released buffers, kept because the first access to new memory costs
     * more than a launch. */
    struct host_map spares[HOST_SPARES];
};

/* The function '<name>_call' of a kernel in a shared object. */
typedef void host_kernel(void *const *args);

struct host_entry {
    char *name; /* of the kernel, owned */
    host_kernel *kernel;
};

struct lift_binary {
    struct device_module module;
    bool kmp;                   /* uses clang's OpenMP library */
    struct lift_str bytes;      /* of the shared object */
    struct host_entry *entries; /* kernels that were launched, so their threads exist */
    int entry_count, entry_cap;
};

/* The data have a guard band on each side, and an inaccessible page outside each band. */
struct lift_buffer {
    char *data;
    size_t bytes;
    size_t front, back;   /* bytes of the bands */
    struct host_map held; /* without a map: the caller owns the memory */
};

struct host_device *host_of(struct lift_device *device);
/* Returns false with an error for a target architecture. */
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
/* Ends the binding of the thread that launched kernels: work on buffers uses all cores.
 */
void host_idle(struct lift_device *device);
bool host_launch(struct lift_device *device, struct lift_binary *binary,
                 const struct lift_call *call, struct lift_error *error);
bool host_finish(struct lift_device *device, double *seconds, struct lift_error *error);

#endif
