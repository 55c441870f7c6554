/* What the body of 'array', a function of indices, says of regions: where its comparisons
 * change their answers, and which of them have one answer all over a region. */
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

/* array_n of as many indices as boxes->d, which it makes, but for what is taken and
 * dropped: its body; NULL if 'e' is none. One box is set, that of all points. */
lift_expr index_body(struct lift_ir *ir, lift_expr e, struct index_boxes *boxes);
/* 'e' with each condition that has one answer at all points of all boxes replaced by it,
 * and what follows from that. */
lift_expr index_decided(struct lift_ir *ir, lift_expr e, const struct index_boxes *boxes);
/* Widens 'h' by where comparisons of index 'dim' of an array change their answers: each
 * is taken to the end that is nearer. */
void index_cuts(struct lift_ir *ir, lift_expr array, int dim, struct halo *h);

#endif
