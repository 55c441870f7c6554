/* Prints a chosen kernel as a separate program, or as a header for another program. */
#ifndef RUN_HOST_PROGRAM_H
#define RUN_HOST_PROGRAM_H

#include "explore/buffer_layout.h"
#include "explore/program_arrays.h"
#include "run/chosen.h"

/* The common parts of all programs: the files of src/run/host. */
struct host_texts {
    const char *name;
    const char *text;
};
extern const struct host_texts host_texts[];

/* A program being written, or one of its kernels for the remainder of a run. */
struct host {
    const struct lift_chosen *chosen;
    struct lift_str *out;
    const struct lift_module *module;
    const char *kernel;        /* name of the kernel's table in the text */
    bool plain;                /* plain program in C, for any language of kernels */
    const struct host *before; /* earlier part whose helpers the text has; or NULL */
    /* The kernel with the next fewer time steps a launch; NULL: none. */
    const struct host *fewer;
    const char *name; /* of the program */
    bool header;      /* kernels only, for the user's own program */
    struct explore_shape inputs[EXPLORE_MAX_LEAVES], outputs[EXPLORE_MAX_LEAVES];
    int input_count, output_count;
    struct place places[96]; /* of the module's binds */
};

/* The parts of a program that depend on the language of kernels. */
struct host_language {
    const char *text;                       /* name of a file in src/run/host */
    void (*includes)(const struct host *h); /* of the kernels */
    void (*kernels)(const struct host *h);  /* kernels with one function to call them */
    void (*words)(const struct host *h);    /* definitions for 'text'; NULL: none */
};
const struct host_language *host_language_of(const struct host *h);
/* Returns true if the program's compiler reads the kernels as C++. */
bool host_is_cpp(const struct host *h);
const char *host_text(const char *name);
/* Returns the C type of elements in memory, such as "float". */
const char *host_type(enum lift_scalar scalar);
/* Appends a literal of a parameter's type. */
void host_literal(struct lift_str *out, enum lift_scalar scalar, double value);
/* Appends a text as the body of a comment: " * " before each line. Splits comment ends
 * inside the text by a blank. */
void host_comment(struct lift_str *out, const char *text);
const struct explore_shape *host_shape(const struct host *h,
                                       const struct lift_bind *bind);
/* Returns false for parameters, and for in-place outputs. */
bool host_has_buffer(const struct lift_bind *bind);

/* host_program_head.c: the origin of the kernel, and the layout of its arrays. */
void host_provenance(const struct host *h);
void host_contract(const struct host *h);
/* host_program_kernel.c: the kernel with one function to call it, as C and OpenCL, and
 * the call of this function. */
void host_openmp_includes(const struct host *h);
void host_openmp(const struct host *h);
void host_opencl_includes(const struct host *h);
void host_opencl(const struct host *h);
/* Returns true if kernels store to a buffer. */
bool host_is_written(const struct lift_module *m, int bind);
/* Returns the name of a kernel's argument; an in-place output has the input's name. */
const char *host_name_in_call(const struct lift_module *m, int bind);
/* Marks parameters of the step that no kernel uses. */
void host_unused(const struct host *h);
/* Appends helpers that the text lacks. */
void host_helpers(const struct host *h, struct lift_str *out);
/* Prints kernels of the host and the function that calls them. */
void host_openmp_step(const struct host *h);
void host_call(const struct host *h);
/* Returns the number of launches of one call. */
int64_t host_runs(const struct host *h);
/* Returns the number of kernels in the program's list before those of this part. */
int host_first_kernel(const struct host *h);
/* Print the loop around kernels that one call repeats alternately. */
void host_begin_loop(const struct lift_module *m, int kernel, struct lift_str *out);
void host_end_loop(const struct lift_module *m, int kernel, struct lift_str *out);
/* host_program_gpu.c: likewise as CUDA C++ and HIP. */
void host_gpu_includes(const struct host *h);
void host_gpu(const struct host *h);
void host_gpu_words(const struct host *h);
/* True if a kernel takes tensor maps, which the driver makes. */
bool host_has_tensors(const struct host *h);
/* host_program_tables.c: tables for the common text: the facts of the program, and a
 * kernel with its arrays. */
void host_tables(const struct host *h);
void host_kernel(const struct host *h);

#endif
