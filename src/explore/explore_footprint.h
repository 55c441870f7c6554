/* The data that a program reads and moves, and its operations, from its expression at
 * given sizes. Nothing is compiled or run, not even the program's C functions. */
#ifndef EXPLORE_EXPLORE_FOOTPRINT_H
#define EXPLORE_EXPLORE_FOOTPRINT_H

#include "lift/program.h"

enum { LIFT_FOOTPRINT_DIMS = 8, LIFT_FOOTPRINT_PADS = 4 };

/* An array that is padded before the program reads it. */
struct lift_footprint_pad {
    const char *kind;      /* "clamp", "mirror", "wrap", "any", "constant", "value" */
    int64_t before, after; /* elements added in front and behind */
};

enum lift_footprint_kind {
    LIFT_FOOTPRINT_EXACT,
    LIFT_FOOTPRINT_ABOUT,    /* the index is not linear: the nearest linear function */
    LIFT_FOOTPRINT_ANYWHERE, /* the index depends on data or on several indices */
};

/* The elements along one dimension on which the point (p0, p1, ...) of an output depends.
 */
struct lift_footprint_dim {
    enum lift_footprint_kind kind;
    int follows;      /* step * p[follows] + from .. step * p[follows] + to; or */
    int64_t step;     /* -1 and 0: elements from .. to, for all points */
    int64_t from, to; /* undefined for ANYWHERE */
    struct lift_footprint_pad pads[LIFT_FOOTPRINT_PADS];
    int pad_count;
};

/* The reads of one input by one index function: x[i] and x[2i] are two footprints. */
struct lift_footprint {
    int input;
    unsigned outputs; /* outputs that depend on the reads, a bit each */
    int rank;         /* dimensions of the outputs */
    int dim_count; /* dimensions of the input; at most LIFT_FOOTPRINT_DIMS are described
                    */
    struct lift_footprint_dim dims[LIFT_FOOTPRINT_DIMS];
    int64_t points; /* different elements that a point reads; 0: unknown */
    bool star, box; /* all on the axes; or all in the box 'from' .. 'to'; two or more
                       dimensions */
};

/* Scalar operations of one evaluation of the program, with every array computed once,
 * divided by the number of interior points. Constant expressions and expressions of
 * parameters do not count: they are computed before the launch. */
struct lift_footprint_ops {
    double flops; /* arithmetic with results of f32 or f64; each lane counts */
    double by[LIFT_OP_COUNT]; /* likewise, by primitive */
    double calls;             /* calls of C functions */
    double others;            /* comparisons, choices, conversions, integers */
};

struct lift_footprints {
    int64_t points; /* elements of the largest output */
    int64_t inside; /* elements outside the border of an inset */
    /* Compulsory traffic in bytes: each output and input once. If a step number indexes
     * the input, only the rows of a launch count. */
    int64_t read, written;
    struct lift_footprint_ops ops;
    double intensity; /* flops of all points per byte of compulsory traffic */
    const struct lift_footprint *items;
    int count;
    bool complete; /* false: too many reads, and no items */
    /* For each input, a bit for each output that may overwrite the input: no later step
     * reads the input, and a step reads only the point that it writes. */
    unsigned in_place[LIFT_MAX_ARGS];
};

/* Finds the footprints of a program whose sizes are numbers. Results live in the arena of
 * 'ir'. Returns false and the reason if the program has no point or exceeds 64 bits. */
bool lift_footprints_find(struct lift_ir *ir, const struct lift_program *program,
                          struct lift_footprints *out, struct lift_str *why);
/* Bytes of a value of a type whose sizes are numbers; -1: too many, or the type has no
 * flat buffers. */
int64_t lift_footprint_bytes(lift_type type);

#endif
