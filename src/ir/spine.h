/* The output spine of a term: the nodes between its root and the loops that compute it.
 * Nodes of the spine only move elements. */
#ifndef IR_SPINE_H
#define IR_SPINE_H

#include "ir/expr.h"

/* The argument whose elements a movement node passes on. Movement nodes are maps of a
 * movement lambda, and primitives to which array_prims.def gives an argument and kept
 * elements. -1: 'e' is no movement node. 'inject' adds to some elements after all of them
 * are stored. */
int lift_moved_slot(lift_expr e);
/* True for a node whose arguments occupy separate places of the result: zip, tuple,
 * concat, inset. */
bool lift_moves_each(lift_expr e);
/* True if child 'child' of 'e' leads from the root of a term to its result. Such a child
 * is the body of a let or of a function, or the last argument of a layout. */
bool lift_leads_to_result(lift_expr e, int child);
/* True if member 'i' of a tuple has fewer dimensions than another member. The member is
 * then a list, such as a receiver trace, and no grid. */
bool lift_has_fewer_dims(lift_type tuple, int i);
/* True for a lambda of one parameter that only moves the elements of its parameter. A map
 * of such a lambda on the spine is no loop. The identity is a copy, hence a computation.
 */
bool lift_is_movement(lift_expr lambda);
/* 'e' without the surrounding loops that only copy. */
lift_expr lift_copied(lift_expr e);
/* The tuple variable whose member '*k' the loops 'e' copy; NULL for other terms. */
lift_expr lift_copied_member(lift_expr e, int *k);
/* The maximal steps of an iterate of grids that get a kernel each; longer iterates repeat
 * kernels. */
enum { LIFT_MOST_NAMED = 16 };
/* A grid, or a tuple of grids: the state of an iterate over grids. */
bool lift_is_grids(lift_type t);
/* True for an iterate of grids with more than LIFT_MOST_NAMED steps, or a symbolic
 * number of steps, whose steps are not repeated kernels yet. */
bool lift_is_long(lift_expr e);
/* True for an iterate of grids whose function stores its value in global memory. Its
 * kernels run once for each step. */
bool lift_is_repeated(lift_expr e);
/* Binds each value that toGlobal stores once by a let at the root, where the value is a
 * separate kernel. A value that depends on parameters of inner functions stays in place.
 * A value that only one side of a choice computes also stays in place. */
lift_expr lift_hoist_globals(struct lift_ir *ir, lift_expr term);
/* The number of values that lets at the root of a term bind and store: intermediates
 * with separate kernels. */
int lift_stages_stored(lift_expr term);
/* True if no two loop iterations write the same element of the result. False for shifted
 * tiles. */
bool lift_writes_once(lift_expr e);
/* True if a toGlobal remains inside a computation of 'hoisted', a result of
 * lift_hoist_globals: no kernel can be generated. */
bool lift_has_inner_globals(lift_expr hoisted);

#endif
