#ifndef RULES_NATIVE_INTERIOR_H
#define RULES_NATIVE_INTERIOR_H

#include "rules/rule.h"

/* The largest part of a result, or the whole if it has no parts. */
void place_interior(lift_expr term, struct lift_path *out);
/* True if two part types of 'term' have equal lengths at usual sizes. */
bool interior_same_lengths(lift_expr term, lift_type a, lift_type b);
/* True if, at usual sizes, a nest has at most half as many planes as rows, or rows as
 * elements of a row. */
bool interior_is_thin(lift_expr nest);

#endif
