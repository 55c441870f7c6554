/* Prints a chosen kernel as a separate program, or as part of one. */
#ifndef RUN_HOST_PROGRAM_H
#define RUN_HOST_PROGRAM_H

#include "explore/buffer_layout.h"
#include "explore/program_arrays.h"
#include "run/chosen.h"

/* The parts that are the same for all programs: the files of src/run/host. */
struct host_texts {
    const char *name;
    const char *text;
};
extern const struct host_texts host_texts[];

/* A program being written, or the part of it that computes single steps. */
struct host {
    const struct lift_chosen *chosen;
    struct lift_str *out;
    const struct lift_module *module;
    const char *kernel;        /* its name in the text */
    bool plain;                /* C of the plain program, whatever the kernels are */
    const struct host *before; /* its helpers are in the text; NULL: none is */
    const struct host *single; /* its kernel computes one step; NULL: there is none */
    const char *name;          /* of the program */
    bool header;               /* kernels only, for somebody else's program */
    struct explore_shape inputs[EXPLORE_MAX_LEAVES], outputs[EXPLORE_MAX_LEAVES];
    int input_count, output_count;
    struct place places[96]; /* of the module's binds */
};

/* What differs between the languages of kernels. */
struct host_language {
    const char *text;                       /* of src/run/host */
    void (*includes)(const struct host *h); /* that the kernels need */
    void (*kernels)(const struct host *h);  /* behind one function: what may be copied */
    void (*words)(const struct host *h);    /* what the text needs; NULL: nothing */
};
const struct host_language *host_language_of(const struct host *h);
/* That of the host's compiler, which takes the kernels for C++. */
bool host_is_cpp(const struct host *h);
const char *host_text(const char *name);
/* "float"; elements of memory. */
const char *host_type(enum lift_scalar scalar);
/* A literal of a parameter's type. */
void host_literal(struct lift_str *out, enum lift_scalar scalar, double value);
/* A text as the body of a comment: " * " before each line, and no end inside. */
void host_comment(struct lift_str *out, const char *text);
const struct explore_shape *host_shape(const struct host *h,
                                       const struct lift_bind *bind);
/* False for parameters, and for outputs that lie in inputs. */
bool host_has_buffer(const struct lift_bind *bind);

/* host_program_head.c: where the kernel comes from, and how its arrays lie. */
void host_provenance(const struct host *h);
void host_contract(const struct host *h);
/* host_program_kernel.c: the kernel behind one function, as C and OpenCL, and its call.
 */
void host_openmp_includes(const struct host *h);
void host_openmp(const struct host *h);
void host_opencl_includes(const struct host *h);
void host_opencl(const struct host *h);
/* Whether kernels store to a buffer. */
bool host_is_written(const struct lift_module *m, int bind);
/* What a parameter of a kernel is passed by: outputs in place have the input's name. */
const char *host_name_in_call(const struct lift_module *m, int bind);
/* Parameters of the step that kernels have no need of. */
void host_unused(const struct host *h);
/* Helpers that the text does not have yet. */
void host_helpers(const struct host *h, struct lift_str *out);
/* Kernels of the host, and the function that calls them. */
void host_openmp_step(const struct host *h);
void host_call(const struct host *h);
/* Launches by one call. */
int64_t host_runs(const struct host *h);
/* Around the calls of kernels that are run several times, in turn. */
void host_begin_loop(const struct lift_module *m, int kernel, struct lift_str *out);
void host_end_loop(const struct lift_module *m, int kernel, struct lift_str *out);
/* host_program_gpu.c: the same as CUDA C++ and HIP. */
void host_gpu_includes(const struct host *h);
void host_gpu(const struct host *h);
void host_gpu_words(const struct host *h);
/* True if a kernel takes tensor maps, which the driver makes. */
bool host_has_tensors(const struct host *h);
/* host_program_tables.c: the facts of the program, and a kernel with its arrays, for the
 * text that runs them. */
void host_tables(const struct host *h);
void host_kernel(const struct host *h);

#endif
