/* The inside of a sketch being made, shared by the files sketch*.c. Values are
 * those of code generation (src/codegen/gen.h); paths and destinations (ir/view.h) are
 * over linear indices. */
#ifndef EXPLORE_COST_SKETCH_T_H
#define EXPLORE_COST_SKETCH_T_H

#include "base/table.h"
#include "explore/cost/sketch.h"
#include "ir/view.h"

typedef const struct sketch_index *sx;

/* The buffers of a value of some type: one for each scalar leaf. */
struct sketch_mem {
    lift_type type;
    int first;         /* buffer; the others follow it, */
    const int *leaves; /* or are these */
};

enum sketch_value_kind { SVALUE_EXPR, SVALUE_MEM, SVALUE_SCALAR, SVALUE_WINDOW };

struct sketch_env;

/* mapSeqSlide while it is drawn. */
struct sketch_window {
    lift_expr xs;
    const struct sketch_env *env;
    sx first;  /* index of the window's first element */
    int depth; /* of the loop; -1: there is only one step, and no loop */
};

/* What is stored of a stream, and the window offsets at which that is read. */
struct sketch_ring {
    const struct sketch_window *window;
    const struct sketch_mem *mem;
    double before; /* elements that are padded in front of the stream: those of the first
                    * windows have no value */
    double lo, hi;
    struct sketch_ring *next;
};

struct sketch_value {
    enum sketch_value_kind kind;
    lift_expr expr; /* EXPR: its element at 'at' */
    const struct sketch_env *env;
    lift_access at;
    const struct sketch_mem *mem; /* MEM: likewise */
    struct sketch_ring *ring;     /* MEM: one element of a stream, whatever its index */
    sx known;                     /* SCALAR: made of indices and literals; NULL: not */
    double chance;                /* SCALAR: a test of indices: see struct drawer */
    const struct sketch_window *window;
};

/* What is known of an expression in an environment. */
struct sketch_memo {
    lift_expr expr;
    struct sketch_value value;
    const struct sketch_memo *next;
};

/* Bound variables, the innermost first; the last one binds nothing. */
struct sketch_env {
    struct sketch_value value;
    const struct sketch_env *next;
    const struct sketch_memo *memos;
};
typedef struct sketch_env *senv;

enum { SKETCH_FACTS = 32 };

struct drawer {
    struct lift_indices indices; /* sk_indices */
    const struct sketch_request *request;
    struct lift_arena *arena;
    struct sketch *out;
    int loop;      /* the innermost around */
    double runs;   /* of the kernel in hand */
    int kept;      /* see sketch_access */
    bool once;     /* tests choose between branches (mapUnroll, tests=once) */
    double share;  /* of the points take the branches around */
    double chance; /* that the test that was read last holds; -1: that is not known */
    int cut;       /* a loop that takes may end early; -1: none */
    struct sketch_fact {
        sx index;
        double most;
    } facts[SKETCH_FACTS]; /* of indices, where results are stored */
    int fact_count;
    struct lift_ptrmap numbers; /* values of nats, boxed */
    struct sketch_mem inputs[EXPLORE_MAX_INPUTS];
    struct sketch_places *places; /* NULL: a kernel is drawn */
    bool failed;
};

/* What an element of the result depends on, while that is followed: no array is stored,
 * and each way to an input is gone. */
struct sketch_places {
    sketch_visit *visit;
    void *user;
    int left; /* reads until it is given up */
    int output, rank;
    double inside[SKETCH_DEPTH]; /* of each dimension of the member in hand */
    struct sketch_extent *largest;
};

/* sketch.c */
double sk_number(struct drawer *d, lift_nat n);
sx sk_const(struct drawer *d, double value);
/* a * p + b * q */
sx sk_linear(struct drawer *d, sx a, double p, sx b, double q);
/* a / n and a mod n for a positive integer n, as nearly as linear functions say it. */
void sk_divide(struct drawer *d, sx a, double n, sx *quotient, sx *rest);
/* The least and the most that an index can be here, by the loops alone, or by what is
 * known of the results that are stored, too. */
void sk_range(const struct drawer *d, sx a, double *lo, double *hi);
void sk_known_range(struct drawer *d, sx a, double *lo, double *hi);
/* How views (ir/view.h) compute with such indices. */
struct lift_indices sk_indices(struct drawer *d);
lift_access sk_index(struct drawer *d, sx index, lift_access next);
lift_access sk_member(struct drawer *d, int member, lift_access next);
senv sk_bind(struct drawer *d, senv env, struct sketch_value value);
/* Remembered in an environment that is never NULL. */
const struct sketch_value *sk_remembered(const struct sketch_env *env, lift_expr e);
void sk_remember(struct drawer *d, senv env, lift_expr e, struct sketch_value value);
/* Opens a loop inside the one in hand; the caller puts 'd->loop' back. A loop of one
 * iteration that is not shared out is none. Returns the index. */
sx sk_open(struct drawer *d, enum sketch_kind kind, int dim, double extent);
void sk_ops(struct drawer *d, double count, int lanes);
/* The inputs, in the order of their buffers. */
void sk_inputs(struct drawer *d);
/* Tests whether an index is in a range, which its own range does not decide. */
void sk_tests(struct drawer *d, sx index, double count);
/* What lies beyond the range is read elsewhere: by each copy of straight-line code, or by
 * one of them. */
void sk_edges(struct drawer *d, sx index, double count, bool each);
/* A short reduction that stays a loop in the source. */
void sk_rolled(struct drawer *d);
const struct sketch_mem *sk_mem(struct drawer *d, lift_type type,
                                enum sketch_space space);
void sk_access(struct drawer *d, const struct sketch_mem *mem, lift_access path,
               bool store);

/* sketch_read.c: the scalar at the end of a path; what it answers is its value if that is
 * made of indices and literals, else NULL. */
sx sk_read(struct drawer *d, lift_expr e, senv env, lift_access path);
struct sketch_value sk_element(struct drawer *d, lift_expr xs, senv env, sx index,
                               lift_expr lambda);
/* sketch_value.c: the head of a path, taken off. */
sx sk_pop(struct drawer *d, lift_access *path);
sx sk_read_value(struct drawer *d, const struct sketch_value *v, lift_access path);
struct sketch_value sk_number_value(sx known);
/* What was read just now. */
struct sketch_value sk_scalar_value(const struct drawer *d, sx known);
/* A value as a variable will see it. */
struct sketch_value sk_value(struct drawer *d, lift_expr e, senv env);

/* sketch_computed.c: an element of an array that nothing has stored: the function of a
 * map in the environment of its argument. */
sx sk_computed(struct drawer *d, lift_expr function, senv env, lift_access path);

/* sketch_places.c */
/* The index with one more thing that it went through. */
sx sk_from(struct drawer *d, sx a, struct sketch_origin origin);
/* What an 'inject' adds is met. */
void sk_added(struct drawer *d, lift_expr e, senv env);
/* An element of an input is met. */
void sk_place(struct drawer *d, const struct sketch_mem *mem, lift_access path);
/* All that an element of a reduction's or a concatenation's value may come from. */
void sk_reduce_places(struct drawer *d, lift_expr e, senv env, lift_access path);
void sk_concat_places(struct drawer *d, lift_expr e, senv env, lift_access path);
/* What an inset or a pad at index 'i' has besides its interior. */
void sk_border_places(struct drawer *d, lift_expr e, senv env, sx i, lift_access path);
/* mapSeqSlide as what it means. */
sx sk_slide_places(struct drawer *d, lift_expr e, senv env, lift_access path);

/* sketch_write.c: the loops that compute an expression into a destination. */
void sk_write(struct drawer *d, lift_expr e, senv env, lift_dest dest);
/* Computes what is stored before 'e' can be read. */
void sk_prepare(struct drawer *d, lift_expr e, senv env);

/* sketch_dest.c */
void sk_store(struct drawer *d, lift_dest dest, lift_access path);
/* Ends the loop in hand early if the destination takes no more than the first of its
 * iterations, wherever the loops around it are; notes what follows for the indices of
 * results, which is so until the caller puts 'fact_count' back. */
void sk_cut(struct drawer *d, lift_dest dest, lift_type type);

#endif
