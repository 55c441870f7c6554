/* Roles of loops: private to the walk over loops (loops.c). */
#ifndef RULE_ROLES_H
#define RULE_ROLES_H

#include "rules/rule_loops.h"

enum { DIMS_MOST = 24 };

/* For each array dimension of a value on the output spine, outermost first: the
 * corresponding dimension of the result. The entry is -1 if no dimension or several
 * dimensions correspond. The list has at most DIMS_MOST entries. */
struct dims {
    int count;
    int8_t of[DIMS_MOST];
};

/* Returns the dimensions of a whole result: 0, 1, ... */
struct dims dims_of(lift_type result);
/* Returns the dimensions of a child of 'e' on the output spine. */
struct dims dims_below(lift_expr e, int child, const struct dims *dims);
/* Returns the dimension of the result to which the outermost dimension corresponds; -1:
 * none. */
int dims_first(const struct dims *dims);

/* Records a stream along 'dim' for the loop 'parent' and all loops around it. */
void roles_note_stream(struct lift_loops *all, int parent, int dim);
/* Sets the roles of the loops of a term. All other members must be set. */
void roles_find(lift_expr term, struct lift_loops *all);

#endif
