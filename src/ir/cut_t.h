/* Where the ends of a grid show in a term. */
#ifndef IR_CUT_T_H
#define IR_CUT_T_H

#include "ir/cut.h"
#include "ir/ir_t.h"

struct cut_ends {
    int dim;               /* the caller's: of the grids, 0 is the outermost one */
    lift_nat var;          /* the length of the grids */
    int64_t before, after; /* elements that depend on those at an end */
    bool ring;             /* the grid is periodic */
    bool places;           /* an index, or the length itself, is a number of the term */
    struct lift_str *why;  /* the caller's; words, if it cannot be cut */
};

/* 'grids' are free variables; those without the length are whole everywhere. */
bool cut_find_ends(struct lift_ir *ir, lift_expr e, const lift_expr *grids, int count,
                   struct cut_ends *out);
/* Whether a variable is in a length. */
bool cut_type_has(lift_type t, lift_nat var);

#endif
