/* Regions of an array: slices of one dimension pushed down to the inputs, how wide the
 * boundary of an array is, and results put together from regions. Dimensions count from
 * the outermost, 0. Expressions are as seen from the place of the redex. */
#ifndef RULES_NATIVE_REGIONS_REGIONS_H
#define RULES_NATIVE_REGIONS_REGIONS_H

#include "lift/build.h"

/* Elements start .. start + count - 1 of one dimension. */
struct region {
    int dim;
    lift_nat start, count;
};

/* That part of 'e', exactly. Zips, windows and maps pass it on to their arrays, and a pad
 * that the region does not touch is gone; the rest is take and drop. */
lift_expr region_of(struct lift_ir *ir, lift_expr e, struct region r);

/* map_n(f, xs) with what conditions on indices say there, at all points but those that
 * are in all of the regions, for which the value may be another then; no region: none is
 * left out. NULL if that changes nothing. */
lift_expr region_decided(struct lift_ir *ir, int d, lift_expr f, lift_expr xs,
                         const struct region *left_out, int regions);

/* How many elements at either end of a dimension depend on what pads add, or differ by
 * conditions on the index from those between. */
struct halo {
    lift_nat before, after;
};

struct halo region_halo(struct lift_ir *ir, lift_expr e, int dim);

/* Parts of a result, one after the other along a dimension. NULL if one is. */
lift_expr region_concat(struct lift_ir *ir, int dim, const lift_expr *parts, int count);

#endif
