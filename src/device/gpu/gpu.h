/* A runtime in the manner of CUDA's driver: HIP's has the same calls by other names, and
 * the same kernels. Functions are found with dlopen; the declarations are our own. */
#ifndef DEVICE_GPU_GPU_H
#define DEVICE_GPU_GPU_H

#include "device/device.h"
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
