/* The kernel AST: what a kernel does, before any dialect. Index arithmetic is nats over
 * loop variables; values are kx, statements ks. Built bottom-up in an arena, printed by
 * print.c. */
#ifndef CODEGEN_KAST_H
#define CODEGEN_KAST_H

#include "lift/kernel.h"

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
};

enum kx_kind {
    KX_NAT,   /* an index or a size, of type i32 */
    KX_FLOAT, /* a literal */
    KX_BOOL,
    KX_VAR,   /* a scalar variable */
    KX_LOAD,  /* buffer[index]; vectors: the lanes from index on */
    KX_OP,    /* a scalar primitive, select included */
    KX_LANES, /* a vector made of scalars */
    KX_LANE,  /* one of a vector */
    KX_ROW,   /* the lanes from 'nat' on of two vectors that lie side by side */
};

struct mem;
struct lift_access;

/* An expression without side effects. */
struct kx {
    enum kx_kind kind;
    lift_type type;
    enum lift_op op;        /* OP */
    lift_nat nat;           /* NAT; LOAD: the index; LANE, ROW: which one */
    double number;          /* FLOAT */
    bool truth;             /* BOOL */
    const char *name;       /* VAR */
    const char *text;       /* OP USER_FUN: the C definition */
    struct kbuffer *buffer; /* LOAD */
    const struct kx **args; /* OP, LANES, LANE, ROW */
    int arg_count;
    /* LOAD of an element of an array in global memory: which one; else NULL */
    const struct mem *mem;
    const struct lift_access *path;
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

enum ks_kind {
    KS_BLOCK,
    KS_LOOP,
    KS_IF,
    KS_DECL,   /* a scalar variable, with its first value */
    KS_ASSIGN, /* to a scalar variable */
    KS_ARRAY,  /* declares a local or private buffer */
    KS_STORE,  /* buffer[index] = value */
    KS_BARRIER,
    /* Asynchronous stores of a work-item since the last KS_COMMIT are a batch; KS_WAIT
     * waits for all batches but the last 'extent' ones. */
    KS_COMMIT,
    KS_WAIT,
    /* Makes, and ends, the 'extent' memory barriers in 'bars', which count what bulk
     * copies have brought: batch n is the turn n / extent of the one at n mod extent. */
    KS_OPEN,
    KS_CLOSE,
    /* What was stored in local memory is there before later bulk copies; on processors,
     * what was stored past the caches is there for other threads. */
    KS_FENCE,
    /* buffer[at], which need not exist, will be read soon. */
    KS_PREFETCH,
    /* A block that one work-item of the group does. */
    KS_ELECT,
    /* So many bytes more belong to a batch, before it is committed. */
    KS_EXPECT,
    /* A box of a tensor of the kernel goes to buffer[at] and what follows, as part of a
     * batch. */
    KS_BOX,
};

/* Where a box begins in the tensor of this number. */
struct kbox {
    int tensor;
    lift_nat from[LIFT_TENSOR_DIMS];
};

struct ks {
    enum ks_kind kind;
    struct ks *next; /* in its block */
    /* BLOCK, and the bodies of LOOP and IF */
    struct ks *first, *last;
    int loads; /* those that lie side by side are made by so many; 0, 1: one by one */
    /* LOOP: index from 0 to extent - 1, and below 'limit' if there is one */
    enum kloop loop;
    int dim;      /* GLB, WRG, LCL */
    int collapse; /* PAR, TASK: loops that share the pragma; 0 and 1 are this one alone */
    enum lift_schedule schedule; /* PAR */
    enum lift_tasks tasks;       /* TASK */
    int lanes; /* SIMD: iterations that are lanes of vectors; 0, 1: compilers choose */
    bool shuffles; /* SIMD: rows that no vector begins with are made of two that do */
    int64_t ahead; /* SIMD: what it reads so many turns of the loop around later is
                    * fetched */
    lift_nat index, limit;
    int64_t extent;
    /* IF */
    kx cond;
    struct ks *otherwise; /* a BLOCK, or NULL */
    /* DECL, ASSIGN */
    const char *name;
    /* DECL, ASSIGN, STORE */
    kx value;
    /* ARRAY, STORE; BARRIER: NULL */
    struct kbuffer *buffer;
    lift_nat at;
    /* STORE: past the caches; SIMD: its stores of aligned vectors to global memory are to
     * be; PAR: there are some in it */
    bool nontemporal;
    int order;     /* in the kernel, for passes that number its statements */
    bool together; /* DECL, ASSIGN, STORE: of one of several points whose statements take
                    * turns */
    bool async;    /* STORE: a load from global memory, which need not be there before the
                    * work-item waits for its batch */
    struct kbuffer *bars;   /* of bulk copies; NULL: of others, and of all below */
    lift_nat batch;         /* STORE, BOX, COMMIT, WAIT: the number of the batch */
    int64_t row;            /* STORE: so many elements from there on, by one work-item */
    const struct kbox *box; /* BOX */
    int64_t bytes;          /* COMMIT, EXPECT: of the boxes that follow */
    bool boxes;             /* OPEN, COMMIT: for boxes, so that one work-item commits */
};

struct kernel {
    const char *name;
    struct ks *body;
    struct kbuffer **buffers; /* all that it touches */
    int buffer_count, buffer_cap;
    struct ktensor {
        struct lift_tensor shape;
        struct kbuffer *buffer;
        const char *name;
    } * tensors; /* that boxes are copied of */
    int tensor_count;
};

struct ks *ks_new(struct lift_arena *arena, enum ks_kind kind);
/* True if it declares, assigns or stores, and nothing else. */
bool ks_is_simple(const struct ks *s);
void ks_append(struct ks *block, struct ks *stmt);

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
kx kx_lanes(struct lift_ir *ir, lift_type type, const kx *lanes, int count);
/* Lane 'lane' of a vector. */
kx kx_lane(struct lift_ir *ir, kx vector, int lane);
/* As many lanes as each of two vectors has, from lane 'from' of the first on. */
kx kx_row(struct lift_ir *ir, kx first, kx second, int from);
/* 'e' over what 'each' makes of its arguments: itself if that is nothing new. */
kx kx_each_arg(struct lift_ir *ir, kx e, kx (*each)(void *user, kx arg), void *user);
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
