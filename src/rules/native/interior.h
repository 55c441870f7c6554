#ifndef RULES_NATIVE_INTERIOR_H
#define RULES_NATIVE_INTERIOR_H

#include "rules/rule.h"

/* The largest part of a result, or the whole if it has no parts. */
void place_interior(lift_expr term, struct lift_path *out);
/* Whether two parts of it have the same lengths where sizes are usual. */
bool interior_same_lengths(lift_expr term, lift_type a, lift_type b);
/* Whether it has at most half as many planes there as rows, or rows as elements. */
bool interior_is_thin(lift_expr nest);

#endif
