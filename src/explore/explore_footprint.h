/* What a program reads, moves and computes, found in its expression at given sizes:
 * nothing is compiled or run, C functions that it carries neither. */
#ifndef EXPLORE_EXPLORE_FOOTPRINT_H
#define EXPLORE_EXPLORE_FOOTPRINT_H

#include "lift/program.h"

enum { LIFT_FOOTPRINT_DIMS = 8, LIFT_FOOTPRINT_PADS = 4 };

/* An array that is padded before it is read. */
struct lift_footprint_pad {
    const char *kind;      /* "clamp", "mirror", "wrap", "any", "constant", "value" */
    int64_t before, after; /* elements that it adds */
};

enum lift_footprint_kind {
    LIFT_FOOTPRINT_EXACT,
    LIFT_FOOTPRINT_ABOUT,    /* indices that are not linear: the nearest that are */
    LIFT_FOOTPRINT_ANYWHERE, /* it depends on data or on several indices */
};

/* The elements along one dimension that the point (p0, p1, ...) of an output needs. */
struct lift_footprint_dim {
    enum lift_footprint_kind kind;
    int follows;      /* step * p[follows] + from .. step * p[follows] + to; or */
    int64_t step;     /* -1 and 0: elements from .. to, whatever the point */
    int64_t from, to; /* not of ANYWHERE */
    struct lift_footprint_pad pads[LIFT_FOOTPRINT_PADS];
    int pad_count;
};

/* The reads of one input by one index function: x[i] and x[2i] are two footprints. */
struct lift_footprint {
    int input;
    unsigned outputs; /* that need it, a bit each */
    int rank;         /* dimensions of these */
    int dim_count;    /* of the input; at most LIFT_FOOTPRINT_DIMS are told */
    struct lift_footprint_dim dims[LIFT_FOOTPRINT_DIMS];
    int64_t points; /* different elements that a point needs; 0: not known */
    bool star, box; /* all on the axes; all within 'from' and 'to': of two or more
                       dimensions */
};

/* Scalar operations of one evaluation of the program as it is written, every array
 * computed once, divided by the points inside of its border. Constants and values of
 * parameters alone do not count: they are computed before the launch. */
struct lift_footprint_ops {
    double flops;             /* arithmetic whose result is f32 or f64; a lane counts */
    double by[LIFT_OP_COUNT]; /* the same by primitive */
    double calls;             /* of functions in C */
    double others;            /* comparisons, choices, conversions, integers */
};

struct lift_footprints {
    int64_t points; /* elements of the largest output, and how many of them are not of */
    int64_t inside; /* the border of an inset */
    /* Compulsory traffic in bytes: each output once, and each input; of one that is
     * indexed by a number of the step, the rows of a launch. */
    int64_t read, written;
    struct lift_footprint_ops ops;
    double intensity; /* flops of all a byte of compulsory traffic */
    const struct lift_footprint *items;
    int count;
    bool complete; /* false: there is too much to follow, and there are no items */
    /* Per input, a bit for each output that may overwrite it: the input is not read after
     * a step, and a step reads only the point that it writes. */
    unsigned in_place[LIFT_MAX_ARGS];
};

/* Of a program whose sizes are numbers. Everything lives in the arena of 'ir'. False and
 * the reason if it has no point or is too large for 64 bits. */
bool lift_footprints_find(struct lift_ir *ir, const struct lift_program *program,
                          struct lift_footprints *out, struct lift_str *why);
/* Bytes of a value of a type whose sizes are numbers; -1: too many, or no flat buffers.
 */
int64_t lift_footprint_bytes(lift_type type);

#endif
