/* A runtime in the manner of CUDA's driver: HIP's has the same calls by other names, and
 * the same kernels. Functions are found with dlopen; the declarations are our own. */
#ifndef DEVICE_GPU_GPU_H
#define DEVICE_GPU_GPU_H

#include "lift/device.h"
#include <stdalign.h>

typedef uint64_t gpu_pointer; /* CUdeviceptr; void * of HIP has its size */
typedef void *gpu_module, *gpu_function, *gpu_event, *gpu_context, *gpu_program;
typedef void *gpu_graph; /* also an executable one */

/* A tensor map, as kernels take it. */
struct gpu_map {
    alignas(128) unsigned char opaque[128];
};

/* A copy of pieces between two contexts, as CUDA's driver takes it (CUDA_MEMCPY3D_PEER):
 * 'bytes' of each piece, pieces a pitch apart. */
struct gpu_pieces_end {
    size_t x, y, z, level;
    int kind; /* 2: memory of a device */
    const void *host;
    gpu_pointer at;
    void *array;
    gpu_context context;
    size_t pitch, height;
};
struct gpu_pieces {
    struct gpu_pieces_end from, to;
    size_t bytes, pieces, depth;
};

/* The driver. All return 0 for success. What only one kind has is NULL in the other. */
struct gpu_driver {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *count);
    int (*get)(int *device, int index);
    int (*name)(char *name, int len, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*memory)(size_t *bytes, int device);
    int (*pci)(char *text, int len, int device);
    int (*retain)(gpu_context *context, int device);
    int (*release)(int device);
    int (*set_current)(gpu_context context);
    int (*synchronize)(void);
    int (*load)(gpu_module *module, const void *image);
    int (*unload)(gpu_module module);
    int (*function)(gpu_function *function, gpu_module module, const char *name);
    int (*function_set)(gpu_function function, int attribute, int value);
    int (*alloc)(gpu_pointer *pointer, size_t bytes);
    int (*free)(gpu_pointer pointer);
    int (*fill)(gpu_pointer to, unsigned char byte, size_t bytes);
    int (*write)(gpu_pointer to, const void *from, size_t bytes);
    int (*read)(void *to, gpu_pointer from, size_t bytes);
    int (*copy)(gpu_pointer to, gpu_pointer from, size_t bytes, void *stream);
    /* Between devices; 'enable' is for the current one, and a neighbour is nearer then.
     */
    int (*pull)(gpu_pointer to, gpu_context here, gpu_pointer from, gpu_context there,
                size_t bytes, void *stream);
    int (*pull_pieces)(const struct gpu_pieces *copy, void *stream);
    int (*enable)(gpu_context there, unsigned flags);
    int (*launch)(gpu_function function, unsigned grid_x, unsigned grid_y,
                  unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                  unsigned local_bytes, void *stream, void **args, void **extra);
    /* CUDA 12 on; NULL before. */
    int (*encode)(struct gpu_map *map, int type, uint32_t dims, void *at,
                  const uint64_t *lengths, const uint64_t *strides, const uint32_t *box,
                  const uint32_t *steps, int interleave, int swizzle, int promotion,
                  int fill);
    int (*event_create)(gpu_event *event, unsigned flags);
    int (*event_destroy)(gpu_event event);
    int (*event_record)(gpu_event event, void *stream);
    int (*event_wait)(gpu_event event);
    int (*event_ms)(float *ms, gpu_event from, gpu_event to);
    /* Streams beside the default one, with priorities of which less is more. */
    int (*stream_range)(int *least, int *most);
    int (*stream_create)(void **stream, unsigned flags, int priority);
    int (*stream_destroy)(void *stream);
    int (*stream_wait)(void *stream, gpu_event event, unsigned flags);
    /* Graphs of what a stream would do; NULL before CUDA 11.4. */
    int (*capture_begin)(void *stream, int mode);
    int (*capture_end)(void *stream, gpu_graph *graph);
    int (*graph_instantiate)(gpu_graph *executable, gpu_graph graph, uint64_t flags);
    int (*graph_launch)(gpu_graph executable, void *stream);
    int (*graph_destroy)(gpu_graph graph);
    int (*executable_destroy)(gpu_graph executable);
    int (*error_name)(int code, const char **name);
    int (*error_text)(int code, const char **text);
    /* HIP */
    int (*properties)(void *properties, int device);
    const char *(*name_of)(int code);
    const char *(*text_of)(int code);
};

/* The compiler at run time. */
struct gpu_compiler {
    int (*version)(int *major, int *minor);
    int (*create)(gpu_program *program, const char *source, const char *name,
                  int header_count, const char *const *headers,
                  const char *const *header_names);
    int (*compile)(gpu_program program, int option_count, const char *const *options);
    int (*destroy)(gpu_program *program);
    int (*log_size)(gpu_program program, size_t *size);
    int (*log)(gpu_program program, char *log);
    int (*code_size)(gpu_program program, size_t *size);
    int (*code)(gpu_program program, char *code);
    const char *(*error_text)(int code);
};

/* Functions of a library, by the offset of their member. */
enum gpu_names { GPU_OF_CUDA, GPU_OF_HIP };
struct gpu_symbol {
    const char *names[2]; /* NULL: it has none */
    size_t offset;
    bool optional; /* NULL if the library is too old for it */
};

struct gpu_library {
    const char *what;                 /* for messages */
    const char *const *names;         /* tried in order; ends with NULL */
    const char *const *folders;       /* then in these, "$NAME/..." being a variable's */
    const struct gpu_symbol *symbols; /* ends with two NULLs */
    enum gpu_names of;
};

/* Numbers of device attributes. */
struct gpu_attributes {
    int group_size, group_dims[3], grid_dims[3], local_bytes, local_bytes_most, warp,
        units, major, minor;
};

/* An architecture that can be built for without a device. */
struct gpu_target {
    const char *arch;
    int warp;
    int64_t local_bytes; /* that a group may have */
};

/* What tells one runtime of the kind from another. */
struct gpu_kind {
    const struct lift_runtime *runtime;
    const char *vendor, *prefix; /* "cu": of the calls' names in messages */
    const char *source_name;     /* of a source, in the compiler's messages */
    struct gpu_library driver, compiler;
    struct gpu_attributes attributes;
    bool compiles_apart; /* as 'info' says it */
    bool leaves_files;   /* its compiler's, if the process is killed meanwhile */
    int local_attribute; /* of a function: local memory that a launch may ask for; -1:
                            nobody has to be asked */
    const struct gpu_target *targets; /* ends with {NULL} */
    int group_size, group_dims[3];    /* limits of all of them */
    /* What the driver's version number means. */
    void (*version)(int version, struct lift_str *out);
    void (*arch)(const struct gpu_driver *driver, int device, struct lift_str *out);
    void (*error)(const struct gpu_driver *driver, int code, const char **name,
                  const char **text);
    /* Options of every compilation, each followed by a blank. */
    void (*options)(const char *arch, struct lift_str *out);
    /* From what the compiler made and said. */
    void (*resources)(const struct lift_str *code, const char *log, const char *kernel,
                      struct lift_resources *out);
};

extern const struct gpu_kind gpu_cuda, gpu_hip;
extern const struct gpu_symbol gpu_driver_symbols[], gpu_compiler_symbols[];

/* Fills a struct of function pointers; false and the reason. The library stays loaded. */
bool gpu_library_open(const struct gpu_library *library, void *table,
                      struct lift_str *why);

#endif
