/* The kernel AST: what a kernel does, before any dialect. Index arithmetic is nats over
 * loop variables; values are kx, statements ks. Built bottom-up in an arena, printed by
 * print.c. */
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
    bool written;                     /* by this kernel */
    bool fenced;                      /* who fills it sets the barriers */
    struct kbuffer *over; /* local: in the memory of this one; NULL: it has its own */
};

enum kx_kind {
    KX_NAT,   /* an index or a size, of type i32 */
    KX_FLOAT, /* a literal */
    KX_BOOL,
    KX_VAR,    /* a scalar or a vector in a variable */
    KX_LOAD,   /* buffer[index]; vectors: the lanes from index on */
    KX_OP,     /* a scalar primitive, select included */
    KX_LANES,  /* a vector made of scalars, or of one in all lanes */
    KX_LANE,   /* one of a vector */
    KX_ROW,    /* the lanes from 'lane' on of two vectors that lie side by side */
    KX_BESIDE, /* a value in the work-item 'lane' places further along the first
                * dimension, before it if that is negative, in a row of LIFT_ROW_ITEMS;
                * beyond the ends of the row it is any value */
};

struct mem;
struct lift_access;

/* An expression without side effects. */
struct kx {
    enum kx_kind kind;
    int arg_count; /* OP, LANES, LANE, ROW, BESIDE; others have none */
    lift_type type;
    const struct kx **args;
    union {
        lift_nat nat;     /* NAT */
        double number;    /* FLOAT */
        bool truth;       /* BOOL */
        const char *name; /* VAR */
        int lane;         /* LANE, ROW, BESIDE */
        struct {
            enum lift_op op;
            const char *text; /* USER_FUN: the C definition; else NULL */
        } op;                 /* OP */
        struct {
            struct kbuffer *buffer;
            lift_nat at;
            /* An element of an array in global memory: which one; else NULL. */
            const struct mem *mem;
            const struct lift_access *path;
        } load; /* LOAD */
    };
};

typedef const struct kx *kx;

/* How the iterations of a loop are shared out. */
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

/* Statements in their order. */
/* How passes treat the statements of a block; copies of a block have it, too. */
struct kstyle {
    int loads; /* those that lie side by side are made by so many; 0, 1: one by one */
    bool tests_last; /* on indices: they come behind the values that they choose */
    bool tests_once; /* equal ones choose between branches */
};

struct kblock {
    struct ks *first, *last;
    struct ks *of; /* the statement whose block it is; NULL: none */
    struct kstyle style;
};

/* A batch of boxes, by its number: the memory barrier at number mod count in 'bars'
 * counts the bytes that have arrived, and number / count is its turn. No 'bars': a batch
 * of other copies, which has no number. */
struct kbatch {
    struct kbuffer *bars;
    lift_nat number;
    int64_t count;
};

enum ks_kind {
    KS_LOOP,
    KS_IF,
    KS_ELECT, /* a block that one work-item of the group does */
    KS_DECL,  /* a variable, with its first value */
    KS_ASSIGN,
    KS_ARRAY, /* declares a local or private buffer */
    KS_STORE,
    KS_BARRIER,
    KS_ARRIVE, /* a barrier in two parts: the work-item is here, and goes on; */
    KS_AWAIT,  /* all of the group are */
    /* Stores to local memory are complete before later boxes; on processors, other
     * threads see non-temporal stores. */
    KS_FENCE,
    KS_OPEN, /* makes, and ends, memory barriers */
    KS_CLOSE,
    KS_COMMIT, /* asynchronous stores of a work-item since the last one are a batch */
    KS_WAIT,
    KS_EXPECT, /* so many bytes more belong to a batch, before it is committed */
    KS_BOX,    /* copies a box of a tensor, as part of a batch */
    KS_PREFETCH,
};

/* Who arrives at memory barriers: one work-item for boxes, all work-items; all of them,
 * where only who copies waits. */
enum kbars { KBARS_BOXES, KBARS_ITEMS, KBARS_READERS };

/* Where a box begins in the tensor of this number. */
struct kbox {
    int tensor;
    lift_nat from[LIFT_TENSOR_DIMS]; /* NULL beyond its dimensions */
};

struct ks {
    enum ks_kind kind;
    int order;       /* in the kernel, for passes that number its statements */
    bool together;   /* simple statements: of one of several points that take turns */
    struct ks *next; /* in its block */
    union {
        struct { /* LOOP: index from 0 to extent - 1, and below 'limit' if there is one */
            struct kblock body;
            enum kloop level;
            int dim; /* GLB, WRG, LCL */
            lift_nat index, limit;
            int64_t extent;
            int collapse; /* PAR, TASK: loops that share the pragma; 0, 1: this alone */
            enum lift_schedule schedule; /* PAR */
            enum lift_tasks tasks;       /* TASK */
            int lanes;     /* SIMD: iterations that are lanes of vectors; 0, 1: compilers
                            * choose */
            bool shuffles; /* SIMD: rows that no vector begins with are made of two */
            bool nontemporal; /* SIMD: its stores of aligned vectors to global memory are
                               * to be; PAR: there are some in it */
            enum kversion version;
            int64_t ahead; /* SIMD: what it reads so many turns of the loop around later
                            * is fetched */
        } loop;
        struct { /* IF */
            struct kblock body, otherwise;
            kx cond;
            bool row; /* all work-items of a row are here, and the body may be done by all
                       * where it is by one of them */
            bool versions; /* 'otherwise' is right whatever the condition says */
        } test;
        struct {
            struct kblock body;
        } elect;
        struct { /* DECL, ASSIGN */
            const char *name;
            kx value;
            bool index; /* DECL: an index, of the type of those of loops */
            bool row;   /* ASSIGN: of a test that any work-item of the row may pass for
                         * all; they are all here */
        } set;
        struct {
            struct kbuffer *buffer;
        } array;
        struct { /* STORE: buffer[at] = value */
            struct kbuffer *buffer;
            lift_nat at;
            kx value;
            bool nontemporal; /* past the caches */
            bool async; /* a load from global memory, which need not be there before the
                         * work-item waits for its batch */
        } store;
        struct { /* OPEN, CLOSE: 'count' memory barriers */
            struct kbuffer *bars;
            int64_t count;
            enum kbars of;
        } bars;
        struct { /* COMMIT, EXPECT, WAIT; ARRIVE, AWAIT: 'of' is which one of those parts
                  */
            struct kbatch of;
            int64_t pending; /* WAIT without number: for all batches but so many */
            bool boxes;      /* COMMIT of boxes, EXPECT; ARRIVE and AWAIT: of those who
                              * read boxes, for the one who asks for them */
            int64_t bytes;   /* COMMIT, EXPECT: of the boxes that follow */
        } batch;
        struct { /* BOX: goes to buffer[at] and what follows */
            struct kbuffer *buffer;
            lift_nat at;
            struct kbatch batch;
            struct kbox of;
        } box;
        struct { /* PREFETCH: buffer[at], which need not exist, will be read soon */
            struct kbuffer *buffer;
            lift_nat at;
        } prefetch;
    };
};

struct kernel {
    const char *name;
    struct kblock body;
    struct kbuffer **buffers; /* all that it touches */
    int buffer_count, buffer_cap;
    struct ktensor {
        struct lift_tensor shape;
        struct kbuffer *buffer;
        const char *name;
    } * tensors; /* that boxes are copied of */
    int tensor_count;
    bool team;     /* threads share its loops from the first statement to the last */
    int loop;      /* of kernels that are run several times, in turn, from 1; 0: none */
    int64_t times; /* of the loop */
};

/* Statements, each with what it cannot do without; in no block yet. */
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
/* ARRIVE or AWAIT, for the time that the batch numbers. */
struct ks *ks_meet(struct lift_arena *arena, enum ks_kind kind, struct kbatch batch);
struct ks *ks_commit(struct lift_arena *arena);
/* Waits for a batch of boxes; without number, for all batches but the last 'pending'
 * ones. */
struct ks *ks_wait(struct lift_arena *arena, struct kbatch batch, int64_t pending);
/* COMMIT of boxes, or EXPECT: bytes are added to it as boxes are. */
struct ks *ks_announce(struct lift_arena *arena, enum ks_kind kind, struct kbatch batch);
struct ks *ks_box(struct lift_arena *arena, struct kbuffer *buffer, lift_nat at,
                  struct kbatch batch, struct kbox box);
struct ks *ks_prefetch(struct lift_arena *arena, struct kbuffer *buffer, lift_nat at);
/* A copy in no block, whose blocks are empty. */
struct ks *ks_copy(struct lift_arena *arena, const struct ks *s);

void ks_append(struct kblock *block, struct ks *stmt);
/* Adds another style: the most loads, and the tests of both. */
void ks_add_style(struct kstyle *to, struct kstyle other);
/* True if it declares, assigns or stores, and nothing else. */
bool ks_is_simple(const struct ks *s);
/* The statement behind a run of simple statements, or behind 's' if that is none. */
struct ks *ks_run_end(const struct ks *s);
bool ks_is_loop(const struct ks *s, enum kloop level);
/* True of asynchronous stores: what they store stays as it is. */
bool ks_is_async(const struct ks *s);
/* The variable of a DECL or an ASSIGN. */
const char *ks_name(const struct ks *s);

/* What a statement consists of. Its blocks, by number from 0: NULL behind the last. */
struct kblock *ks_block(const struct ks *s, int i);
/* The only expression: a value, or what is tested; NULL: none. */
kx ks_expr(const struct ks *s);
void ks_set_expr(struct ks *s, kx e);
/* Its indices: their number. */
enum { KS_NATS = 2 + LIFT_TENSOR_DIMS };
int ks_nats(const struct ks *s, lift_nat out[KS_NATS]);
/* The buffer that it declares, stores to, fills or fetches; NULL: none. */
struct kbuffer *ks_buffer(const struct ks *s);

/* Calls 'each' for all statements of a block, those inside behind the one around; and for
 * one statement with those inside. */
void ks_each(const struct kblock *block, void (*each)(void *user, struct ks *s),
             void *user);
void ks_each_in(struct ks *s, void (*each)(void *user, struct ks *s), void *user);
/* Whether it is so of a statement or of one inside. */
bool ks_any(const struct ks *s, bool (*is)(const struct ks *s));

/* Constructors; those of operators fold what is known. */
kx kx_nat(struct lift_ir *ir, lift_nat n);
kx kx_int(struct lift_ir *ir, int64_t value);
kx kx_float(struct lift_ir *ir, enum lift_scalar scalar, double value);
kx kx_bool(struct lift_ir *ir, bool value);
kx kx_var(struct lift_ir *ir, const char *name, lift_type type);
kx kx_load(struct lift_ir *ir, struct kbuffer *buffer, lift_nat at, lift_type type);
kx kx_op(struct lift_ir *ir, enum lift_op op, lift_type type, const kx *args, int count);
kx kx_user_fun(struct lift_ir *ir, const char *text, lift_type type, const kx *args,
               int count);
/* Functions that libraries have for whole vectors, too. */
enum { KX_LANE_FUNCTIONS = 5 };
extern const struct kx_lane_function {
    enum lift_op op;
    const char *name; /* in C, of doubles */
} kx_lane_functions[KX_LANE_FUNCTIONS];
/* The number of 'op' among them; -1: it is none of them. */
int kx_lane_function(enum lift_op op);
kx kx_lanes(struct lift_ir *ir, lift_type type, const kx *lanes, int count);
/* Lane 'lane' of a vector. */
kx kx_lane(struct lift_ir *ir, kx vector, int lane);
/* As many lanes as each of two vectors has, from lane 'from' of the first on. */
kx kx_row(struct lift_ir *ir, kx first, kx second, int from);
/* What 'value', a variable, is in the work-item 'places' further. */
kx kx_beside(struct lift_ir *ir, kx value, int places);
/* Calls 'each' for an expression and for all inside, which come later. */
void kx_each(kx e, void (*each)(void *user, kx e), void *user);
/* Whether it is so of an expression or of one inside. */
bool kx_any(kx e, bool (*is)(kx e));
/* 'e' over what 'map' makes of its arguments: itself if that is nothing new. */
kx kx_map_args(struct lift_ir *ir, kx e, kx (*map)(void *user, kx arg), void *user);
/* 'e' over other arguments, as many. */
kx kx_with_args(struct lift_ir *ir, kx e, const kx *args);
/* The index of a NAT or a LOAD, else NULL. */
lift_nat kx_index(kx e);
bool kx_is_op(kx e, enum lift_op op);
/* True of operators that may not compute all but their first argument. */
bool kx_is_lazy(kx e);
bool kx_is_vector(kx e);
/* True of a load from memory that is there whatever is tested around. */
bool kx_is_there(kx load);
/* True of loads that asynchronous copies to elements of this type can take the place of.
 */
bool kx_can_copy(kx value, enum lift_scalar to);
/* True if an access to 'lanes' elements from 'at' on lies on a multiple of so many in its
 * buffer. */
bool kx_is_aligned(lift_nat at, int lanes);
kx kx_select(struct lift_ir *ir, kx cond, kx yes, kx no);
kx kx_and(struct lift_ir *ir, kx a, kx b);
/* a >= 0 for nats; decided where the ranges or the facts tell. */
kx kx_ge0(struct lift_ir *ir, lift_nat n, const lift_nat *facts, int fact_count);
bool kx_is_bool(kx e, bool value);
/* Equal but for what the arguments are. */
bool kx_same_node(kx a, kx b);
/* The same text, so the same value where nothing changes between. */
bool kx_equal(kx a, kx b);
/* Bit by bit, but for the bits of what is no number. */
bool kx_same_number(double a, double b);
/* True if printing 'e' twice is no waste: literals, variables, indices. */
bool kx_is_trivial(kx e);

#endif
