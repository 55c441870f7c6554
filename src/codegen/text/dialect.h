/* What differs between the languages that kernels are printed in: data first. A new
 * target is one struct, listed in dialect.c. */
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
    /* Definitions of vectors, of asynchronous copies, by boxes, of barriers in
     * two parts. */
    CG_CUDA_VECTORS,
    CG_CUDA_COPIES,
    CG_CUDA_BOXES,
    CG_CUDA_FETCH,
    CG_CUDA_READERS,
    CG_CUDA_PARTS,
    /* Groups that wait for each other. */
    /* Conversions of f16 and bf16, four for each language. */
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
    /* Format of the attribute for three sizes, and the text that introduces the register
     * limit ("" for OpenCL, which has none); or NULL. */
    const char *group_size;
    int wave_units;      /* registers: by waves on each of so many units; 0: by groups */
    const char *barrier; /* "" where there is no group */
    /* Text of a warp shuffle: before the value, for a positive and a negative distance,
     * and after the distance; NULL: work-items exchange values through local memory. */
    const char *beside[3];
    /* Text before and after a condition in a vote over a row of work-items; NULL: none.
     */
    const char *any_of_row[2];
    bool item_loops;    /* there are drivers that make loops of work-items */
    bool barrier_parts; /* a barrier can be passed in two parts */
    bool async_copies;  /* lift_copy, lift_commit and lift_wait of the prelude */
    /* By dimension. Where there is no work-item, it is made of group and item. */
    const char *work_item[3], *group[3], *item[3];
    const char *local_array; /* before the type of a local array */
    const char *local_space; /* before the type that a pointer to one points to */
    bool local_at_top;       /* local arrays are declared at the head of the kernel */
    /* Where a kernel's local arrays are larger together, they are parts of one that the
     * launch asks for; 0: no limit. */
    int64_t static_local;
    bool suffix_f32;      /* sqrtf rather than sqrt */
    bool folds_zero;      /* gcc compiles it: print_expr.c, hides_sign */
    bool lane_functions;  /* there may be forms of exp, sin, ... for lanes of a loop */
    enum cg_text storage; /* the first of its conversions */
    const char *helper;   /* before the type of a helper function */
    enum vectors vectors;
    /* LIFT_MIN and LIFT_MAX of integers of 32 bits by an instruction each, of which
     * compilers do not make conditional expressions; NULL: there are none. */
    const char *minmax;
    const char *global; /* before the type that a pointer to a buffer points to */
    bool call_entry;    /* kernels have a k_call(void *const *) too */
    /* The levels of its loops, and which may stand in which; ends with LIFT_OP_COUNT. */
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

/* Where a local array begins in the memory that a launch asks for: after 'used' bytes. */
enum { CG_LOCAL_ALIGN = 128 };
int64_t cg_local_start(int64_t used);

/* C functions that the text calls, in the order of their first calls. */
struct user_funs {
    const char **texts; /* interned; the list is malloc'd */
    int count, cap;
};

/* The text being made, and what its prelude must hold. */
struct printer {
    const struct dialect *d;
    const char *index_type; /* of loop variables */
    struct lift_str *out;
    int indent;
    const struct kernel *kernel;    /* the current kernel */
    bool exact, ieee, uses_threads; /* ieee: entries make sure of the arithmetic */
    unsigned hidden; /* a bit for each scalar type that lift_signed_ is called for */
    unsigned leasts; /* a bit for each scalar type that min or max is called for */
    unsigned lane_functions; /* a bit each function, and its type, that has such forms */
    uint64_t vector_functions[KX_LANE_FUNCTIONS]; /* those of them that vectors go to */
    bool uses_fence, uses_div, uses_minmax, uses_async, uses_boxes, uses_parts,
        uses_beside, uses_fetch, uses_readers;
    int64_t most_work; /* of a kernel */
    struct user_funs user_funs;
    const char *beside;    /* as in lift_codegen_options */
    uint64_t vector_types; /* a bit each width of each scalar type */
    uint64_t selects;      /* those that lanes are chosen of by masks */
    uint64_t stores;       /* vector types with non-temporal stores */
    /* By the number of the type: the lanes that rows out of two begin at. */
    uint64_t rows[LIFT_SCALARS * 8];
    /* What conversions of f16 and bf16 to f32, and to them: bits of vector types, and the
     * lowest of a scalar type for the numbers themselves. */
    uint64_t widened, narrowed;
};

static inline unsigned cg_lane_bit(int function, enum lift_scalar scalar)
{
    return 1u << (2 * function + (scalar == LIFT_F64));
}

/* Precedence of expressions; 'parent' is the least that needs no parentheses. */
enum { P_SELECT = 1, P_OR, P_AND, P_EQ, P_LESS, P_SUM, P_PRODUCT, P_UNARY, P_PRIMARY };

/* print_nat.c: parentheses, if 'yes'. */
void cg_open_paren(struct printer *p, bool yes);
void cg_close_paren(struct printer *p, bool yes);
void cg_print_nat(struct printer *p, lift_nat n, int parent);
/* Text with arguments: %s a text, %d an int, %l an int64_t, %n a lift_nat, %x a kx, %t a
 * lift_type. */
void cg_put(struct printer *p, const char *format, ...);
/* print_loop.c: how many statements a block does. */
int64_t cg_work(const struct kblock *block);
/* storage_text.c: a conversion from f16 or bf16, or to them. */
void cg_print_storage(struct printer *p, kx e);
void cg_print_kx(struct printer *p, kx e, int parent);
void cg_print_type(struct printer *p, lift_type t);
/* The bit of a vector type in a set of types; none if its width is no power of two up to
 * 64. */
uint64_t cg_vector_bit(lift_type t);
const char *cg_scalar_type(enum lift_scalar scalar, bool memory);
/* The declaration of a local or private array. */
void cg_print_array(struct printer *p, const struct kbuffer *b);
void cg_print_stmts(struct printer *p, const struct kblock *block,
                    const struct lift_launch *launch);
void cg_line(struct printer *p);
void cg_print_fence(struct printer *p);
/* Prints " {" and "}" and indents the text between them. */
void cg_open_block(struct printer *p);
/* A block that each thread of a team goes through. */
void cg_open_team(struct printer *p);
void cg_close_block(struct printer *p);
/* user_fun.c */
void cg_print_user_name(struct printer *p, const char *text);
/* Types and macros that functions of the program need; and these functions. */
void cg_add_user_types(const struct printer *p, struct lift_str *out);
void cg_add_user_funs(const struct printer *p, struct lift_str *out);
/* print_prelude.c: what the text of the kernels uses; each helper ends with a newline. */
struct helpers {
    struct lift_arena *arena;
    const char **items; /* in the arena */
    int count;
};
void cg_add_helpers(const struct printer *p, struct helpers *h);
/* Nothing, if the text is empty; it is released. */
void cg_add_helper(struct helpers *h, struct lift_str *text);
/* print_plain.c: a kernel, or one statement without its blocks, as text of no dialect. */
void cg_print_plain(const struct kernel *k, struct lift_str *out);
void cg_print_plain_statement(const struct ks *s, struct lift_str *out);
/* True if dialects have text for all statements: some wait for passes, which may be left
 * out (lift_codegen_options). */
bool cg_is_printable(const struct kernel *k);
/* print_loop.c */
void cg_print_loop(struct printer *p, const struct ks *s,
                   const struct lift_launch *launch);
/* Prints a buffer's elements from 'at' on as one vector, if they are known to lie at a
 * multiple of its size: then it is one access on every device. False if they are not. */
bool cg_print_aligned(struct printer *p, const struct kbuffer *buffer, lift_nat at,
                      lift_type t, const char *qualifier);

#endif
