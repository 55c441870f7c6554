/* Walks over terms (ir/walk.h) that count costs; shared by the files sketch*.c. Their
 * values are linear indices and literals. */
#ifndef EXPLORE_COST_SKETCH_T_H
#define EXPLORE_COST_SKETCH_T_H

#include "base/table.h"
#include "explore/cost/sketch.h"
#include "ir/walk.h"

/* The value of an index or a literal; NULL: a value of data. A negative depth means a
 * predicate on indices, which holds for the share 'base'. */
typedef const struct sketch_index *sx;

struct sketch_ring;

/* The buffers of a value of some type: one for each scalar leaf. */
struct sketch_mem {
    lift_type type;
    int first;                /* first buffer; the others follow */
    const int *leaves;        /* NULL, or the buffers one by one */
    struct sketch_ring *ring; /* one element of a stream; NULL: all elements */
};

/* A mapSeqSlide while the sketch visits it. */
struct sketch_window {
    lift_expr xs;
    lift_env env;
    sx first;  /* index of the window's first element */
    int depth; /* depth of the loop; -1: one step without a loop */
};

/* The stored elements of a stream, and the window offsets at which they are read. */
struct sketch_ring {
    const struct sketch_window *window;
    const struct sketch_mem *mem;
    double before; /* padding elements before the stream: the first windows contain them
                      without a value */
    double lo, hi;
    struct sketch_ring *next;
};

/* The values of expressions in one environment. */
struct sketch_memo {
    lift_expr expr;
    struct lift_bound value;
    const struct sketch_memo *next;
};

enum { SKETCH_FACTS = 32 };

struct drawer {
    struct lift_walker walker;
    const struct sketch_request *request;
    struct lift_arena *arena;
    struct sketch *out;
    int loop;     /* innermost enclosing loop */
    double runs;  /* executions of the current kernel */
    int kept;     /* see sketch_access */
    bool once;    /* predicates select between branches (mapUnroll, tests=once) */
    double share; /* share of the points in the enclosing branches */
    int cut;      /* a loop that may end early; -1: none */
    struct sketch_fact {
        sx index;
        double most;
    } facts[SKETCH_FACTS]; /* ranges of indices, where results are stored */
    int fact_count;
    struct lift_ptrmap numbers; /* values of nats, boxed */
    struct sketch_mem inputs[EXPLORE_MAX_INPUTS];
    struct sketch_places *places; /* NULL: the sketch describes a kernel */
    bool failed;
};

/* State of a walk over the places on which a result depends: arrays are not stored, and
 * every path to an input is followed. */
struct sketch_places {
    sketch_visit *visit;
    void *user;
    int left; /* reads left until the walk gives up */
    int output, rank;
    double inside[SKETCH_DEPTH]; /* interior length of each dimension of the current
                                    member */
    struct sketch_extent *largest;
};

/* sketch.c */
double sk_number(struct drawer *d, lift_nat n);
sx sk_const(struct drawer *d, double value);
/* a * p + b * q */
sx sk_linear(struct drawer *d, sx a, double p, sx b, double q);
/* a / n and a mod n for a positive integer n, in the nearest linear functions. */
void sk_divide(struct drawer *d, sx a, double n, sx *quotient, sx *rest);
/* The minimum and the maximum of an index, by its loops or by the facts about stored
 * results. */
void sk_range(const struct drawer *d, sx a, double *lo, double *hi);
void sk_known_range(struct drawer *d, sx a, double *lo, double *hi);
/* Index arithmetic of views on linear indices. */
extern const struct lift_index_ops sk_index_ops;
lift_access sk_index(struct drawer *d, sx index, lift_access next);
lift_access sk_member(struct drawer *d, int member, lift_access next);
/* Opens a loop inside the current one; the caller restores 'd->loop'. A sequential loop
 * of one iteration is dropped. Returns the index. */
sx sk_open(struct drawer *d, enum sketch_kind kind, int dim, double extent);
void sk_ops(struct drawer *d, double count, int lanes);
/* The inputs, in the order of their buffers. */
void sk_inputs(struct drawer *d);
/* Adds a predicate for an index, unless its range decides the predicate. */
void sk_tests(struct drawer *d, sx index, double count);
/* Adds the accesses of boundary code, outside the range: for each copy of straight-line
 * code, or for one. */
void sk_edges(struct drawer *d, sx index, double count, bool each);
/* A short reduction that stays a loop in the source. */
void sk_rolled(struct drawer *d);
struct sketch_mem *sk_mem(struct drawer *d, lift_type type, enum sketch_space space);
void sk_access(struct drawer *d, const struct sketch_mem *mem, lift_access path,
               bool store);

const struct sketch_mem *sk_input(struct drawer *d, lift_expr variable);

/* sketch_read.c: the scalar at the end of a path. */
const void *sk_read(void *drawer, lift_expr e, lift_env env, lift_access path);
extern const struct lift_walk_ops sk_cost_ops;
/* sketch_computed.c: an element of a map that is not stored. */
sx sk_computed(struct drawer *d, lift_expr map, lift_env env, lift_access path);

/* sketch_memo.c: returns a remembered value; 'env' is never NULL. */
const struct lift_bound *sk_remembered(void *drawer, lift_expr e, lift_env env);
void sk_remember(void *drawer, lift_expr e, lift_env env, const struct lift_bound *value);

/* sketch_places.c */
/* Appends an operation to the index's history. */
sx sk_from(struct drawer *d, sx a, struct sketch_origin origin);
/* sketch_write.c: the loops that compute an expression into a destination. */
void sk_write(struct drawer *d, lift_expr e, lift_env env, lift_dest dest);
/* Draws the computation of stored values on which 'e' depends. */
void sk_prepare(void *drawer, lift_expr e, lift_env env);

/* sketch_dest.c */
void sk_store(struct drawer *d, lift_dest dest, lift_access path);
/* Shortens the current loop if the destination takes only its first iterations, for all
 * iterations of the enclosing loops. Adds the resulting facts about indices of results;
 * the caller removes them by restoring 'fact_count'. */
void sk_cut(struct drawer *d, lift_dest dest, lift_type type);

#endif
