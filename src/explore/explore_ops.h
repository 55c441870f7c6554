/* Counts of operations. */
#ifndef EXPLORE_EXPLORE_OPS_H
#define EXPLORE_EXPLORE_OPS_H

#include "ir/expr.h"
#include "ir/value.h"

/* Scalar operations on which one element of the expression's value depends. Shared
 * subexpressions count for each element. 'sizes' has numbers for the size variables. At
 * most 10^6. */
double lift_ops_count(struct lift_ir *ir, lift_expr e, const struct lift_nat_env *sizes);
/* Likewise, with weights: divisions and roots count 4 times, other functions 16 times. */
double lift_ops_weighted(struct lift_ir *ir, lift_expr e,
                         const struct lift_nat_env *sizes);
/* Operations in an evaluation of 'e': functions of arrays are called for each element,
 * and shared elements are computed once. 'pick' returns the weight of a scalar primitive.
 */
typedef double lift_ops_pick(void *user, lift_expr scalar);
double lift_ops_total(struct lift_ir *ir, lift_expr e, const struct lift_nat_env *sizes,
                      lift_ops_pick *pick, void *user);
/* The weight of an operation in lift_ops_weighted. */
double lift_op_weight(enum lift_op op);

#endif
