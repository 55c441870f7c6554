/* How much there is to compute. */
#ifndef EXPLORE_EXPLORE_OPS_H
#define EXPLORE_EXPLORE_OPS_H

#include "ir/expr.h"
#include "ir/value.h"

/* Scalar operations that one element of an expression's value depends on, as it is
 * written: what several elements share counts for each of them. 'sizes' gives numbers for
 * the size variables of the expression. At most 10^6. */
double lift_ops_count(struct lift_ir *ir, lift_expr e, const struct lift_nat_env *sizes);
/* The same with slow operations counted more than once: divisions and roots 4 times,
 * other functions 16 times. */
double lift_ops_weighted(struct lift_ir *ir, lift_expr e,
                         const struct lift_nat_env *sizes);
/* Operations in the evaluation of 'e' as it is written: functions of arrays are called
 * for each element, and no element is computed twice for those that share it. 'pick' says
 * how often a scalar primitive counts. */
typedef double lift_ops_pick(void *user, lift_expr scalar);
double lift_ops_total(struct lift_ir *ir, lift_expr e, const struct lift_nat_env *sizes,
                      lift_ops_pick *pick, void *user);
/* How often an operation counts there. */
double lift_op_weight(enum lift_op op);

#endif
