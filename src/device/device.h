/* Devices compile, run and time kernels. src/device has one file a runtime; each exports
 * one const struct lift_runtime, listed in src/device/registry.c. A runtime whose library
 * is absent is unavailable with a reason, without an error.
 *
 * One thread drives a device. Kernels may crash or hang: callers that run
 * candidates do so in a worker process (tuner/worker.h).
 *
 * The host compiles with gcc and clang, if present. If $LIFT_CC or $CC is set, the host
 * uses only this compiler. If OpenMP variables bind threads, the host uses one compiler.
 * The time limit of a compilation is $LIFT_CC_SECONDS (60). Host sources export for a
 * kernel 'k' void k_call(void *const *args) where args[i] is the data of a buffer,
 * aligned to 4096 bytes unless it was wrapped, or points to a float, double or int32_t.
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "base/hash.h"
#include "base/str.h"
#include "codegen/kernel.h"
#include "lift/devices.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lift_binary; /* a compiled module of one device */
struct lift_buffer; /* memory of one device */
struct lift_mark;   /* a place in the work of one device */
struct lift_graph;  /* launches that one device can repeat */
struct lift_ops;
struct lift_traits; /* device/traits.h */

/* The kinds of the host's compilers. The options of a build may begin with the word
 * "compiler=NAME"; by default the first found compiler builds. */
enum lift_compiler { LIFT_COMPILER_ANY, LIFT_GCC, LIFT_CLANG, LIFT_COMPILERS };

/* Returns the name of a kind: "gcc", "clang"; "cc" for any. */
const char *lift_compiler_name(enum lift_compiler compiler);
/* Returns the compiler at the beginning of a build's options; '*rest' gets the options
 * after it. */
enum lift_compiler lift_compiler_named(const char *options, const char **rest);

/* Resources of a compiled kernel, as reported by the runtime's tools; -1: unknown. */
struct lift_resources {
    int registers;   /* of a work-item, 32 bits each; on AMD devices: vector registers */
    int spill_bytes; /* of a work-item: registers kept in memory */
    int64_t local_bytes; /* of a group */
    int max_group_size;
    int stack_bytes; /* of a work-item: private memory, including spills */
};
#define LIFT_RESOURCES_UNKNOWN                                                           \
    {                                                                                    \
        -1, -1, -1, -1, -1                                                               \
    }

enum lift_arg_kind { LIFT_ARG_BUFFER, LIFT_ARG_F32, LIFT_ARG_F64, LIFT_ARG_I32 };

struct lift_arg {
    enum lift_arg_kind kind;
    struct lift_buffer *buffer;
    double f;
    int32_t i;
};

struct lift_tensor_arg {
    const struct lift_tensor *tensor;
    struct lift_buffer *buffer;
    enum lift_scalar scalar;
};

/* One launch of a kernel. The host ignores 'launch'; only CUDA uses the tensors. */
struct lift_call {
    const char *kernel;
    struct lift_launch launch;
    const struct lift_arg *args;
    int arg_count;
    const struct lift_tensor_arg *tensors;
    int tensor_count;
};

/* In-order queues of a device: kernels run in the main lane, and copies in the side lane
 * overlap with them. */
enum lift_lane { LIFT_LANE_MAIN, LIFT_LANE_SIDE };

/* A copy between buffers of two devices: one piece, or several pieces of 'bytes' bytes at
 * regular distances. Offsets are in bytes from the beginning of each buffer. */
struct lift_pull {
    struct lift_buffer *to;
    const struct lift_buffer *from;
    size_t to_at, from_at, bytes;
    int64_t pieces;
    size_t to_apart, from_apart; /* from the beginning of one piece to the next piece's */
    enum lift_lane lane;
    bool enqueued; /* the call does not wait for the copy */
};

/* The value of 'guards' if no byte of the guard bands has changed. */
#define LIFT_UNTOUCHED INT64_MIN

/* One runtime. All calls but 'count' and 'describe' work on an open device. Those that
 * return bool or a pointer fill 'error' when they return false or NULL. */
struct lift_runtime {
    const char *name; /* "host", "opencl": the part of a device's name before the colon */
    const char *doc;
    enum lift_dialect dialect; /* of its kernels */
    /* Traits of its devices, and of its devices that are processors; NULL: as 'traits'.
     */
    const struct lift_traits *traits, *processor_traits;
    /* As lift_device_unit; NULL: unknown. */
    void (*unit)(struct lift_device_info *info);
    bool builds_by_arch; /* the architecture of each of its devices is a target */
    /* Returns the number of devices; 0 with the reason in 'why' if there are none. Loads
     * the drivers, so a process must not call this before it forks workers. */
    int (*count)(struct lift_str *why);
    struct lift_device *(*open)(int index, struct lift_error *error);
    /* 'target' returns the name of an architecture for which kernels can be built without
     * a device; NULL after the last one. 'open_target' opens a target by name. A target
     * has the limits of its architecture; calls that need a device fail with UNAVAILABLE.
     * Both NULL: no targets. */
    const char *(*target)(int index);
    struct lift_device *(*open_target)(const char *arch, struct lift_error *error);
    /* Sends all later work to the caller's queue: a CUstream, a hipStream_t or an
     * in-order cl_command_queue. The caller adopts before any build or allocation.
     * Launches are no longer timed. NULL: no queues. */
    bool (*adopt)(struct lift_device *device, void *queue, struct lift_error *error);
    void (*close)(struct lift_device *device);
    const struct lift_device_info *(*info)(const struct lift_device *device);
    /* Compiles a module: 'options' are extra compiler flags, possibly "". 'log' (may be
     * NULL) receives warnings. */
    struct lift_binary *(*build)(struct lift_device *device, const char *source,
                                 const char *options, struct lift_str *log,
                                 struct lift_error *error);
    /* Appends the commands and files of compilers: the bytes of a module depend on them,
     * in addition to source, options and the device's info. NULL: no such dependence. */
    void (*add_builder)(struct lift_device *device, struct lift_str *out);
    /* 'save' appends a built module as bytes to 'out'. 'load' makes a module of these
     * bytes, in any process, on the same device with the same driver. */
    bool (*save)(struct lift_device *device, struct lift_binary *binary,
                 struct lift_str *out, struct lift_error *error);
    struct lift_binary *(*load)(struct lift_device *device, const void *data, size_t size,
                                struct lift_error *error);
    void (*unload)(struct lift_device *device, struct lift_binary *binary);
    /* Returns the resources of a kernel. A loaded module may know less than a built
     * module.
     */
    struct lift_resources (*resources)(struct lift_device *device,
                                       struct lift_binary *binary, const char *kernel);
    /* Allocates zeroed memory between two guard bands. A band has a page or more, filled
     * with a pattern. */
    struct lift_buffer *(*alloc)(struct lift_device *device, size_t bytes,
                                 struct lift_error *error);
    /* Makes a buffer of the caller's host memory; 'release' does not free the memory.
     * NULL: kernels cannot use host memory. */
    struct lift_buffer *(*wrap)(struct lift_device *device, void *data, size_t bytes);
    /* Makes a buffer of the caller's device memory, of at least 'bytes' bytes: a device
     * pointer, or a cl_mem of the adopted queue's context. 'release' does not free the
     * memory. NULL: 'wrap' does this. */
    struct lift_buffer *(*borrow)(struct lift_device *device, void *memory, size_t bytes,
                                  struct lift_error *error);
    void (*release)(struct lift_device *device, struct lift_buffer *buffer);
    /* Returns the address of a buffer for this process, while no kernel runs. NULL: this
     * process cannot access device memory. */
    void *(*memory)(struct lift_device *device, struct lift_buffer *buffer);
    bool (*write)(struct lift_device *device, struct lift_buffer *buffer,
                  const void *data, size_t bytes, struct lift_error *error);
    bool (*read)(struct lift_device *device, struct lift_buffer *buffer, void *data,
                 size_t bytes, struct lift_error *error);
    /* Checks the guard bands: '*at' gets the first changed byte, or LIFT_UNTOUCHED.
     * Positions count from the beginning of the buffer and are negative before it. */
    bool (*guards)(struct lift_device *device, struct lift_buffer *buffer, int64_t *at,
                   struct lift_error *error);
    /* Computes a checksum of the content, on the device. */
    bool (*digest)(struct lift_device *device, struct lift_buffer *buffer, uint64_t *out,
                   struct lift_error *error);
    /* Enqueues one kernel. */
    bool (*launch)(struct lift_device *device, struct lift_binary *binary,
                   const struct lift_call *call, struct lift_error *error);
    /* Enqueues the driver's copy of 'bytes' bytes between the beginnings of two buffers,
     * timed like a launch. NULL: no driver. */
    bool (*copy)(struct lift_device *device, struct lift_buffer *to,
                 const struct lift_buffer *from, size_t bytes, struct lift_error *error);
    /* Copies from a buffer of another device of this runtime, or of this device opened
     * again. Both devices must be idle during the copy, unless the copy is enqueued.
     * NULL: such copies go through this process. */
    bool (*pull)(struct lift_device *device, struct lift_device *other,
                 const struct lift_pull *pull, struct lift_error *error);
    /* Makes a buffer of a part of another, from byte 'at' on. The part must not outlive
     * the other buffer; 'release' does not free its memory. The buffer may belong to this
     * device opened again. 'at' is a multiple of view_align, the bytes of the widest
     * access of a kernel. NULL: buffers have no parts. */
    struct lift_buffer *(*view)(struct lift_device *device, struct lift_buffer *buffer,
                                size_t at, size_t bytes);
    size_t view_align;
    /* Sets a mark after all work enqueued in a lane so far. Creates '*mark' if it is
     * NULL, otherwise moves the mark. All four NULL: launches and copies are synchronous,
     * or there is no side lane. */
    bool (*mark)(struct lift_device *device, enum lift_lane lane, struct lift_mark **mark,
                 struct lift_error *error);
    /* Makes later work in the lane wait for the current position of a mark of any device
     * of this runtime. */
    bool (*await)(struct lift_device *device, enum lift_lane lane,
                  const struct lift_mark *mark, struct lift_error *error);
    /* Gives the seconds between two marks that the device has reached; negative if the
     * device reached 'to' first. */
    bool (*between)(struct lift_device *device, const struct lift_mark *from,
                    const struct lift_mark *to, double *seconds,
                    struct lift_error *error);
    void (*drop_mark)(struct lift_device *device, struct lift_mark *mark);
    /* After 'record', launches are recorded with their arguments, not executed.
     * 'recorded' returns the graph, or NULL with an error if a call meanwhile cannot be
     * in a graph. All recorded kernels must have been launched before; no allocation is
     * allowed meanwhile. 'replay' enqueues the graph in the main lane. 'record' fails if
     * the driver is too old. All four NULL: no graphs. */
    bool (*record)(struct lift_device *device, struct lift_error *error);
    struct lift_graph *(*recorded)(struct lift_device *device, struct lift_error *error);
    bool (*replay)(struct lift_device *device, const struct lift_graph *graph,
                   struct lift_error *error);
    void (*drop_graph)(struct lift_device *device, struct lift_graph *graph);
    /* The driver's stream of a lane, and the device address of a buffer, for libraries
     * that enqueue work from this thread. Only this thread drives the device from now on.
     * 'finish' also waits for the libraries' work in the main lane. Both NULL: no such
     * library. */
    bool (*stream)(struct lift_device *device, enum lift_lane lane, void **stream,
                   struct lift_error *error);
    void *(*address)(struct lift_device *device, struct lift_buffer *buffer);
    /* Binds each thread of kernels to a core from now on, unless OpenMP variables place
     * the threads. For a process that only runs kernels. NULL: the driver places threads.
     */
    void (*pin)(struct lift_device *device);
    /* Waits for all enqueued work; 'seconds' (may be NULL) gets the device's time of the
     * launches since the last finish. */
    bool (*finish)(struct lift_device *device, double *seconds, struct lift_error *error);
};

/* All runtimes, in order of preference for lists; ends with NULL. */
extern const struct lift_runtime *const lift_runtimes[];
/* Returns the runtime of a name such as "cuda", "cuda:1" or "cuda:sm_90"; NULL if there
 * is no such runtime. */
const struct lift_runtime *lift_runtime_named(const char *name);
/* Appends a name for lift_device_open: "opencl:1", or "host" for the only host. */
void lift_device_name(const struct lift_runtime *runtime, int index,
                      struct lift_str *out);

/* First member of every runtime's device. */
struct lift_device {
    const struct lift_runtime *runtime;
    struct lift_ops *ops; /* see device/device_ops.h */
};

/* Calls 'pin' of the device's runtime, unless 'pin' is NULL. */
void lift_device_pin(struct lift_device *device);
/* Hashes the properties of a kind of device: runtime, vendor, name, arch, compute units,
 * SIMD width and local memory. */
struct lift_hash lift_device_hash(const struct lift_device_info *info);
/* Fills in the resources of a compute unit, which depend on the architecture. Unknown
 * architectures leave them unchanged. */
void lift_device_unit(struct lift_device_info *info);

/* Check a device by a kernel with a known result. The first function appends its binary
 * (by 'save'); the second function runs the binary on a few thousand values. Both return
 * false with an error; a wrong result is an error of kind RUN. */
bool lift_device_health_build(struct lift_device *device, struct lift_str *out,
                              struct lift_error *error);
bool lift_device_health_check(struct lift_device *device, const void *binary, size_t size,
                              struct lift_error *error);

/* Measures the device's copy bandwidth in GB/s (10^9 bytes, read plus written); all
 * percentages refer to this value. Several kernels in the device's dialect copy a large
 * float array; on the host, kernels have cached and non-temporal stores. The result is
 * that of the fastest kernel, by the median of its shortest launches. Returns 0 with an
 * error on failure. Takes about a second. */
double lift_device_copy_bandwidth(struct lift_device *device, struct lift_error *error);
/* Likewise, if both arrays together have lift_device_cache_bytes, and so stay in the
 * last-level cache of a processor. Returns 0 without an error if that size is 0. */
double lift_device_cache_bandwidth(struct lift_device *device, struct lift_error *error);
/* The most bytes of a problem that stays in the last-level cache between launches; 0 for
 * devices that are no processors, or have no such cache. */
int64_t lift_device_cache_bytes(const struct lift_device_info *info);
/* Returns the share of copy bandwidth: 'bytes' of compulsory traffic in 'seconds',
 * divided by 'copy_gbs' GB/s. Returns 0 if an argument is unknown (0). The views of the
 * database use the same formula. */
double lift_copy_share(double bytes, double seconds, double copy_gbs);

#endif
