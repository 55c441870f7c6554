/* Recognises the n-dimensional forms of lift/build.h: it parses a form and rebuilds it;
 * the match succeeds if the rebuilt node is identical. Dimensions count from the
 * outermost of a form. Loose variables are numbered from the place of the form. */
#ifndef RULES_ND_H
#define RULES_ND_H

#include "ir/expr.h"
#include "lift/build.h"

struct nd_window {
    lift_nat size[LIFT_MAX_DIMS];
    lift_nat step[LIFT_MAX_DIMS];
};

/* map_n(d, f, xs): true, and the function and the array. */
bool nd_is_map(struct lift_ir *ir, int d, lift_expr e, lift_expr *f, lift_expr *xs);
/* zip_n(d, xs...): the number of arrays, 0 if it is none. */
int nd_is_zip(struct lift_ir *ir, int d, lift_expr e, lift_expr xs[LIFT_MAX_ARGS]);
bool nd_is_slide(struct lift_ir *ir, int d, lift_expr e, struct nd_window *w,
                 lift_expr *xs);
/* A size as a value. */
lift_expr nd_size(struct lift_ir *ir, lift_nat n);
/* The type of the elements under d dimensions. */
lift_type nd_under(lift_type t, int d);
/* The type of the variable that is bound 'index' binders outside; NULL: 'e' has none. */
lift_type nd_bound_type(lift_expr e, int index);
/* Lengths of the outer d dimensions; false if 't' has fewer dimensions. */
bool nd_lengths(lift_type t, int d, lift_nat len[LIFT_MAX_DIMS]);
/* map(fun(q => q.k), xs); NULL 'xs' gives NULL. */
lift_expr nd_map_get(struct lift_ir *ir, int k, lift_expr xs);
/* map(fun(p => slide_n(d, ..., p)), xs) with the windows of 'w' but its outermost. */
lift_expr nd_map_windows(struct lift_ir *ir, const char *hint, int d,
                         const struct nd_window *w, lift_expr xs);
/* fun(x => x). nd_is_copy: true if this is the function of 'map'. */
lift_expr nd_identity(struct lift_ir *ir, const char *hint, lift_type t);
bool nd_is_copy(lift_expr map);
/* True if the body of a function of one parameter is this parameter. */
bool nd_is_own(lift_expr e);
/* fun(x => x) mapped over d dimensions, or over all: an elementwise copy. NULL 'xs' gives
 * NULL. */
lift_expr nd_copy(struct lift_ir *ir, int d, lift_expr xs);
lift_expr nd_copy_all(struct lift_ir *ir, lift_expr xs);
/* 'e' with every occurrence of 'from' replaced; both are without loose variables. */
lift_expr nd_replace(struct lift_ir *ir, lift_expr e, lift_expr from, lift_expr to);
/* The lambda 'f' of one tuple applied to the tuple of these members; each 'tuple.k' in f
 * becomes member k. Members have no loose variables. NULL on a type error. */
lift_expr nd_apply_members(struct lift_ir *ir, lift_expr f, const lift_expr *members,
                           int count);
/* Number of occurrences of 'what', which has no loose variables, counted up to 'limit'.
 */
int nd_count(lift_expr e, lift_expr what, int limit);
/* True if 'e' only moves elements, so that duplicating it duplicates no computation. */
bool nd_is_view(lift_expr e);

#endif
