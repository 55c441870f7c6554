/* A runtime with the interface of CUDA's driver. HIP has equal calls with other names,
 * and runs the same kernels. dlopen loads the libraries; lift declares their functions
 * itself.
 */
#ifndef DEVICE_GPU_GPU_H
#define DEVICE_GPU_GPU_H

#include "device/device.h"
#include <stdalign.h>

typedef uint64_t gpu_pointer; /* CUdeviceptr; void * of HIP has its size */
typedef void *gpu_module, *gpu_function, *gpu_event, *gpu_context, *gpu_program;
typedef void *gpu_graph; /* also an executable one */

/* A tensor map, as passed to kernels. */
struct gpu_map {
    alignas(128) unsigned char opaque[128];
};

/* A copy of pieces between two contexts, in the layout of CUDA_MEMCPY3D_PEER: each piece
 * has 'bytes' bytes, and pieces begin 'pitch' bytes apart. */
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

/* The driver's functions, which return 0 for success. A function that a kind lacks is
 * NULL.
 */
struct gpu_driver {
#define SYMBOL(member, cuda, hip, result, parameters) result(*member) parameters;
#define NEWER SYMBOL
#include "device/gpu/gpu_driver.def"
};

/* The compiler at run time. */
struct gpu_compiler {
#include "device/gpu/gpu_compiler.def"
#undef SYMBOL
#undef NEWER
};

/* Functions of a library, by the offset of their member. */
enum gpu_names { GPU_OF_CUDA, GPU_OF_HIP };
struct gpu_symbol {
    const char *names[2]; /* by enum gpu_names; NULL: the library has no such function */
    size_t offset;
    bool optional; /* the member becomes NULL if the library lacks the function */
};

struct gpu_library {
    const char *what;                 /* for messages */
    const char *const *names;         /* tried in order; ends with NULL */
    const char *const *folders;       /* tried next; "$NAME/..." begins with a variable */
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
    int64_t local_bytes; /* of a group, at most */
};

/* The differences between CUDA and HIP. */
struct gpu_kind {
    const struct lift_runtime *runtime;
    const char *vendor, *prefix; /* prefix "cu" of the calls' names in messages */
    const char *source_name;     /* the source's file name in compiler messages */
    struct gpu_library driver, compiler;
    struct gpu_attributes attributes;
    bool compiles_apart; /* as in struct lift_device_info */
    bool leaves_files;   /* the compiler leaves files if the process is killed */
    int local_attribute; /* function attribute for the largest local memory of a launch;
                            -1: launches need no attribute */
    const struct gpu_target *targets; /* ends with {NULL} */
    int group_size, group_dims[3];    /* limits of all targets */
    /* Describes the driver's version number. */
    void (*version)(int version, struct lift_str *out);
    void (*arch)(const struct gpu_driver *driver, int device, struct lift_str *out);
    void (*error)(const struct gpu_driver *driver, int code, const char **name,
                  const char **text);
    /* Options of every compilation, each followed by a blank. */
    void (*options)(const char *arch, struct lift_str *out);
    /* Reads the resources of a kernel from the compiler's code and log. */
    void (*resources)(const struct lift_str *code, const char *log, const char *kernel,
                      struct lift_resources *out);
};

extern const struct gpu_kind gpu_cuda, gpu_hip;
extern const struct gpu_symbol gpu_driver_symbols[], gpu_compiler_symbols[];

/* Fills a struct of function pointers. Returns false with the reason on failure. The
 * library stays loaded. */
bool gpu_library_open(const struct gpu_library *library, void *table,
                      struct lift_str *why);

#endif
