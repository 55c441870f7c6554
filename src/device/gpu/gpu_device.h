/* An open device of CUDA or HIP, shared by the files of this folder. */
#ifndef DEVICE_GPU_GPU_DEVICE_H
#define DEVICE_GPU_GPU_DEVICE_H

#include "device/gpu/gpu.h"

enum { GPU_NEAR = 16 };

struct gpu_device {
    struct lift_device base;
    const struct gpu_kind *kind;
    struct gpu_driver driver;
    struct gpu_compiler compiler;
    struct lift_device_info info;
    struct lift_str name, arch, driver_version, compiler_version;
    int grid_dims[3];
    int device;
    gpu_context context; /* NULL until needed: compiling needs no context */
    gpu_event from, to;  /* around the launches since the last finish */
    bool launched;
    void *stream;               /* the caller's; NULL: the default stream */
    void *side;                 /* stream of the side lane; NULL until needed */
    void *recorder;             /* stream for recording; NULL until needed */
    void *kept;                 /* the former 'stream' while 'recorder' replaces it */
    gpu_context near[GPU_NEAR]; /* contexts for which peer access was requested */
    int near_count;
};

struct gpu_function_entry {
    char *name;
    gpu_function function;
    struct gpu_function_entry *next;
};

struct lift_binary {
    struct lift_str code, log;
    gpu_module module; /* NULL until the first launch of a kernel */
    struct gpu_function_entry *functions;
};

struct lift_buffer {
    gpu_pointer whole;   /* the allocation; 0: borrowed memory */
    gpu_pointer pointer; /* after the front guard band */
    size_t bytes;
};

struct gpu_device *gpu_of(struct lift_device *device);
/* Creates a device without libraries. The caller closes it as usual. */
struct gpu_device *gpu_create(const struct gpu_kind *kind);
void gpu_close(struct lift_device *device);
/* Set the compiler's version, and 'info' with pointers to the texts of the device. */
void gpu_name_compiler(struct gpu_device *g);
void gpu_fill_info(struct gpu_device *g);

/* gpu_target.c */
struct lift_device *gpu_open_target(const struct gpu_kind *kind, const char *arch,
                                    struct lift_error *error);

/* Returns true on success; otherwise the error has the call and the driver's message. */
bool gpu_check(const struct gpu_device *g, struct lift_error *error,
               enum lift_error_code kind, const char *call, int code);
/* Makes the device current in this thread. */
bool gpu_enter(struct gpu_device *g, struct lift_error *error);
/* Creates a stream that does not synchronise with the default stream, unless '*stream'
 * exists. 'first' selects the highest priority, otherwise the lowest. */
bool gpu_make_stream(struct gpu_device *g, void **stream, bool first,
                     struct lift_error *error);

/* gpu_build.c */
struct lift_binary *gpu_build(struct lift_device *device, const char *source,
                              const char *options, struct lift_str *log,
                              struct lift_error *error);
bool gpu_save(struct lift_device *device, struct lift_binary *binary,
              struct lift_str *out, struct lift_error *error);
struct lift_binary *gpu_load(struct lift_device *device, const void *data, size_t size,
                             struct lift_error *error);
void gpu_unload(struct lift_device *device, struct lift_binary *binary);
struct lift_resources gpu_resources(struct lift_device *device,
                                    struct lift_binary *binary, const char *kernel);
/* Returns a kernel's function, or NULL with an error. */
gpu_function gpu_find_function(struct gpu_device *g, struct lift_binary *binary,
                               const char *name, struct lift_error *error);

/* Begins the timing of work up to the next 'finish'. */
bool gpu_begin_timing(struct gpu_device *g, struct lift_error *error);

/* gpu_tensor.c: makes the map of a tensor. */
bool gpu_encode(struct gpu_device *g, const struct lift_tensor_arg *arg,
                struct gpu_map *out, struct lift_error *error);

/* gpu_lanes.c: copies from device to device, lanes and marks. */
bool gpu_pull(struct lift_device *device, struct lift_device *other,
              const struct lift_pull *pull, struct lift_error *error);
bool gpu_mark(struct lift_device *device, enum lift_lane lane, struct lift_mark **mark,
              struct lift_error *error);
bool gpu_await(struct lift_device *device, enum lift_lane lane,
               const struct lift_mark *mark, struct lift_error *error);
bool gpu_between(struct lift_device *device, const struct lift_mark *from,
                 const struct lift_mark *to, double *seconds, struct lift_error *error);
void gpu_drop_mark(struct lift_device *device, struct lift_mark *mark);
bool gpu_stream(struct lift_device *device, enum lift_lane lane, void **stream,
                struct lift_error *error);

/* gpu_graphs.c */
bool gpu_record(struct lift_device *device, struct lift_error *error);
struct lift_graph *gpu_recorded(struct lift_device *device, struct lift_error *error);
bool gpu_replay(struct lift_device *device, const struct lift_graph *graph,
                struct lift_error *error);
void gpu_drop_graph(struct lift_device *device, struct lift_graph *graph);

/* gpu_memory.c */
struct lift_buffer *gpu_alloc(struct lift_device *device, size_t bytes,
                              struct lift_error *error);
struct lift_buffer *gpu_borrow(struct lift_device *device, void *memory, size_t bytes,
                               struct lift_error *error);
struct lift_buffer *gpu_view(struct lift_device *device, struct lift_buffer *buffer,
                             size_t at, size_t bytes);
void *gpu_address(struct lift_device *device, struct lift_buffer *buffer);
void gpu_release(struct lift_device *device, struct lift_buffer *buffer);
bool gpu_write(struct lift_device *device, struct lift_buffer *buffer, const void *data,
               size_t bytes, struct lift_error *error);
bool gpu_read(struct lift_device *device, struct lift_buffer *buffer, void *data,
              size_t bytes, struct lift_error *error);
bool gpu_guards(struct lift_device *device, struct lift_buffer *buffer, int64_t *at,
                struct lift_error *error);
bool gpu_digest(struct lift_device *device, struct lift_buffer *buffer, uint64_t *out,
                struct lift_error *error);

#endif
