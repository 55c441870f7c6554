/* The output spine of a term: the nodes between its root and the loops that compute it,
 * which only move elements on their way out. */
#ifndef IR_SPINE_H
#define IR_SPINE_H

#include "ir/expr.h"

/* The argument whose elements a movement node passes on one by one: those that
 * array_prims.def has an argument and kept elements for, and a map of a movement lambda;
 * -1 if 'e' is none. 'inject' adds to some of them once all are there. */
int lift_moved_slot(lift_expr e);
/* True for a node whose arguments have places of their own in the result: zip, tuple,
 * concat, inset. */
bool lift_moves_each(lift_expr e);
/* True for the way from the root of a term to its result, past names and layouts: the
 * body of a let, the last argument of a layout, the body of a function. */
bool lift_leads_to_result(lift_expr e, int child);
/* True if member 'i' of a tuple has fewer dimensions than another member: not a grid, but
 * a list such as the trace of receivers. */
bool lift_has_fewer_dims(lift_type tuple, int i);
/* True for a lambda of one parameter that only moves the elements of its parameter: such
 * a map on the spine is no loop. The identity is a copy, that is a computation. */
bool lift_is_movement(lift_expr lambda);
/* 'e' without the loops around it that only copy. */
lift_expr lift_copied(lift_expr e);
/* The variable of a tuple of which loops copy a member, '*k'; NULL: 'e' is something
 * else.
 */
lift_expr lift_copied_member(lift_expr e, int *k);
/* Steps of an iterate of grids that have a kernel each, at most: more are repeated. */
enum { LIFT_MOST_NAMED = 16 };
/* A grid, or a tuple of grids: the state of an iterate over grids. */
bool lift_is_grids(lift_type t);
/* True for an iterate of grids of more steps, or of a number that is not known, whose
 * steps are not repeated kernels yet. */
bool lift_is_long(lift_expr e);
/* True for an iterate of grids whose function stores its value in global memory: kernels
 * that are run so often, in turn. */
bool lift_is_repeated(lift_expr e);
/* The same term with all values that toGlobal stores named by lets at its root, where
 * they are kernels of their own; each value once. What depends on parameters of functions
 * inside, or is computed by one side of a choice only, stays where it is. */
lift_expr lift_hoist_globals(struct lift_ir *ir, lift_expr term);
/* Values that lets at the root of a term name and store: stages with kernels of their
 * own.
 */
int lift_stages_stored(lift_expr term);
/* True if no two iterations of loops write the same element of the result; tiles that are
 * shifted do. */
bool lift_writes_once(lift_expr e);
/* Whether a toGlobal stays inside of what such a term computes: it has no kernel. */
bool lift_has_inner_globals(lift_expr hoisted);

#endif
