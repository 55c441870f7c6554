/* Devices: where kernels are compiled, run and timed. One file of src/device a runtime;
 * each exports one const struct lift_runtime, listed in src/device/registry.c. A runtime
 * whose library is absent is unavailable with a reason: that is no error.
 *
 * A device is driven from one thread. Kernels may crash or hang: callers that run
 * candidates do so in a worker process (tuner/worker.h).
 *
 * The host compiles with $LIFT_CC or $CC and with nothing else where one of them is set;
 * else with gcc and clang, whichever there are; with one of them if variables of OpenMP
 * bind threads. Each compilation is limited to $LIFT_CC_SECONDS (60). Its sources export
 * for a kernel 'k'
 *     void k_call(void *const *args)
 * where args[i] is the data of a buffer, aligned to 4096 bytes unless it was wrapped, or
 * points to a float, double or int32_t. */
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
 * "compiler=NAME"; without it is done by the first compiler that was found. */
enum lift_compiler { LIFT_COMPILER_ANY, LIFT_GCC, LIFT_CLANG, LIFT_COMPILERS };

/* Their names: "gcc", "clang"; "cc" of any. */
const char *lift_compiler_name(enum lift_compiler compiler);
/* The compiler that the options of a build begin with; '*rest' gets those behind it. */
enum lift_compiler lift_compiler_named(const char *options, const char **rest);

/* What the runtime's own tool says of a compiled kernel; -1: unknown. */
struct lift_resources {
    int registers;   /* of a work-item, 32 bits each; on AMD's devices vector registers */
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

/* One launch of a kernel. The host ignores 'launch', all but CUDA the tensors. */
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

/* A copy between buffers of two devices, by bytes from their beginnings: of one piece, or
 * of several of so many bytes each, which lie apart. */
struct lift_pull {
    struct lift_buffer *to;
    const struct lift_buffer *from;
    size_t to_at, from_at, bytes;
    int64_t pieces;
    size_t to_apart, from_apart; /* from the beginning of a piece to that of the next */
    enum lift_lane lane;
    bool enqueued; /* it is not waited for */
};

/* No byte of a buffer's guard bands has changed. */
#define LIFT_UNTOUCHED INT64_MIN

/* One runtime. All calls but 'count' and 'describe' work on an open device. Those that
 * return bool or a pointer fill 'error' when they return false or NULL. */
struct lift_runtime {
    const char *name; /* "host", "opencl": the part of a device's name before the colon */
    const char *doc;
    enum lift_dialect dialect; /* of its kernels */
    /* What its devices are like, and those that are processors where these are of another
     * kind; NULL: they are not. */
    const struct lift_traits *traits, *processor_traits;
    /* As lift_device_unit; NULL: it cannot tell. */
    void (*unit)(struct lift_device_info *info);
    bool builds_by_arch; /* the architecture of each of its devices is a target */
    /* Devices found now; 0 with the reason in 'why' if there are none. Loads the drivers:
     * a process that forks workers does not call it before. */
    int (*count)(struct lift_str *why);
    struct lift_device *(*open)(int index, struct lift_error *error);
    /* Architectures that kernels can be built for without a device, in order; NULL after
     * the last one. A target is opened by its name, and has the limits of its
     * architecture; it is UNAVAILABLE for all that needs a device. Both NULL: there are
     * none. */
    const char *(*target)(int index);
    struct lift_device *(*open_target)(const char *arch, struct lift_error *error);
    /* All work goes to the caller's queue from now on: a CUstream, a hipStream_t or an
     * in-order cl_command_queue. Called before anything is built or allocated; nothing is
     * timed any more. NULL: there are no queues. */
    bool (*adopt)(struct lift_device *device, void *queue, struct lift_error *error);
    void (*close)(struct lift_device *device);
    const struct lift_device_info *(*info)(const struct lift_device *device);
    /* Compiles a module: 'options' are extra compiler flags, may be "". 'log' (may be
     * NULL) receives warnings. */
    struct lift_binary *(*build)(struct lift_device *device, const char *source,
                                 const char *options, struct lift_str *log,
                                 struct lift_error *error);
    /* Appends what the bytes of a module depend on besides source, options and the
     * device's info: the commands and files of compilers. NULL: nothing. */
    void (*add_builder)(struct lift_device *device, struct lift_str *out);
    /* A built module as bytes, appended to 'out', and the way back: in any process, on
     * the same device with the same driver. */
    bool (*save)(struct lift_device *device, struct lift_binary *binary,
                 struct lift_str *out, struct lift_error *error);
    struct lift_binary *(*load)(struct lift_device *device, const void *data, size_t size,
                                struct lift_error *error);
    void (*unload)(struct lift_device *device, struct lift_binary *binary);
    /* Of a module that was built here: of a loaded one, less may be known. */
    struct lift_resources (*resources)(struct lift_device *device,
                                       struct lift_binary *binary, const char *kernel);
    /* Zeroed memory between two guard bands, of a page or more, that are filled with a
     * pattern. */
    struct lift_buffer *(*alloc)(struct lift_device *device, size_t bytes,
                                 struct lift_error *error);
    /* The caller's memory as a buffer, which 'release' leaves alone; NULL where kernels
     * cannot use such memory. */
    struct lift_buffer *(*wrap)(struct lift_device *device, void *data, size_t bytes);
    /* The caller's memory of this device as a buffer, which 'release' leaves alone: a
     * device pointer, or a cl_mem of the adopted queue's context, of as many bytes at
     * least. NULL where 'wrap' does it. */
    struct lift_buffer *(*borrow)(struct lift_device *device, void *memory, size_t bytes,
                                  struct lift_error *error);
    void (*release)(struct lift_device *device, struct lift_buffer *buffer);
    /* The bytes of a buffer where this process can touch them, when nothing runs; NULL
     * where it cannot. */
    void *(*memory)(struct lift_device *device, struct lift_buffer *buffer);
    bool (*write)(struct lift_device *device, struct lift_buffer *buffer,
                  const void *data, size_t bytes, struct lift_error *error);
    bool (*read)(struct lift_device *device, struct lift_buffer *buffer, void *data,
                 size_t bytes, struct lift_error *error);
    /* Where the guard bands were written to: '*at' gets the first such byte, counted from
     * the beginning of the buffer and so negative before it, or LIFT_UNTOUCHED. */
    bool (*guards)(struct lift_device *device, struct lift_buffer *buffer, int64_t *at,
                   struct lift_error *error);
    /* A checksum of the content, computed where the buffer is. */
    bool (*digest)(struct lift_device *device, struct lift_buffer *buffer, uint64_t *out,
                   struct lift_error *error);
    /* Enqueues one kernel. */
    bool (*launch)(struct lift_device *device, struct lift_binary *binary,
                   const struct lift_call *call, struct lift_error *error);
    /* Enqueues the driver's own copy of so many bytes, from the beginning of one buffer
     * to that of another, which is timed as a launch is. NULL where there is no driver.
     */
    bool (*copy)(struct lift_device *device, struct lift_buffer *to,
                 const struct lift_buffer *from, size_t bytes, struct lift_error *error);
    /* Copies from a buffer of another device of this runtime, or of the same one opened
     * again. Unless it is enqueued, nothing runs on either meanwhile. NULL: such copies
     * go through this process. */
    bool (*pull)(struct lift_device *device, struct lift_device *other,
                 const struct lift_pull *pull, struct lift_error *error);
    /* A part of a buffer, from byte 'at' on, as a buffer that 'release' leaves alone and
     * that lives no longer. It may be of another device that is the same one opened
     * again. 'at' is a multiple of view_align, the bytes of the widest access of a
     * kernel. NULL: buffers have no parts. */
    struct lift_buffer *(*view)(struct lift_device *device, struct lift_buffer *buffer,
                                size_t at, size_t bytes);
    size_t view_align;
    /* Sets a mark behind all that was enqueued in a lane so far: '*mark' is made if it is
     * NULL, and is moved else. All four are NULL: launches and copies are done when they
     * return, or there is no side lane. */
    bool (*mark)(struct lift_device *device, enum lift_lane lane, struct lift_mark **mark,
                 struct lift_error *error);
    /* Later work in the lane waits for the current state of a mark of any device of this
     * runtime. */
    bool (*await)(struct lift_device *device, enum lift_lane lane,
                  const struct lift_mark *mark, struct lift_error *error);
    /* Seconds between two marks of the device, which has done all before them; below 0 if
     * 'to' was reached first. */
    bool (*between)(struct lift_device *device, const struct lift_mark *from,
                    const struct lift_mark *to, double *seconds,
                    struct lift_error *error);
    void (*drop_mark)(struct lift_device *device, struct lift_mark *mark);
    /* Launches are not made but recorded, until 'recorded' returns them as a graph, with
     * their arguments as they are now: NULL and a failure if one of them, or anything
     * else that was asked for meanwhile, cannot be in a graph. Kernels have been launched
     * before, and nothing is allocated. 'replay' enqueues the graph in the main lane.
     * 'record' fails where the driver is too old. All four are NULL: there are no graphs.
     */
    bool (*record)(struct lift_device *device, struct lift_error *error);
    struct lift_graph *(*recorded)(struct lift_device *device, struct lift_error *error);
    bool (*replay)(struct lift_device *device, const struct lift_graph *graph,
                   struct lift_error *error);
    void (*drop_graph)(struct lift_device *device, struct lift_graph *graph);
    /* The driver's stream of a lane, and the address of a buffer there, for libraries
     * that enqueue work from this thread, which is the device's from now on.
     * 'finish' waits for what they put into the main lane. Both are NULL where there is
     * no such library. */
    bool (*stream)(struct lift_device *device, enum lift_lane lane, void **stream,
                   struct lift_error *error);
    void *(*address)(struct lift_device *device, struct lift_buffer *buffer);
    /* Threads of kernels stay on a core each from now on, unless variables of OpenMP say
     * where they belong. For a process that only runs kernels. NULL: the driver places
     * them. */
    void (*pin)(struct lift_device *device);
    /* Waits for all that was enqueued; 'seconds' (may be NULL) gets the time that the
     * device spent on the launches since the last finish. */
    bool (*finish)(struct lift_device *device, double *seconds, struct lift_error *error);
};

/* All runtimes, in order of preference for lists; ends with NULL. */
extern const struct lift_runtime *const lift_runtimes[];
/* Of "cuda", "cuda:1" and "cuda:sm_90" alike; NULL if there is no such runtime. */
const struct lift_runtime *lift_runtime_named(const char *name);
/* Appends the name that lift_device_open takes: "opencl:1", and "host", of which there is
 * one. */
void lift_device_name(const struct lift_runtime *runtime, int index,
                      struct lift_str *out);

/* First member of every runtime's device. */
struct lift_device {
    const struct lift_runtime *runtime;
    struct lift_ops *ops; /* see device/device_ops.h */
};

/* As 'pin' of its runtime, if that has one. */
void lift_device_pin(struct lift_device *device);
/* Content hash of what makes two devices the same kind: runtime, vendor, name, arch,
 * compute units, SIMD width and local memory. */
struct lift_hash lift_device_hash(const struct lift_device_info *info);
/* Fills in the resources of a compute unit, which depend on the architecture. Unknown
 * architectures leave them unchanged. */
void lift_device_unit(struct lift_device_info *info);

/* A kernel whose result is known, to tell whether a device is well: its binary, as 'save'
 * appends it, and a run of it on a few thousand values. False and a error, of kind RUN
 * if the result is wrong. */
bool lift_device_health_build(struct lift_device *device, struct lift_str *out,
                              struct lift_error *error);
bool lift_device_health_check(struct lift_device *device, const void *binary, size_t size,
                              struct lift_error *error);

/* The device's copy bandwidth, which all percentages refer to: GB/s (10^9 bytes, read
 * plus written) of the best of several copies of two large float arrays, by a kernel in
 * the device's own dialect (the host compares cached and non-temporal stores): of each
 * the median of its shortest launches, which other work has not disturbed. 0 and a
 * failure if it cannot be measured. Takes about a second. */
double lift_device_copy_bandwidth(struct lift_device *device, struct lift_error *error);
/* The share of a copy bandwidth of 'copy_gbs' GB/s that so many bytes of compulsory
 * traffic in so many seconds are, everywhere: 1 is all of it; 0: one of the three is
 * unknown (0). The views of the database compute the same. */
double lift_copy_share(double bytes, double seconds, double copy_gbs);

#endif
