/* How much code generation would read, found without generating code. */
#ifndef EXPLORE_CANDIDATE_TERM_READS_H
#define EXPLORE_CANDIDATE_TERM_READS_H

#include "ir/expr.h"

/* Expressions read for one element of a stored value or of the result. */
double term_reads_most(lift_expr term);

#endif
