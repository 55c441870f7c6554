/* The output spine of a term: the nodes between its root and the loops that compute it,
 * which only move elements on their way out. Used by code generation, and by those who
 * decide which maps become loops. */
#ifndef CODEGEN_SPINE_H
#define CODEGEN_SPINE_H

#include "lift/expr.h"

/* The argument whose elements a unary movement node passes on (join, split, transpose,
 * take, drop, and a map of a movement lambda); -1 if it is none. */
int cg_moved_slot(lift_expr e);
/* True for a lambda of one parameter that only moves the elements of its parameter: such
 * a map on the spine is no loop. */
bool cg_is_movement(lift_expr lambda);

#endif
