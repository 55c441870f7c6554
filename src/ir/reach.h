/* The reach of a term: the elements of an array that one element of the result reads.
 * Rules for tiles and windows size the tile of an input by its reach (overlapped tiles:
 * Stoltzfus et al. 2019). */
#ifndef IR_REACH_H
#define IR_REACH_H

#include "ir/expr.h"
#include "lift/build.h"

/* Element p of the result reads elements p + lo .. p + hi of the array, in each
 * requested dimension. The range includes reads by boundary handling that repeats
 * elements. */
struct lift_reach {
    lift_expr array; /* a given free variable; NULL, in the last entry: all others */
    bool read;
    bool known;                  /* false: the term may read any element */
    bool wraps[LIFT_MAX_DIMS];   /* periodic boundary */
    bool repeats[LIFT_MAX_DIMS]; /* clamped or mirrored boundary */
    int64_t lo[LIFT_MAX_DIMS], hi[LIFT_MAX_DIMS]; /* 0 if no element is read */
};

/* Finds the reach of 'term' into 'count' arrays, each given by reach[i].array. 'term' is
 * an array of at least 'dims' dimensions without loose variables. */
void lift_reach_find(lift_expr term, int dims, struct lift_reach *reach, int count);

/* A read of an array: the members and the indices of its path, in this order. An index is
 * the index of the result along 'dim' plus 'lo' to 'hi'. */
enum { LIFT_REACH_PATH = 8, LIFT_REACH_NUMBER = -1, LIFT_REACH_UNKNOWN = -2 };

struct lift_reach_index {
    int dim; /* NUMBER: 'lo' to 'hi' alone; UNKNOWN: any element */
    int64_t lo, hi;
};

struct lift_reach_read {
    int member_count, index_count; /* above LIFT_REACH_PATH: the path is longer */
    int members[LIFT_REACH_PATH];
    struct lift_reach_index indices[LIFT_REACH_PATH];
    bool repeats; /* boundary handling maps an index */
};

/* Calls 'each' for every read of the free variable 'array' by an element of 'term'. */
typedef void lift_reach_each_read(void *user, const struct lift_reach_read *read);
void lift_reach_each(lift_expr term, int dims, lift_expr array,
                     lift_reach_each_read *each, void *user);

#endif
