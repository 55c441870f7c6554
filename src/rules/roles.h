/* Roles of loops: private to the walk over loops (loops.c). */
#ifndef RULE_ROLES_H
#define RULE_ROLES_H

#include "rules/rule_loops.h"

enum { DIMS_MOST = 24 };

/* For each array dimension of a value on the way of the result, outermost first, the
 * dimension of the result that it becomes; -1: none, or several. What is nested deeper
 * is left out. */
struct dims {
    int count;
    int8_t of[DIMS_MOST];
};

/* Of a whole result: 0, 1, ... */
struct dims dims_of(lift_type result);
/* Those of a child on the way from 'e' down to what computes it. */
struct dims dims_below(lift_expr e, int child, const struct dims *dims);
/* Of the outermost one; -1: there is none. */
int dims_first(const struct dims *dims);

/* A stream along 'dim' stands in the loop 'parent', and in those around it. */
void roles_note_stream(struct lift_loops *all, int parent, int dim);
/* Fills in what the roles are, for the loops of a term whose other members are known. */
void roles_find(lift_expr term, struct lift_loops *all);

#endif
