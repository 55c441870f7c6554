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

/* One loop; loop 0 is the whole term. */
struct sketch_loop {
    int parent; /* -1: loop 0 */
    int depth;  /* depth of its index; -1 for loop 0 */
    enum sketch_kind kind;
    int dim;      /* GLB, WRG, LCL */
    int collapse; /* PAR, TASK: number of loops collapsed into one iteration space */
    bool each;    /* PAR, TASK: a thread takes one iteration after another */
    int loads;    /* UNROLL: adjacent elements loaded by one instruction */
    int lanes;    /* SIMD: the width of its vectors; 0: the compiler's choice */
    int copies;   /* STREAM: elements that asynchronous copies are ahead; 0: no copies */
    enum lift_meeting barrier; /* STREAM */
    int ahead; /* SIMD: iterations of the enclosing loop by which rows are prefetched */
    bool past; /* SIMD: its stores are non-temporal */
    double extent;   /* iterations; 1 for loop 0 */
    double runs;     /* executions of its kernel */
    double ops;      /* weighted scalar operations of one iteration, inner loops apart */
    double lane_ops; /* likewise, for all lanes of vectors */
    double computed; /* the share of 'ops' and 'lane_ops' in listed computed elements */
    double blocked;  /* predicates on its index that change with the enclosing loops and
                        prevent vectors */
    double edges; /* reads at another address at an end of the enclosing innermost loop */
    double rolled; /* short reductions that are loops in the source */
    bool fixed;    /* STREAM: unrolling fixes the window */
    int children;  /* number of inner loops, without lanes and straight-line code */
};

/* An operation applied to an index on its way from a loop. */
struct sketch_origin {
    enum sketch_origin_kind {
        SKETCH_PAD,     /* the index counts from the first element of a padded array */
        SKETCH_ROUNDED, /* the nearest linear function replaces the index */
        SKETCH_UNKNOWN, /* depends on data: any value */
    } kind;
    lift_expr pad;        /* PAD: the node */
    double before, after; /* PAD: elements added in front and behind */
    const struct sketch_origin *next;
};

/* base + by[0] * (index of the outermost loop) + by[1] * ..., in elements */
struct sketch_index {
    double base;
    const struct sketch_origin *from; /* places only; NULL: no operations recorded */
    int depth;                        /* by[depth] and beyond are 0 */
    double by[SKETCH_DEPTH];
};

enum sketch_space { SKETCH_GLOBAL, SKETCH_LOCAL, SKETCH_PRIVATE };

struct sketch_buffer {
    enum sketch_space space;
    double bytes; /* bytes of the whole buffer */
    int scalar_bytes;
    int kernel;  /* outermost loop around the stores; 0: none */
    double slot; /* circular buffer: bytes of a stream step; 0: another buffer */
};

/* A load or store in each iteration of its loop. */
struct sketch_access {
    int loop, buffer;
    bool store;
    int kept; /* depth of the stream whose window keeps the loaded element; -1: none */
    const struct sketch_index *at;
};

/* An element of an array that is computed at each place where the program reads the
 * array. Elements of one function with equal places, given by their first load, are
 * equal. */
struct sketch_computed {
    lift_expr function;
    int loop;   /* loop that computes the element */
    int load;   /* index of its first access */
    int lanes;  /* lanes of its vector, or 1 */
    double ops; /* operations of all lanes, without nested computed elements */
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
    struct sketch_computed computed[SKETCH_COMPUTED]; /* 'computed_count' of them */
    int computed_count;
    bool halo; /* buffers of grids include a halo, so rows are longer than the grid's */
    uint64_t used; /* numbers of the request on which the sketch depends: bits by index */
};

struct sketch_request {
    const struct explore_problem *problem;
    lift_expr term;                     /* in the problem's context */
    const struct lift_nat_env *numbers; /* sizes and tunables, at most 64 */
    /* GPUs: a multiply-add is one operation, and compilers move predicates of indices out
     * of loops. An operation in double precision counts as 'f64_ops' others. */
    bool gpu;
    double f64_ops;
};

/* Makes a sketch. Returns false if the term is too large, or is not low-level. 'arena'
 * holds the indices. Both depend on no other numbers than the 'used' ones. */
bool sketch_make(const struct sketch_request *request, struct lift_arena *arena,
                 struct sketch *out);

/* An element of an input that one element of the result depends on. */
struct sketch_place {
    int input;
    int output; /* member of a tuple-valued result; otherwise 0 */
    int rank;   /* dimensions of this member: its indices are the loops 0 .. rank - 1 */
    int dims;   /* dimensions of the input */
    const struct sketch_index *at[SKETCH_DEPTH];
    /* Least and largest offset that the inner loops add to each index. */
    double lo[SKETCH_DEPTH], hi[SKETCH_DEPTH];
    int inner;                   /* number of inner loops */
    double extent[SKETCH_DEPTH]; /* iterations of inner loops, by depth from 'rank' on */
};
typedef void sketch_visit(void *user, const struct sketch_place *place);

/* The elements of a result, and the number of interior ones, outside all insets' borders.
 */
struct sketch_extent {
    double all, inside;
};

/* Calls 'visit' for every place, once for a generic element of the result. The walk
 * visits both sides of a condition and all parts of an array. The term need not be
 * lowered. 'out' describes the largest member. Returns false if the term has too many
 * places. */
bool sketch_places(const struct sketch_request *request, struct lift_arena *arena,
                   sketch_visit *visit, void *user, struct sketch_extent *out);

#endif
