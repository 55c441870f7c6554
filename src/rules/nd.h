/* Recognises the n-dimensional forms of lift/build.h. The functions parse a form and
 * rebuild it; a match succeeds if the rebuilt node is identical. Dimensions count from
 * the outermost dimension of a form. Loose variables are numbered from the place of the
 * form. */
#ifndef RULES_ND_H
#define RULES_ND_H

#include "ir/expr.h"
#include "lift/build.h"

struct nd_window {
    lift_nat size[LIFT_MAX_DIMS];
    lift_nat step[LIFT_MAX_DIMS];
};

/* Returns true, the function and the array if 'e' is map_n(d, f, xs). */
bool nd_is_map(struct lift_ir *ir, int d, lift_expr e, lift_expr *f, lift_expr *xs);
/* Returns the number of arrays if 'e' is zip_n(d, xs...); otherwise 0. */
int nd_is_zip(struct lift_ir *ir, int d, lift_expr e, lift_expr xs[LIFT_MAX_ARGS]);
bool nd_is_slide(struct lift_ir *ir, int d, lift_expr e, struct nd_window *w,
                 lift_expr *xs);
/* Returns the size as an i32 expression. */
lift_expr nd_size(struct lift_ir *ir, lift_nat n);
/* Returns the type of the elements under d dimensions. */
lift_type nd_under(lift_type t, int d);
/* Returns the type of the variable that is bound 'index' binders outside 'e'; NULL if 'e'
 * does not contain this variable. */
lift_type nd_bound_type(lift_expr e, int index);
/* Gives the lengths of the outer d dimensions; false if 't' has fewer dimensions. */
bool nd_lengths(lift_type t, int d, lift_nat len[LIFT_MAX_DIMS]);
/* Builds map(fun(q => q.k), xs); NULL 'xs' gives NULL. */
lift_expr nd_map_get(struct lift_ir *ir, int k, lift_expr xs);
/* Builds map(fun(p => slide_n(d, ..., p)), xs) with all windows of 'w' except the
 * outermost. */
lift_expr nd_map_windows(struct lift_ir *ir, const char *hint, int d,
                         const struct nd_window *w, lift_expr xs);
/* nd_identity builds fun(x => x). nd_is_copy returns true if 'map' maps this function. */
lift_expr nd_identity(struct lift_ir *ir, const char *hint, lift_type t);
bool nd_is_copy(lift_expr map);
/* True if 'e', the body of a function of one parameter, is this parameter. */
bool nd_is_own(lift_expr e);
/* Build an elementwise copy: fun(x => x) mapped over d dimensions, or over all
 * dimensions. NULL 'xs' gives NULL. */
lift_expr nd_copy(struct lift_ir *ir, int d, lift_expr xs);
lift_expr nd_copy_all(struct lift_ir *ir, lift_expr xs);
/* Replaces every occurrence of 'from' in 'e'. 'from' and 'to' have no loose variables. */
lift_expr nd_replace(struct lift_ir *ir, lift_expr e, lift_expr from, lift_expr to);
/* Applies the lambda 'f' of one tuple to the tuple of these members; each 'tuple.k' in
 * 'f' becomes member k. Members have no loose variables. NULL on a type error. */
lift_expr nd_apply_members(struct lift_ir *ir, lift_expr f, const lift_expr *members,
                           int count);
/* Counts the occurrences of 'what' in 'e', up to 'limit'. 'what' has no loose variables.
 */
int nd_count(lift_expr e, lift_expr what, int limit);
/* True if 'e' only moves elements, so that a copy of 'e' duplicates no computation. */
bool nd_is_view(lift_expr e);

#endif
