/* Regions of an 'array', determined by its function of indices. Finds the indices at
 * which predicates of the function change their value, and decides predicates that are
 * constant on a region. */
#ifndef RULES_NATIVE_REGIONS_INDEX_TESTS_H
#define RULES_NATIVE_REGIONS_INDEX_TESTS_H

#include "rules/native/regions/regions.h"

/* Points whose index along dimension k is first[k] .. last[k]. */
struct index_box {
    lift_nat first[LIFT_MAX_DIMS], last[LIFT_MAX_DIMS];
};

/* Boxes that may overlap; the indices are free variables of type i32. */
struct index_boxes {
    int d, count;
    lift_expr index[LIFT_MAX_DIMS];
    struct index_box box[2 * LIFT_MAX_DIMS];
};

/* Returns the body of an array_n of boxes->d indices, through take and drop; NULL for
 * other terms. Creates the index variables and one box of all points. */
lift_expr index_body(struct lift_ir *ir, lift_expr e, struct index_boxes *boxes);
/* Replaces each predicate of 'e' that is constant on all points of all boxes, and
 * simplifies. */
lift_expr index_decided(struct lift_ir *ir, lift_expr e, const struct index_boxes *boxes);
/* Widens 'h' by the indices in dimension 'dim' at which predicates of 'array' change
 * their value. Each such index counts from the nearest end. */
void index_cuts(struct lift_ir *ir, lift_expr array, int dim, struct halo *h);

#endif
