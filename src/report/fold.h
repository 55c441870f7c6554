/* Abbreviates long terms: known parts become '...'. */
#ifndef REPORT_FOLD_H
#define REPORT_FOLD_H

#include "ir/expr.h"

/* Abbreviates larger subterms that 'known' contains; returns the whole term if
 * 'known' is NULL. */
lift_expr report_fold_known(struct lift_ir *ir, lift_expr e, lift_expr known);
/* Abbreviates the subterms below 'levels' levels. */
lift_expr report_fold_deep(struct lift_ir *ir, lift_expr e, int levels);

#endif
