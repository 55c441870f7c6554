/* What code generation makes: a module of one or more kernels in one dialect, with the
 * buffers that they share and the launch of each. A low-level term with all sizes and
 * tunables numbers goes in; text comes out, the same text for the same term. */
#ifndef CODEGEN_KERNEL_H
#define CODEGEN_KERNEL_H

#include "ir/expr.h"
#include "lift/dialect.h"
#include <stddef.h>

/* True if kernels are run by groups of work-items. */
bool lift_dialect_has_groups(enum lift_dialect dialect);
/* True if copies to local memory may go on while work-items compute ('copy=async'). */
bool lift_dialect_copies_asynchronously(enum lift_dialect dialect);

/* The levels of the loops around a place, a bit each, or three bits, by dimension. */
enum lift_around {
    LIFT_AROUND_PAR = 1,
    LIFT_AROUND_SIMD = 2,
    LIFT_AROUND_GLB = 7 << 2,
    LIFT_AROUND_WRG = 7 << 5,
    LIFT_AROUND_LCL = 7 << 8,
};

/* A level that loops have in a dialect. */
struct lift_loop_level {
    enum lift_op op; /* the form of map */
    unsigned bits;   /* what it is in the loops inside; 0: they need not know */
    unsigned
        excludes;    /* what may not be around it, beside the same level and dimension */
    unsigned within; /* one of which has to be around it; 0: none */
};

/* NULL if the dialect has no such level. */
const struct lift_loop_level *lift_dialect_level(enum lift_dialect dialect,
                                                 enum lift_op op);
/* The bit of a map of that level. */
unsigned lift_level_bit(const struct lift_loop_level *level, lift_expr map);
/* Why it may not stand in loops that are 'around', as that follows its name in a message;
 * NULL: it may. */
const char *lift_level_misplaced(const struct lift_loop_level *level, lift_expr map,
                                 unsigned around);

/* How a kernel is launched: global size (a multiple of the local one) and local size, per
 * dimension, both 1 beyond 'dims'. The host dialect ignores it (dims 0). */
struct lift_launch {
    int dims;
    size_t global[3], local[3];
    size_t dynamic_bytes; /* CUDA: local memory that the launch asks for */
};

/* What a kernel's arguments are bound to. Tuples are passed as one buffer a member. */
enum lift_bind_kind {
    LIFT_BIND_INPUT, /* 'index' counts the inputs' buffers, in the order of the program */
    LIFT_BIND_OUTPUT, /* 'index' counts the outputs' buffers */
    LIFT_BIND_TEMP,   /* scratch memory that the caller allocates */
    LIFT_BIND_PARAM,  /* a scalar, by value; 'index' counts the parameters */
};

/* Where the elements of an array lie in its buffer, in elements: element (i, j, ...) at
 * offset + i * stride[0] + j * stride[1] + ... Arrays of the same lengths and element
 * type have the same layout, inputs and outputs alike, so that outputs can be the inputs
 * of the next step. What lies between the elements is the halo: where there is a 'fill',
 * kernels read it and whoever makes the buffer, of an input, an output or scratch memory,
 * puts that number there; else no result depends on it. So it is with
 * some elements behind the last of the halo. Kernels never write any of it.
 */
enum { LIFT_LAYOUT_DIMS = 6 };

struct lift_layout {
    int dims;
    int64_t length[LIFT_LAYOUT_DIMS], stride[LIFT_LAYOUT_DIMS];
    int64_t before[LIFT_LAYOUT_DIMS], after[LIFT_LAYOUT_DIMS]; /* read beyond the grid */
    int64_t offset;
    int64_t multiple, at; /* element 'at' of each row lies at a multiple; 0: anywhere */
    /* The longest stride is a multiple of 'apart' and 'apart_rest' more; 0: any. */
    int64_t apart, apart_rest;
    lift_expr fill; /* a number made of literals and parameters; NULL: there is none */
};

struct lift_bind {
    enum lift_bind_kind kind;
    int index;
    const char *name;        /* in the text */
    const char *label;       /* in the program: the same unless that has a meaning in C */
    enum lift_scalar scalar; /* element type, or the type of the parameter */
    int64_t count;           /* elements of a buffer, halo included; 1 for a parameter */
    const struct lift_layout *layout; /* NULL: row-major, without gaps */
    /* OUTPUT: the bind of the input in whose buffer it is stored, and no buffer of its
     * own; else -1. A launch destroys that input. */
    int in_place;
};

/* A buffer as an array of which the hardware copies boxes to local memory (CUDA, sm_90
 * on): element (i, j, ...) at offset + i * stride[0] + j * stride[1] + ..., all in
 * elements; the last stride is 1, the others are multiples of 16 bytes, and so is the
 * address of element 0. What a box has outside the array is zero. */
enum { LIFT_TENSOR_DIMS = 5 };

/* Boxes are of arrays of at most so many dimensions, as lift_box of cuda.inc; they have
 * at most so many elements a side, and begin at a multiple of 'lead' elements of a row,
 * as the hardware demands; rows of the array are whole so many bytes. */
enum { LIFT_BOX_DIMS = 3, LIFT_BOX_SIDE = 256, LIFT_BOX_LEAD = 4, LIFT_BOX_BYTES = 16 };

struct lift_tensor {
    int bind; /* whose buffer it is */
    int dims;
    int64_t offset;
    int64_t length[LIFT_TENSOR_DIMS], stride[LIFT_TENSOR_DIMS];
    int box[LIFT_TENSOR_DIMS]; /* 1 to 256 elements; a row of it is a multiple of 16 bytes
                                */
};

struct lift_kernel {
    const char *name;
    struct lift_launch launch;
    const int *args; /* indices into the module's binds, in the kernel's order */
    int arg_count;
    const struct lift_tensor *tensors; /* parameters after these: maps of 128 bytes */
    int tensor_count;
    int64_t local_bytes; /* local memory of a group */
    /* Of global memory, what it reads and writes, each element once: what caches do not
     * keep, and what neighbouring tiles both need, comes on top. */
    int64_t read_bytes, written_bytes;
    /* Of the last kernel of a loop: those from 'first' to this one are run in turn, so
     * often; 1: there is none. Loops are not inside each other. */
    int first;
    int64_t times;
};

/* Kernels run in their order. The host's kernel 'k' also has an entry 'k_call' that takes
 * its arguments as an array of pointers: to the data of buffers, to the values of
 * parameters. The source is a comment, the helpers and the text of the kernels; two
 * modules in one file need a helper that both have once only. */
struct lift_module {
    enum lift_dialect dialect;
    const char *source;
    const char *comment, *text;
    const char *const *helpers; /* includes, types, macros and functions, in order */
    int helper_count;
    const struct lift_bind *binds; /* inputs, outputs, temps, parameters */
    int bind_count;
    const struct lift_kernel *kernels;
    int kernel_count;
    const char *step; /* an identifier for what calls the kernels, beside the text */
};

/* How often a launch runs a kernel. */
int64_t lift_module_runs(const struct lift_module *module, int kernel);

struct lift_codegen_options {
    enum lift_dialect dialect;
    const char *name;        /* of the program: prefix of the kernels' names */
    const lift_expr *inputs; /* free variables of array type, in order */
    int input_count;
    const lift_expr *params; /* free variables of scalar type, in order */
    int param_count;
    const bool *dying; /* inputs whose value nobody needs after the launch, so that
                        * a result may be stored there; NULL: none */
    const char *const *outputs; /* names; one, or one a member of a tuple-valued term */
    int output_count;
    /* The program itself has physical pads: what planes (of the outermost dimension) lie
     * there is its caller's affair, such as those of a part's neighbours; they are read,
     * and not taken to hold a number. */
    bool stored;
    int local[3];   /* work-group size a dimension, for mapGlb and mapLcl; 0 is 1 */
    int index_bits; /* of indices: 32 where all buffers allow it, else 64 */
    int resident; /* CUDA, HIP: groups that a compute unit has to have room for, by which
                     the compiler limits registers; 0: as it chooses */
    int warp;     /* work-items that run together, which HIP counts that by; 0: 64 */
    int64_t most_straight; /* operations of straight-line code; 0: as many as there are */
    int64_t most_code;     /* operations in the text of a kernel; 0: likewise */
    /* Values bit by bit as the interpreter has them (docs/rule-files.md): nothing is
     * contracted, min and max say which zero they give, subnormal numbers are kept. */
    bool exact;
    const char *comment;  /* lines for the head of the source, or NULL */
    bool local_functions; /* host: kernels are static and have no k_call */
    /* The pass (lift_codegen_pass) that is the last one: the text is that of the kernels
     * behind it, in no dialect where the dialect has none yet. NULL: all of them. */
    const char *last_pass;
    /* Another module of the program is in the same file, and its C functions are not
     * these: a word that tells them apart. NULL: there is none. */
    const char *beside;
};

/* What is done to a kernel after it was generated, in this order: NULL behind the last. A
 * pass does nothing for dialects that have no use for it. */
struct lift_pass {
    const char *name, *doc;
};

const struct lift_pass *lift_codegen_pass(int i);
bool lift_codegen_has_pass(enum lift_dialect dialect, int i);

/* The module, in the arena of 'ir', or NULL and the reason: the term is not a low-level
 * term of this dialect. */
const struct lift_module *lift_codegen(struct lift_ir *ir, lift_expr body,
                                       const struct lift_codegen_options *options,
                                       struct lift_str *why);

#endif
