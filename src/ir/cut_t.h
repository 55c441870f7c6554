/* The effect of the ends of a grid on a term. */
#ifndef IR_CUT_T_H
#define IR_CUT_T_H

#include "ir/cut.h"
#include "ir/ir_t.h"

struct cut_ends {
    int dim;      /* the dimension of the grids, from the caller; 0 is the outermost */
    lift_nat var; /* the length of the grids */
    int64_t before, after; /* elements that depend on either end */
    bool ring;             /* the grid is periodic */
    bool places;           /* the term uses an index, or the length, as a number */
    struct lift_str *why;  /* belongs to the caller; receives the reason of a failure */
};

/* 'grids' are free variables. Each device holds grids without this length as a whole. */
bool cut_find_ends(struct lift_ir *ir, lift_expr e, const lift_expr *grids, int count,
                   struct cut_ends *out);
/* True if a length in 't' contains the variable. */
bool cut_type_has(lift_type t, lift_nat var);

#endif
