/* The memory of the halo of a physical pad. Reads of padStored(l, r, v, x) have no
 * boundary check. So 'x' must be an input, a stored intermediate, or a view of these
 * that keeps indices of its outermost dimension, also outside the grid. Such views are
 * maps of pads, physical pads, one of the grids of an intermediate, and rows of a part
 * such as a region. */
#ifndef IR_HALO_H
#define IR_HALO_H

#include "ir/expr.h"

enum { LIFT_HALO_DIMS = 6 };

/* A view of an input, or of a part of an input. Dimension d of the view is dimension
 * 'first' + d of the input, with before[d] and after[d] elements of halo. 'input' is
 * NULL for all other expressions. */
struct lift_halo {
    lift_expr input; /* or the 'toGlobal' of an intermediate */
    lift_type grid;  /* the type of the input, or of the selected member */
    bool stage;
    int first, dims;
    lift_nat before[LIFT_HALO_DIMS], after[LIFT_HALO_DIMS];
    bool straight[LIFT_HALO_DIMS]; /* indices outside the view are outside the grid */
};

/* The views of bound variables, innermost first. */
struct lift_halo_scope {
    struct lift_halo halo;
    const struct lift_halo_scope *outer;
};

/* Interprets 'e' as a view; every free variable of array type counts as an input. */
struct lift_halo lift_halo_of(struct lift_ir *ir, lift_expr e,
                              const struct lift_halo_scope *scope);
/* The view of the parameter of a map over 'xs'. */
struct lift_halo lift_halo_element(const struct lift_halo *xs);
/* The view of the variable of a 'let' over 'value': an intermediate, if 'value' is
 * stored. */
struct lift_halo lift_halo_named(struct lift_ir *ir, lift_expr value);
/* The number that equals all scalars of 'value', as an expression of literals and
 * parameters. NULL if the scalars differ, or are unknown before a launch. */
lift_expr lift_halo_fill(lift_expr value);

#endif
