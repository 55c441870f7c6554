/* Where the halo of a physical pad lies. padStored(l, r, v, x) is read without a test, so
 * 'x' must be an input itself, or a stage that is stored, or a view of one that passes
 * indices of its outermost dimension straight on, outside the grid too: maps of pads, and
 * physical pads; one of the grids of a stage; and rows of a part of it, such as those of
 * a region. */
#ifndef IR_HALO_H
#define IR_HALO_H

#include "ir/expr.h"

enum { LIFT_HALO_DIMS = 6 };

/* A view of an input, or of a part of it: its dimension d is dimension 'first' + d of the
 * input, with so many elements of halo before and after it. 'input' is NULL if it is
 * another thing. */
struct lift_halo {
    lift_expr input; /* or the 'toGlobal' of a stage */
    lift_type grid;  /* all of it, or the one of its members that is meant */
    bool stage;
    int first, dims;
    lift_nat before[LIFT_HALO_DIMS], after[LIFT_HALO_DIMS];
    bool straight[LIFT_HALO_DIMS]; /* an index outside the view is one outside the grid */
};

/* What the variables are that lambdas bind, the innermost first. */
struct lift_halo_scope {
    struct lift_halo halo;
    const struct lift_halo_scope *outer;
};

/* What 'e' is a view of; every free variable of array type counts as an input. */
struct lift_halo lift_halo_of(struct lift_ir *ir, lift_expr e,
                              const struct lift_halo_scope *scope);
/* What the parameter of the function of a map over 'xs' is. */
struct lift_halo lift_halo_element(const struct lift_halo *xs);
/* What the parameter of the function of a 'let' over 'value' is: a stage, if that is
 * stored. */
struct lift_halo lift_halo_named(struct lift_ir *ir, lift_expr value);
/* The number that all scalars of 'value' are, made of literals and parameters; NULL if
 * they are not all the same or not known before a launch. */
lift_expr lift_halo_fill(lift_expr value);

#endif
