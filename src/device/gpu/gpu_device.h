/* An open device of gpu.h's kind, shared by the files that work on it. */
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
    gpu_context context; /* NULL until it is needed: compiling needs none */
    gpu_event from, to;  /* around the launches since the last finish */
    bool launched;
    void *stream;               /* the caller's; NULL: the default one */
    void *side;                 /* stream of the side lane; NULL until it is needed */
    void *recorder;             /* stream that records; NULL until it is needed */
    void *kept;                 /* 'stream', while the recorder takes its place */
    gpu_context near[GPU_NEAR]; /* contexts whose memory was asked to be near */
    int near_count;
};

struct gpu_function_entry {
    char *name;
    gpu_function function;
    struct gpu_function_entry *next;
};

struct lift_binary {
    struct lift_str code, log;
    gpu_module module; /* NULL until a kernel of it is launched */
    struct gpu_function_entry *functions;
};

struct lift_buffer {
    gpu_pointer whole;   /* 0: it is borrowed */
    gpu_pointer pointer; /* after the front guard band */
    size_t bytes;
};

struct gpu_device *gpu_of(struct lift_device *device);
/* Without its libraries, and closed like one that has them. */
struct gpu_device *gpu_create(const struct gpu_kind *kind);
void gpu_close(struct lift_device *device);
/* What 'info' says in words, from the texts of the device. */
void gpu_name_compiler(struct gpu_device *g);
void gpu_fill_info(struct gpu_device *g);

/* gpu_target.c */
struct lift_device *gpu_open_target(const struct gpu_kind *kind, const char *arch,
                                    struct lift_error *error);

/* True on success; otherwise the failure names the call and the driver's words. */
bool gpu_check(const struct gpu_device *g, struct lift_error *error,
               enum lift_error_code kind, const char *call, int code);
/* Makes the device the current one of this thread. */
bool gpu_enter(struct gpu_device *g, struct lift_error *error);
/* Creates a stream that does not synchronise with the default one, unless '*stream' is
 * one already. Its work has the highest priority, or the lowest. */
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
/* NULL and a failure. */
gpu_function gpu_find_function(struct gpu_device *g, struct lift_binary *binary,
                               const char *name, struct lift_error *error);

/* 'finish' waits for work that is enqueued from now on. */
bool gpu_begin_timing(struct gpu_device *g, struct lift_error *error);

/* gpu_tensor.c: the map of a tensor. */
bool gpu_encode(struct gpu_device *g, const struct lift_tensor_arg *arg,
                struct gpu_map *out, struct lift_error *error);

/* gpu_lanes.c: copies from device to device, and what waits for them. */
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
