/* The differences between the languages of kernels, mainly as data. A new target needs
 * one struct in dialect.c. */
#ifndef CODEGEN_TEXT_DIALECT_H
#define CODEGEN_TEXT_DIALECT_H

#include "codegen/gen.h"

enum vectors {
    VECTORS_GCC,    /* GCC's vector extension */
    VECTORS_OPENCL, /* float4, vload4 */
    VECTORS_CUDA,   /* a class of the prelude */
};

/* Texts of cuda.inc and storage.inc, in their order. */
enum cg_text {
    /* Definitions of vectors, asynchronous copies, prefetches, non-temporal accesses, TMA
     * copies, mbarriers of readers, and split barriers. */
    CG_CUDA_VECTORS,
    CG_CUDA_COPIES,
    CG_CUDA_BOXES,
    CG_CUDA_FETCH,
    CG_CUDA_ONCE,
    CG_CUDA_READERS,
    CG_CUDA_PARTS,
    /* Conversions of f16 and bf16: four for each language. */
    CG_THREADS_F16_TO,
    CG_THREADS_F16_FROM,
    CG_THREADS_BF16_TO,
    CG_THREADS_BF16_FROM,
    CG_OPENCL_F16_TO,
    CG_OPENCL_F16_FROM,
    CG_OPENCL_BF16_TO,
    CG_OPENCL_BF16_FROM,
    CG_CUDA_F16_TO,
    CG_CUDA_F16_FROM,
    CG_CUDA_BF16_TO,
    CG_CUDA_BF16_FROM,
    CG_HIP_F16_TO,
    CG_HIP_F16_FROM,
    CG_HIP_BF16_TO,
    CG_HIP_BF16_FROM,
    CG_VECTORS_F16_TO,
    CG_VECTORS_F16_FROM,
    CG_VECTORS_BF16_TO,
    CG_VECTORS_BF16_FROM,
    CG_OPENCL_VECTORS_F16_TO,
    CG_OPENCL_VECTORS_F16_FROM,
    CG_OPENCL_VECTORS_BF16_TO,
    CG_OPENCL_VECTORS_BF16_FROM,
};
extern const char *const cg_texts[];

struct dialect {
    const char *headers;  /* first lines of a source */
    const char *function; /* before the type of a kernel */
    const char *input,
        *output; /* before the element type of a buffer argument, read or written */
    const char *restrict_word;
    /* Format of the attribute for three sizes, and of the register limit ("" for OpenCL,
     * which has no limit). NULL: no attribute. */
    const char *group_size;
    int wave_units;      /* register limit in waves per SIMD unit; 0: in groups */
    const char *barrier; /* "" if the dialect has no groups */
    /* Text of a warp shuffle: before the value, for a positive and a negative distance,
     * and after the distance; NULL: work-items exchange values through local memory. */
    const char *beside[3];
    /* Text before and after a condition in a vote over a row of work-items; NULL: none.
     */
    const char *any_of_row[2];
    bool item_loops;    /* some drivers execute work-items as loops */
    bool barrier_parts; /* the dialect has split barriers */
    bool async_copies;  /* lift_copy, lift_commit and lift_wait of the prelude */
    /* By dimension. If 'work_item' is NULL, its value is computed from 'group' and
     * 'item'. */
    const char *work_item[3], *group[3], *item[3];
    const char *local_array; /* before the type of a local array */
    const char *local_space; /* before the type of a pointer's target in local memory */
    bool local_at_top;       /* local arrays are declared at the head of the kernel */
    /* If a kernel's local arrays exceed this size together, they are parts of one dynamic
     * array, whose size the launch sets; 0: no limit. */
    int64_t static_local;
    bool suffix_f32;      /* sqrtf rather than sqrt */
    bool folds_zero;      /* gcc compiles the text: see hides_sign in print_expr.c */
    bool lane_functions;  /* vector forms of exp, sin, ... may exist */
    enum cg_text storage; /* the first conversion of the dialect */
    const char *helper;   /* before the type of a helper function */
    enum vectors vectors;
    /* LIFT_MIN and LIFT_MAX of 32-bit integers as one instruction each, which compilers
     * do not turn into conditional expressions. NULL: none. */
    const char *minmax;
    /* Before the arguments of non-temporal stores and loads, of scalars and of vectors.
     */
    const char *nontemporal_store, *nontemporal_load;
    const char *global; /* before the type of a pointer's target in a buffer */
    bool call_entry;    /* kernels also have a k_call(void *const *) */
    /* The levels of loops, and their nesting; ends with LIFT_OP_COUNT. */
    const struct lift_loop_level *levels;
};

extern const struct dialect cg_dialects[];

/* host_text.c: helpers for non-temporal vector stores and their fence, and for the lanes
 * of two adjacent vectors. */
struct printer;
struct helpers;
void cg_add_stores(const struct printer *p, struct helpers *h);
void cg_add_rows(const struct printer *p, struct helpers *h);

/* storage_text.c: conversions of f16 and bf16. */
void cg_add_storage(const struct printer *p, struct helpers *h);

/* The offset of a local array in dynamic memory, after 'used' bytes. */
enum { CG_LOCAL_ALIGN = 128 };
int64_t cg_local_start(int64_t used);

/* C functions that the text calls, in the order of their first calls. */
struct user_funs {
    const char **texts; /* interned; the list is malloc'd */
    int count, cap;
};

/* The text under construction, and the helpers that its prelude needs. */
struct printer {
    const struct dialect *d;
    const char *index_type; /* type of loop variables */
    struct lift_str *out;
    int indent;
    const struct kernel *kernel;    /* the current kernel */
    bool exact, ieee, uses_threads; /* ieee: entries set IEEE arithmetic */
    unsigned hidden; /* a bit for each scalar type that lift_signed_ is called for */
    unsigned leasts; /* a bit for each scalar type that min or max is called for */
    unsigned lane_functions; /* a bit for each function and type with vector forms */
    uint64_t vector_functions[KX_LANE_FUNCTIONS]; /* vector types of their arguments */
    bool uses_fence, uses_div, uses_minmax, uses_async, uses_boxes, uses_parts,
        uses_beside, uses_fetch, uses_readers, uses_nontemporal;
    int64_t most_work; /* maximum over the kernels */
    struct user_funs user_funs;
    const char *beside;    /* as in lift_codegen_options */
    uint64_t vector_types; /* a bit for each width of each scalar type */
    uint64_t selects;      /* vector types with selects by masks */
    uint64_t stores;       /* vector types with non-temporal stores */
    /* By vector type: a bit for each first lane of rows from two vectors. */
    uint64_t rows[LIFT_SCALARS * 8];
    /* Conversions from f16 and bf16 to f32, and back: bits of vector types. The lowest
     * bit of a scalar type stands for scalars. */
    uint64_t widened, narrowed;
};

static inline unsigned cg_lane_bit(int function, enum lift_scalar scalar)
{
    return 1u << (2 * function + (scalar == LIFT_F64));
}

/* Precedence of expressions; 'parent' is the least precedence that needs no parentheses.
 */
enum { P_SELECT = 1, P_OR, P_AND, P_EQ, P_LESS, P_SUM, P_PRODUCT, P_UNARY, P_PRIMARY };

/* print_nat.c: prints a parenthesis if 'yes'. */
void cg_open_paren(struct printer *p, bool yes);
void cg_close_paren(struct printer *p, bool yes);
void cg_print_nat(struct printer *p, lift_nat n, int parent);
/* Prints text with arguments: %s a text, %d an int, %l an int64_t, %n a lift_nat, %x a
 * kx, %t a lift_type. */
void cg_put(struct printer *p, const char *format, ...);
/* print_loop.c: the number of statements that a block executes. */
int64_t cg_work(const struct kblock *block);
/* storage_text.c: prints a conversion from f16 or bf16, or to them. */
void cg_print_storage(struct printer *p, kx e);
void cg_print_kx(struct printer *p, kx e, int parent);
void cg_print_type(struct printer *p, lift_type t);
/* The bit of a vector type in a set of types; 0 if its width is no power of two up to 64.
 */
uint64_t cg_vector_bit(lift_type t);
const char *cg_scalar_type(enum lift_scalar scalar, bool memory);
/* Prints the declaration of a local or private array. */
void cg_print_array(struct printer *p, const struct kbuffer *b);
void cg_print_stmts(struct printer *p, const struct kblock *block,
                    const struct lift_launch *launch);
void cg_line(struct printer *p);
void cg_print_fence(struct printer *p);
/* Prints " {" and "}" and indents the text between them. */
void cg_open_block(struct printer *p);
/* Opens a block that each thread of a team executes. */
void cg_open_team(struct printer *p);
void cg_close_block(struct printer *p);
/* user_fun.c */
void cg_print_user_name(struct printer *p, const char *text);
/* Add the types and macros that functions of the program need, and these functions. */
void cg_add_user_types(const struct printer *p, struct lift_str *out);
void cg_add_user_funs(const struct printer *p, struct lift_str *out);
/* print_prelude.c: the helpers that the text of the kernels uses. Each helper ends with a
 * newline. */
struct helpers {
    struct lift_arena *arena;
    const char **items; /* in the arena */
    int count;
};
void cg_add_helpers(const struct printer *p, struct helpers *h);
/* Adds a helper and releases 'text'. An empty text adds nothing. */
void cg_add_helper(struct helpers *h, struct lift_str *text);
/* print_plain.c: prints a kernel, or one statement without its blocks, as text of no
 * dialect. */
void cg_print_plain(const struct kernel *k, struct lift_str *out);
void cg_print_plain_statement(const struct ks *s, struct lift_str *out);
/* True if dialects have text for all statements. Some statements need passes, which may
 * be left out (lift_codegen_options). */
bool cg_is_printable(const struct kernel *k);
/* print_loop.c */
void cg_print_loop(struct printer *p, const struct ks *s,
                   const struct lift_launch *launch);
/* Prints a buffer's elements from 'at' on as one vector, if their alignment is known.
 * Such a vector is one access on every device. Otherwise returns false. */
bool cg_print_aligned(struct printer *p, const struct kbuffer *buffer, lift_nat at,
                      lift_type t, const char *qualifier);

#endif
