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

#endif
