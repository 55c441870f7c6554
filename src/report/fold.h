/* Long terms shown shortly: what a reader knows already is written '...'. */
#ifndef REPORT_FOLD_H
#define REPORT_FOLD_H

#include "ir/expr.h"

/* Without the larger subterms that stand in 'known', too; with all if 'known' is NULL. */
lift_expr report_fold_known(struct lift_ir *ir, lift_expr e, lift_expr known);
/* Without the subterms below so many levels. */
lift_expr report_fold_deep(struct lift_ir *ir, lift_expr e, int levels);

#endif
