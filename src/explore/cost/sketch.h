/* A sketch of a kernel: the loops of a low-level term at given sizes and tunables, with
 * the operations, loads and stores of each loop and their indices. It reads the term as
 * code generation does, but visits each loop once and makes no text, in a fraction of a
 * millisecond.
 *
 * Indices are linear in the enclosing loops. Other functions (a remainder, a clamped
 * boundary) are approximated by the nearest linear function. */
#ifndef EXPLORE_COST_SKETCH_H
#define EXPLORE_COST_SKETCH_H

#include "explore/problem.h"

enum { SKETCH_DEPTH = 24 };

enum sketch_kind {
    SKETCH_SEQ,
    SKETCH_REDUCE, /* a reduction that is a loop */
    SKETCH_STREAM, /* mapSeqSlide: the window moves */
    SKETCH_UNROLL, /* straight-line code */
    SKETCH_LANES,  /* the lanes of a vector */
    SKETCH_SIMD,
    SKETCH_PAR,
    SKETCH_TASK,
    SKETCH_GLB,
    SKETCH_WRG,
    SKETCH_LCL,
};

/* One loop; loop 0 is no loop but the whole. */
struct sketch_loop {
    int parent; /* -1: loop 0 */
    int depth;  /* of its index; -1: loop 0 */
    enum sketch_kind kind;
    int dim;      /* GLB, WRG, LCL */
    int collapse; /* PAR, TASK: loops whose iterations are shared together */
    bool each;    /* PAR, TASK: a thread takes one iteration after another */
    int loads;    /* UNROLL: elements that are loaded together */
    int lanes;    /* SIMD: the width of its vectors; 0: the compiler's choice */
    int copies;   /* STREAM: elements that asynchronous copies are ahead; 0: no copies */
    enum lift_meeting barrier; /* STREAM */
    int ahead;     /* SIMD: turns of the loop around it by which rows are fetched ahead */
    bool past;     /* SIMD: its stores are non-temporal */
    double extent; /* iterations; 1 for loop 0 */
    double runs;   /* of its kernel */
    double ops;    /* weighted scalar operations of one iteration, inner loops apart */
    double lane_ops; /* likewise, of all lanes of vectors */
    double
        computed;   /* of both, those of elements that are in the list of computed ones */
    double blocked; /* tests that tell its iterations apart in a way that changes with the
                       loops around it: they stand in the way of vectors */
    double edges;   /* reads that lie elsewhere at an end of the innermost loop around */
    double rolled;  /* short reductions that are loops in the source */
    bool fixed;     /* STREAM: the window is fixed by unrolling */
    int children;   /* loops inside, lanes and straight-line code apart */
};

/* What an index went through on its way from a loop. */
struct sketch_origin {
    enum sketch_origin_kind {
        SKETCH_PAD,     /* it was counted from the first element of a padded array */
        SKETCH_ROUNDED, /* it is the linear function that is nearest */
        SKETCH_UNKNOWN, /* it may be any: it depends on data */
    } kind;
    lift_expr pad;        /* PAD: the node */
    double before, after; /* PAD: elements that it adds */
    const struct sketch_origin *next;
};

/* base + by[0] * (index of the outermost loop) + by[1] * ..., in elements */
struct sketch_index {
    double base;
    const struct sketch_origin *from; /* places only; NULL: nothing worth a note */
    int depth;                        /* by[depth] and beyond are 0 */
    double by[SKETCH_DEPTH];
};

enum sketch_space { SKETCH_GLOBAL, SKETCH_LOCAL, SKETCH_PRIVATE };

struct sketch_buffer {
    enum sketch_space space;
    double bytes; /* in all */
    int scalar_bytes;
    int kernel;  /* the outermost loop around where it is stored; 0: there is none */
    double slot; /* of a ring: bytes that a step of the stream brings; 0: it is none */
};

/* A load or store that each iteration of its loop does. */
struct sketch_access {
    int loop, buffer;
    bool store;
    int kept; /* depth of the stream whose window keeps the loaded element; -1: none */
    const struct sketch_index *at;
};

/* An element of an array that is computed where it is read, at each place that it is read
 * from. Of one function those at the same place are the same: where its first load is. */
struct sketch_computed {
    lift_expr function;
    int loop;   /* that it is computed in */
    int load;   /* its first access */
    int lanes;  /* of its vector, or 1 */
    double ops; /* of all lanes, those of other such elements apart */
};

enum {
    SKETCH_LOOPS = 256,
    SKETCH_BUFFERS = 96,
    SKETCH_ACCESSES = 2048,
    SKETCH_COMPUTED = 1024
};

struct sketch {
    struct sketch_loop loops[SKETCH_LOOPS];
    int loop_count;
    struct sketch_buffer buffers[SKETCH_BUFFERS];
    int buffer_count;
    struct sketch_access accesses[SKETCH_ACCESSES];
    int access_count;
    struct sketch_computed computed[SKETCH_COMPUTED]; /* so many of them */
    int computed_count;
    bool halo; /* grids have one in their buffers: rows are not as long as they look */
};

struct sketch_request {
    const struct explore_problem *problem;
    lift_expr term;                     /* in the problem's context */
    const struct lift_nat_env *numbers; /* sizes and tunables */
};

/* False if the term is too large, or no low-level one. 'arena' takes the indices. */
bool sketch_make(const struct sketch_request *request, struct lift_arena *arena,
                 struct sketch *out);

/* An element of an input that one element of the result depends on. */
struct sketch_place {
    int input;
    int output; /* member of a tuple-valued result; otherwise 0 */
    int rank;   /* of that member: its indices are the loops 0 .. rank - 1 */
    int dims;   /* of the input */
    const struct sketch_index *at[SKETCH_DEPTH];
    /* What the loops inside of those add to each index, at least and at most. */
    double lo[SKETCH_DEPTH], hi[SKETCH_DEPTH];
    int inner;                   /* how many there are, */
    double extent[SKETCH_DEPTH]; /* and their iterations, by depth from 'rank' on */
};
typedef void sketch_visit(void *user, const struct sketch_place *place);

/* The elements of a result, and those of them that no inset has as its border. */
struct sketch_extent {
    double all, inside;
};

/* Calls 'visit' for all of them: for each element of the result once, whatever its place,
 * so that both sides of a condition and all parts of an array are visited. The term need
 * not be lowered. 'out' is the largest member's. False if that is too much to follow. */
bool sketch_places(const struct sketch_request *request, struct lift_arena *arena,
                   sketch_visit *visit, void *user, struct sketch_extent *out);

#endif
