/* The kernel AST: statements and expressions of a kernel, independent of the dialect.
 * Index arithmetic consists of nats over loop variables; values are kx, statements ks.
 * The generator builds the AST bottom-up in an arena; print.c prints the AST. */
#ifndef CODEGEN_KAST_H
#define CODEGEN_KAST_H

#include "codegen/kernel.h"

enum kspace { KSPACE_GLOBAL, KSPACE_LOCAL, KSPACE_PRIVATE };

/* Memory of one scalar type. */
struct kbuffer {
    const char *name;
    enum kspace space;
    enum lift_scalar scalar;
    int64_t count;
    int bind;                         /* index of the module's bind, or -1 */
    const struct lift_layout *layout; /* NULL: row-major, without gaps */
    bool written;                     /* this kernel writes the buffer */
    bool fenced;          /* the code that fills the buffer emits its barriers */
    struct kbuffer *over; /* local: shares the memory of this buffer; NULL: own memory */
};

enum kx_kind {
    KX_NAT,   /* an index or a size, of type i32 */
    KX_FLOAT, /* a literal */
    KX_BOOL,
    KX_VAR,     /* a scalar or a vector in a variable */
    KX_LOAD,    /* buffer[index]; vectors: the lanes from index on */
    KX_OP,      /* a scalar primitive, select included */
    KX_LANES,   /* a vector of scalars, or one scalar in all lanes */
    KX_LANE,    /* a lane of a vector */
    KX_ROW,     /* the lanes from 'lane' on of two adjacent vectors */
    KX_SHUFFLE, /* a warp shuffle: the value in the work-item at distance 'lane' (which
                 * may be negative) in the first dimension, in a row of LIFT_ROW_ITEMS;
                 * undefined outside the row */
};

struct mem;
struct lift_access;

/* An expression without side effects. */
struct kx {
    enum kx_kind kind;
    int arg_count; /* OP, LANES, LANE, ROW, SHUFFLE; others have none */
    lift_type type;
    const struct kx **args;
    union {
        lift_nat nat;     /* NAT */
        double number;    /* FLOAT */
        bool truth;       /* BOOL */
        const char *name; /* VAR */
        int lane;         /* LANE, ROW, SHUFFLE */
        struct {
            enum lift_op op;
            const char *text; /* USER_FUN: the C definition; NULL for other operators */
        } op;                 /* OP */
        struct {
            struct kbuffer *buffer;
            lift_nat at;
            /* The array and element in global memory; NULL for other memory. */
            const struct mem *mem;
            const struct lift_access *path;
        } load; /* LOAD */
    };
};

typedef const struct kx *kx;

/* How the iterations of a loop are divided. */
enum kloop {
    KLOOP_SEQ,
    KLOOP_PAR,  /* OpenMP threads */
    KLOOP_TASK, /* OpenMP tasks */
    KLOOP_SIMD, /* simd lanes */
    KLOOP_GLB,  /* work-items, work-groups, work-items of a group */
    KLOOP_WRG,
    KLOOP_LCL,
};

/* The code that gets a version without boundary checks: see passes/pass_version.c. */
enum kversion { KVERSION_NONE, KVERSION_LOOP, KVERSION_ITERATION };

/* How passes treat the statements of a block. Copies of a block keep its style. */
struct kstyle {
    int loads; /* adjacent loads become vector loads of this width; 0, 1: scalar loads */
    bool tests_last; /* boundary checks follow the values that they select */
    bool tests_once; /* equal boundary checks become one branch */
};

struct kblock {
    struct ks *first, *last;
    struct ks *of; /* the statement that owns the block; NULL: none */
    struct kstyle style;
};

/* A batch of TMA copies, by its number. The mbarrier at number mod count in 'bars' counts
 * the bytes that have arrived; number / count is its phase. Without 'bars': a batch of
 * cp.async copies, which has no number. */
struct kbatch {
    struct kbuffer *bars;
    lift_nat number;
    int64_t count;
};

enum ks_kind {
    KS_LOOP,
    KS_IF,
    KS_ELECT, /* a block that one work-item of the group executes */
    KS_DECL,  /* a variable, with its first value */
    KS_ASSIGN,
    KS_ARRAY, /* declares a local or private buffer */
    KS_STORE,
    KS_BARRIER,
    KS_ARRIVE, /* split barrier: signals without waiting */
    KS_AWAIT,  /* split barrier: waits until the whole group has arrived */
    /* Orders stores to local memory before later TMA copies; on CPUs, makes non-temporal
     * stores visible to other threads. */
    KS_FENCE,
    KS_OPEN,   /* initialises mbarriers */
    KS_CLOSE,  /* invalidates mbarriers */
    KS_COMMIT, /* the asynchronous stores of a work-item since the last commit are a batch
                */
    KS_WAIT,
    KS_EXPECT, /* adds bytes to the expected size of a batch, before its commit */
    KS_BOX,    /* TMA copy of a box of a tensor, as part of a batch */
    KS_PREFETCH,
};

/* The work-items that arrive at mbarriers: the work-item that issues TMA copies; the
 * whole group; or the whole group, where only the work-item that issues TMA copies waits.
 */
enum kbars { KBARS_BOXES, KBARS_ITEMS, KBARS_READERS };

/* The origin of a box in a tensor. */
struct kbox {
    int tensor;
    lift_nat from[LIFT_TENSOR_DIMS]; /* NULL beyond the tensor's dimensions */
};

struct ks {
    enum ks_kind kind;
    int order;       /* number in the kernel, for passes that number statements */
    bool together;   /* simple statements: interleaved with other grid points */
    struct ks *next; /* the next statement of the block */
    union {
        struct { /* LOOP: index from 0 to extent - 1, and below 'limit' unless NULL */
            struct kblock body;
            enum kloop level;
            int dim;   /* GLB, WRG, LCL */
            bool more; /* LCL: fills other elements of the array that the loop before
                        * fills, so no barrier is needed between the loops */
            lift_nat index, limit;
            int64_t extent;
            int collapse; /* PAR, TASK: number of collapsed loops; 0, 1: this loop only */
            enum lift_schedule schedule; /* PAR */
            enum lift_tasks tasks;       /* TASK */
            int lanes;     /* SIMD: vector width; 0, 1: the C compiler chooses */
            bool shuffles; /* SIMD: an unaligned row is made of two aligned vectors */
            /* SIMD: aligned vectors are stored to global memory by non-temporal stores;
             * GLB, WRG: so are scalars; PAR: the body has such stores. */
            bool nontemporal;
            /* GLB, WRG: non-temporal loads of elements that are read only at the written
             * grid point */
            bool nontemporal_loads;
            enum kversion version;
            int64_t ahead; /* SIMD: prefetch distance, in iterations of the outer loop */
        } loop;
        struct { /* IF */
            struct kblock body, otherwise;
            kx cond;
            /* All work-items of a row execute the test. If one work-item passes, all
             * work-items of the row may run the body. */
            bool row;
            bool versions; /* 'otherwise' is correct for both values of the condition */
        } test;
        struct {
            struct kblock body;
        } elect;
        struct { /* DECL, ASSIGN */
            const char *name;
            kx value;
            bool index; /* DECL: has the type of loop indices */
            bool row; /* ASSIGN: the work-items of a row vote on the condition 'value' */
        } set;
        struct {
            struct kbuffer *buffer;
        } array;
        struct { /* STORE: buffer[at] = value */
            struct kbuffer *buffer;
            lift_nat at;
            kx value;
            bool nontemporal;
            /* The value is a load from global memory. The store may complete as late as
             * the wait for its batch. */
            bool async;
        } store;
        struct { /* OPEN, CLOSE: 'count' mbarriers */
            struct kbuffer *bars;
            int64_t count;
            enum kbars of;
        } bars;
        struct { /* COMMIT, EXPECT, WAIT; ARRIVE, AWAIT: 'of' numbers the split barrier */
            struct kbatch of;
            int64_t pending; /* WAIT without number: batches that may stay in flight */
            /* COMMIT of TMA copies, EXPECT. ARRIVE and AWAIT: readers of a slot arrive,
             * and the work-item that refills the slot waits. */
            bool boxes;
            int64_t bytes; /* COMMIT, EXPECT: size of the TMA copies that follow */
        } batch;
        struct { /* BOX: fills the elements from buffer[at] on */
            struct kbuffer *buffer;
            lift_nat at;
            struct kbatch batch;
            struct kbox of;
        } box;
        struct { /* PREFETCH: buffer[at], which need not exist */
            struct kbuffer *buffer;
            lift_nat at;
        } prefetch;
    };
};

struct kernel {
    const char *name;
    struct kblock body;
    struct kbuffer **buffers; /* all buffers that the kernel reads or writes */
    int buffer_count, buffer_cap;
    struct ktensor {
        struct lift_tensor shape;
        struct kbuffer *buffer;
        const char *name;
    } * tensors; /* the sources of TMA copies */
    int tensor_count;
    struct kbuffer **once; /* global buffers that non-temporal loads read */
    int once_count;
    bool team;     /* one team of threads executes the whole kernel */
    int loop;      /* number, from 1, of the enclosing loop of launches; 0: none */
    int64_t times; /* iterations of that loop */
};

/* True if the kernel's loads from the buffer are non-temporal. */
bool kernel_reads_once(const struct kernel *k, const struct kbuffer *b);

/* Constructors of statements from their required members. The result is in no block. */
struct ks *ks_loop(struct lift_arena *arena, enum kloop level, int dim, lift_nat index,
                   int64_t extent);
struct ks *ks_if(struct lift_arena *arena, kx cond);
struct ks *ks_elect(struct lift_arena *arena);
struct ks *ks_decl(struct lift_arena *arena, const char *name, kx value);
struct ks *ks_assign(struct lift_arena *arena, const char *name, kx value);
struct ks *ks_array(struct lift_arena *arena, struct kbuffer *buffer);
struct ks *ks_store(struct lift_arena *arena, struct kbuffer *buffer, lift_nat at,
                    kx value);
struct ks *ks_barrier(struct lift_arena *arena);
struct ks *ks_fence(struct lift_arena *arena);
struct ks *ks_open(struct lift_arena *arena, struct kbuffer *bars, int64_t count,
                   enum kbars of);
struct ks *ks_close(struct lift_arena *arena, struct kbuffer *bars, int64_t count,
                    enum kbars of);
/* ARRIVE or AWAIT, for the phase that the batch numbers. */
struct ks *ks_meet(struct lift_arena *arena, enum ks_kind kind, struct kbatch batch);
struct ks *ks_commit(struct lift_arena *arena);
/* Waits for a batch of TMA copies; without number, until at most 'pending' batches are in
 * flight. */
struct ks *ks_wait(struct lift_arena *arena, struct kbatch batch, int64_t pending);
/* COMMIT of TMA copies, or EXPECT: each later copy of the batch adds its bytes. */
struct ks *ks_announce(struct lift_arena *arena, enum ks_kind kind, struct kbatch batch);
struct ks *ks_box(struct lift_arena *arena, struct kbuffer *buffer, lift_nat at,
                  struct kbatch batch, struct kbox box);
struct ks *ks_prefetch(struct lift_arena *arena, struct kbuffer *buffer, lift_nat at);
/* A copy that is in no block; its own blocks are empty. */
struct ks *ks_copy(struct lift_arena *arena, const struct ks *s);

void ks_append(struct kblock *block, struct ks *stmt);
/* Combines styles: the larger 'loads', and the flags of both. */
void ks_add_style(struct kstyle *to, struct kstyle other);
/* True if the statement only declares, assigns or stores. */
bool ks_is_simple(const struct ks *s);
/* The statement after the run of simple statements that begins with 's', or after 's'. */
struct ks *ks_run_end(const struct ks *s);
bool ks_is_loop(const struct ks *s, enum kloop level);
/* True for asynchronous stores; passes must not change their values. */
bool ks_is_async(const struct ks *s);
/* The variable of a DECL or an ASSIGN. */
const char *ks_name(const struct ks *s);

/* The blocks of a statement, by number from 0; NULL after the last block. */
struct kblock *ks_block(const struct ks *s, int i);
/* The expression of a statement: a value or a condition; NULL: none. */
kx ks_expr(const struct ks *s);
void ks_set_expr(struct ks *s, kx e);
/* Stores the indices of a statement in 'out'; returns their number. */
enum { KS_NATS = 2 + LIFT_TENSOR_DIMS };
int ks_nats(const struct ks *s, lift_nat out[KS_NATS]);
/* The buffer that a statement declares, stores to, fills or prefetches; NULL: none. */
struct kbuffer *ks_buffer(const struct ks *s);

/* Calls 'each' for all statements of a block, outer statements before inner ones. */
void ks_each(const struct kblock *block, void (*each)(void *user, struct ks *s),
             void *user);
void ks_each_in(struct ks *s, void (*each)(void *user, struct ks *s), void *user);
/* True if 'is' holds for the statement or for a statement inside it. */
bool ks_any(const struct ks *s, bool (*is)(const struct ks *s));

/* Constructors. Constructors of operators fold constants. */
kx kx_nat(struct lift_ir *ir, lift_nat n);
kx kx_int(struct lift_ir *ir, int64_t value);
kx kx_float(struct lift_ir *ir, enum lift_scalar scalar, double value);
kx kx_bool(struct lift_ir *ir, bool value);
kx kx_var(struct lift_ir *ir, const char *name, lift_type type);
kx kx_load(struct lift_ir *ir, struct kbuffer *buffer, lift_nat at, lift_type type);
kx kx_op(struct lift_ir *ir, enum lift_op op, lift_type type, const kx *args, int count);
kx kx_user_fun(struct lift_ir *ir, const char *text, lift_type type, const kx *args,
               int count);
/* Functions that vector math libraries have. */
enum { KX_LANE_FUNCTIONS = 5 };
extern const struct kx_lane_function {
    enum lift_op op;
    const char *name; /* in C, of doubles */
} kx_lane_functions[KX_LANE_FUNCTIONS];
/* The index of 'op' in the table, or -1. */
int kx_lane_function(enum lift_op op);
kx kx_lanes(struct lift_ir *ir, lift_type type, const kx *lanes, int count);
/* Lane 'lane' of a vector. */
kx kx_lane(struct lift_ir *ir, kx vector, int lane);
/* A vector of the lanes from 'from' on of the concatenation of two vectors. */
kx kx_row(struct lift_ir *ir, kx first, kx second, int from);
/* A warp shuffle: the variable 'value' in the work-item at distance 'places'. */
kx kx_shuffle(struct lift_ir *ir, kx value, int places);
/* Calls 'each' for an expression, then for its subexpressions. */
void kx_each(kx e, void (*each)(void *user, kx e), void *user);
/* True if 'is' holds for the expression or for a subexpression. */
bool kx_any(kx e, bool (*is)(kx e));
/* 'e' with 'map' applied to its arguments; 'e' itself if no argument changed. */
kx kx_map_args(struct lift_ir *ir, kx e, kx (*map)(void *user, kx arg), void *user);
/* 'e' with other arguments; their number stays the same. */
kx kx_with_args(struct lift_ir *ir, kx e, const kx *args);
/* The index of a NAT or a LOAD; NULL for others. */
lift_nat kx_index(kx e);
bool kx_is_op(kx e, enum lift_op op);
/* True for operators that evaluate only some arguments after the first. */
bool kx_is_lazy(kx e);
bool kx_is_vector(kx e);
/* True for a load that is valid even where the enclosing conditions fail. */
bool kx_is_there(kx load);
/* True for loads that an asynchronous copy to elements of this type can replace. */
bool kx_can_copy(kx value, enum lift_scalar to);
/* True if 'at' is a multiple of 'lanes'. */
bool kx_is_aligned(lift_nat at, int lanes);
kx kx_select(struct lift_ir *ir, kx cond, kx yes, kx no);
kx kx_and(struct lift_ir *ir, kx a, kx b);
/* n >= 0; a constant if the ranges or the facts decide it. */
kx kx_ge0(struct lift_ir *ir, lift_nat n, const lift_nat *facts, int fact_count);
bool kx_is_bool(kx e, bool value);
/* True if the expressions are equal except for their arguments. */
bool kx_same_node(kx a, kx b);
/* True if the expressions have equal text, so equal values unless a store is between
 * them. */
bool kx_equal(kx a, kx b);
/* True if the numbers are equal bit by bit; all NaNs are equal. */
bool kx_same_number(double a, double b);
/* True for expressions that cost nothing to repeat: literals, variables, indices. */
bool kx_is_trivial(kx e);

#endif
