/* The result of code generation: a module of one or more kernels in one dialect, with
 * their buffers and launches. The input is a low-level term whose sizes and tunables are
 * numbers. The same term gives the same text. */
#ifndef CODEGEN_KERNEL_H
#define CODEGEN_KERNEL_H

#include "ir/expr.h"
#include "lift/dialect.h"
#include <stddef.h>

/* True if the dialect runs kernels by groups of work-items. */
bool lift_dialect_has_groups(enum lift_dialect dialect);
/* True if copies to local memory can overlap with computation ('copy=async'). */
bool lift_dialect_copies_asynchronously(enum lift_dialect dialect);

/* The levels of the loops around a place: one bit each, or three bits by dimension. */
enum lift_around {
    LIFT_AROUND_PAR = 1,
    LIFT_AROUND_SIMD = 2,
    LIFT_AROUND_GLB = 7 << 2,
    LIFT_AROUND_WRG = 7 << 5,
    LIFT_AROUND_LCL = 7 << 8,
};

/* A parallel level of loops in a dialect. */
struct lift_loop_level {
    enum lift_op op;   /* the form of map */
    unsigned bits;     /* bits that inner loops see; 0: none */
    unsigned excludes; /* levels that must not enclose this level, besides itself */
    unsigned within;   /* one of these levels must enclose the level; 0: none */
};

/* The level of a map; NULL if the dialect has no such level. */
const struct lift_loop_level *lift_dialect_level(enum lift_dialect dialect,
                                                 enum lift_op op);
/* The bit of a map of that level. */
unsigned lift_level_bit(const struct lift_loop_level *level, lift_expr map);
/* The reason why loops 'around' may not enclose the map, to be printed after its name.
 * NULL: they may enclose it. */
const char *lift_level_misplaced(const struct lift_loop_level *level, lift_expr map,
                                 unsigned around);

/* The launch of a kernel: global size (a multiple of the local size) and local size per
 * dimension. Both are 1 beyond 'dims'. Host kernels have dims 0. */
struct lift_launch {
    int dims;
    size_t global[3], local[3];
    size_t dynamic_bytes; /* CUDA: dynamic shared memory of the launch */
};

/* The kinds of kernel arguments. Tuples are passed as one buffer per member. */
enum lift_bind_kind {
    LIFT_BIND_INPUT, /* 'index' counts the inputs' buffers, in the order of the program */
    LIFT_BIND_OUTPUT, /* 'index' counts the outputs' buffers */
    LIFT_BIND_TEMP,   /* scratch memory that the caller allocates */
    LIFT_BIND_PARAM,  /* a scalar, by value; 'index' counts the parameters */
};

/* The layout of an array in its buffer, in elements: element (i, j, ...) is at offset + i
 * * stride[0] + j * stride[1] + ... Arrays of equal lengths and element type have one
 * layout, so that outputs can be the inputs of the next step. The halo is the memory
 * between the elements. With a 'fill', kernels read the halo. The caller stores this
 * number in the halo of every input, output and scratch buffer. Without a 'fill', no
 * result depends on the halo. The same holds for elements after the halo. Kernels never
 * write the halo. */
enum { LIFT_LAYOUT_DIMS = 6 };

struct lift_layout {
    int dims;
    int64_t length[LIFT_LAYOUT_DIMS], stride[LIFT_LAYOUT_DIMS];
    int64_t before[LIFT_LAYOUT_DIMS], after[LIFT_LAYOUT_DIMS]; /* read beyond the grid */
    int64_t offset;
    /* Element 'at' of each row is at a multiple of 'multiple'; 0: any address. */
    int64_t multiple, at;
    /* The longest stride is a multiple of 'apart' plus 'apart_rest'; 0: any stride. */
    int64_t apart, apart_rest;
    lift_expr fill; /* a number made of literals and parameters; NULL: no fill */
};

struct lift_bind {
    enum lift_bind_kind kind;
    int index;
    const char *name;        /* in the text */
    const char *label;       /* in the program; differs from 'name' if reserved */
    enum lift_scalar scalar; /* element type, or the type of the parameter */
    int64_t count;           /* elements of a buffer, halo included; 1 for a parameter */
    const struct lift_layout *layout; /* NULL: row-major, without gaps */
    /* OUTPUT: the bind of the input that the output overwrites in place; -1: a separate
     * buffer. A launch destroys that input. */
    int in_place;
};

/* A buffer as the source of TMA copies (CUDA, sm_90 and later): element (i, j, ...) is at
 * offset + i * stride[0] + j * stride[1] + ..., in elements. The last stride is 1; the
 * other strides and the address of element 0 are multiples of 16 bytes. Elements of a box
 * outside the array are zero. */
enum { LIFT_TENSOR_DIMS = 5 };

/* Limits of TMA copies: dimensions of the array (as in lift_box of cuda.inc), and
 * elements per side. Also the alignment of the first element of a row, in elements, and a
 * number of bytes that divides a row. */
enum { LIFT_BOX_DIMS = 3, LIFT_BOX_SIDE = 256, LIFT_BOX_LEAD = 4, LIFT_BOX_BYTES = 16 };

struct lift_tensor {
    int bind; /* index of the module's bind */
    int dims;
    int64_t offset;
    int64_t length[LIFT_TENSOR_DIMS], stride[LIFT_TENSOR_DIMS];
    int box[LIFT_TENSOR_DIMS]; /* 1 to 256 elements; a row is a multiple of 16 bytes */
};

struct lift_kernel {
    const char *name;
    struct lift_launch launch;
    const int *args; /* indices into the module's binds, in the kernel's order */
    int arg_count;
    const struct lift_tensor *tensors; /* later parameters: tensor maps of 128 bytes */
    int tensor_count;
    int64_t local_bytes; /* local memory of a group */
    /* Bytes of global memory that the kernel reads and writes, each element once. Cache
     * misses and overlapping tiles add to these bytes. */
    int64_t read_bytes, written_bytes;
    /* Set in the last kernel of a loop: the kernels from 'first' to this kernel run in
     * order, 'times' times; 1: no loop. Loops are not nested. */
    int first;
    int64_t times;
};

/* Kernels run in order. A host kernel 'k' also has an entry 'k_call' whose argument is an
 * array of pointers to buffers and to values of parameters. The source is a comment, the
 * helpers and the text of the kernels. Two modules in one file share their helpers. */
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
    const char *step; /* an unused identifier for a function that calls the kernels */
};

/* The number of runs of a kernel in one launch of the module. */
int64_t lift_module_runs(const struct lift_module *module, int kernel);

struct lift_codegen_options {
    enum lift_dialect dialect;
    const char *name;        /* name of the program: prefix of the kernels' names */
    const lift_expr *inputs; /* free variables of array type, in order */
    int input_count;
    const lift_expr *params; /* free variables of scalar type, in order */
    int param_count;
    /* Inputs that a result may overwrite, since the caller does not read them after the
     * launch; NULL: none. */
    const bool *dying;
    const char *const *outputs; /* names: one, or one per member of a tuple */
    int output_count;
    /* The program itself has physical pads in the outermost dimension. The caller fills
     * them, for example with ghost planes; no fill value is assumed. */
    bool stored;
    int local[3];   /* work-group size per dimension, for mapGlb and mapLcl; 0 means 1 */
    int index_bits; /* bits of indices: 32 if all buffers allow it, otherwise 64 */
    int resident; /* CUDA, HIP: minimum of resident groups per compute unit, which limits
                     registers; 0: the compiler chooses */
    int warp;     /* warp size; HIP counts 'resident' in warps; 0: 64 */
    int64_t most_straight; /* maximum of operations in straight-line code; 0: no limit */
    int64_t most_code;     /* maximum of operations in a kernel's text; 0: no limit */
    /* Values equal the interpreter's bit by bit (docs/rule-files.md): no contraction,
     * exact zeros of min and max, subnormal numbers. */
    bool exact;
    const char *comment;  /* lines for the head of the source, or NULL */
    bool local_functions; /* host: kernels are static and have no k_call */
    /* The last pass to run (lift_codegen_pass); the text shows the kernels after this
     * pass. NULL: all passes run. */
    const char *last_pass;
    /* A prefix for C functions if the file contains another module of the program; NULL:
     * none. */
    const char *beside;
};

/* The passes over a generated kernel, in order; NULL after the last. A pass leaves
 * kernels of other dialects unchanged. */
struct lift_pass {
    const char *name, *doc;
};

const struct lift_pass *lift_codegen_pass(int i);
bool lift_codegen_has_pass(enum lift_dialect dialect, int i);

/* The module, in the arena of 'ir'. NULL and the reason if the term is not a low-level
 * term of this dialect. */
const struct lift_module *lift_codegen(struct lift_ir *ir, lift_expr body,
                                       const struct lift_codegen_options *options,
                                       struct lift_str *why);

#endif
