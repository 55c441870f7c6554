#ifndef RULES_NATIVE_INTERIOR_H
#define RULES_NATIVE_INTERIOR_H

#include "rules/rule.h"

/* Finds the largest part of a result, or the whole result if it has no parts. */
void place_interior(lift_expr term, struct lift_path *out);
/* True if two part types of 'term' have equal lengths at usual sizes. */
bool interior_same_lengths(lift_expr term, lift_type a, lift_type b);
/* True if, at usual sizes, the outermost dimension of a nest is at most half as long as
 * the next dimension. */
bool interior_is_thin(lift_expr nest);

#endif
