/* How far a term reaches: which elements of an array are read for an element of its
 * result. Rules that keep a part of an array near ask how large the part has to be
 * (overlapped tiles: Stoltzfus et al. 2019). */
#ifndef IR_REACH_H
#define IR_REACH_H

#include "ir/expr.h"
#include "lift/build.h"

/* For element p of the result, elements p + lo .. p + hi of the array, in each of the
 * dimensions that were asked for. Boundaries that repeat elements are taken into account.
 */
struct lift_reach {
    lift_expr array; /* given: a free variable; NULL, the last one: all others */
    bool read;
    bool known; /* what is read is such a neighbourhood; else it may be any element */
    /* Along a dimension: beyond the end it goes on at the other one. */
    bool wraps[LIFT_MAX_DIMS];
    bool repeats[LIFT_MAX_DIMS];                  /* or it is clamped, or mirrored */
    int64_t lo[LIFT_MAX_DIMS], hi[LIFT_MAX_DIMS]; /* 0 if nothing is read */
};

/* Of 'term', an array of at least 'dims' dimensions without loose variables, into each of
 * 'count' arrays, whose 'array' is set. */
void lift_reach_find(lift_expr term, int dims, struct lift_reach *reach, int count);

#endif
