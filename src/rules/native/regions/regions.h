/* Regions of an array: slices of one dimension pushed to the inputs, the width of an
 * array's boundary, and results concatenated from regions. Dimensions count from the
 * outermost, 0. Loose variables of expressions are numbered from the redex. */
#ifndef RULES_NATIVE_REGIONS_REGIONS_H
#define RULES_NATIVE_REGIONS_REGIONS_H

#include "lift/build.h"

/* Elements start .. start + count - 1 of one dimension. */
struct region {
    int dim;
    lift_nat start, count;
};

/* Returns the region 'r' of 'e'. Moves the slice through zips, windows and maps to their
 * arrays, and removes pads outside the region. Other terms get take and drop. */
lift_expr region_of(struct lift_ir *ir, lift_expr e, struct region r);

/* Decides the index predicates of map_n(f, xs) that are constant on all points outside
 * the intersection of the regions. Inside this intersection, the value may change.
 * Without regions, predicates must be constant on all points. NULL if no predicate is
 * decided. */
lift_expr region_decided(struct lift_ir *ir, int d, lift_expr f, lift_expr xs,
                         const struct region *left_out, int regions);

/* The number of elements at each end of a dimension that differ from the interior. The
 * elements depend on padding, or index predicates have other values. */
struct halo {
    lift_nat before, after;
};

struct halo region_halo(struct lift_ir *ir, lift_expr e, int dim);

/* Concatenates parts of a result along a dimension. NULL if a part is NULL. */
lift_expr region_concat(struct lift_ir *ir, int dim, const lift_expr *parts, int count);

#endif
