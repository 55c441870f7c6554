/* How much code generation would read, found without generating code. */
#ifndef EXPLORE_CANDIDATE_TERM_READS_H
#define EXPLORE_CANDIDATE_TERM_READS_H

#include "ir/expr.h"

struct term_reads {
    double most;   /* expressions read for one element of a stored value or the result */
    bool computes; /* TMA copies would fill circular buffers whose elements are all
                      computed */
};

struct term_reads term_reads_find(lift_expr term);

#endif
