/* Implementations of 'inject'. A separate kernel adds to the few elements of the points
 * after the grid is stored. The result is always stored; a grid with other readers is
 * stored by toGlobal:
 *
 *     map_n(f, .. inject(x, p, v) ..)
 *   = let s = toGlobal(inject(x, p, v)) in map_n(f, .. s ..)
 *
 * Or inject(x, (c, w), v) is part of the loops that compute x:
 *
 *     inject(map_n(f, xs), (c, w), v)
 *   = map_n(fun((x, i) => reduce(fun(y, (c, w, v) => if i is in the box at c
 *                                    then y + w[0][i0 - c[0]] * ... * v else y),
 *                                f(x), zip(c, w, v))),
 *           zip_n(xs, array_n(fun(i => i))))
 *
 * so that every element tests all points in order. */
#include "ir/spine.h"
#include "rules/native/natives.h"
#include "rules/nd.h"

/* Returns 'value' plus the contributions of all points. */
static lift_expr with_points(struct lift_ir *ir, int dims, lift_expr inject,
                             lift_expr value, lift_expr at)
{
    lift_expr list = lift_inject_list(ir, inject), index[LIFT_MAX_DIMS];
    lift_expr y = lift_fresh(ir, "y", value->type);
    lift_expr p = lift_fresh(ir, "p", list->type->elem);

    for (int a = 0; a < dims; a++)
        index[a] = dims > 1 ? lift_get(ir, a, at) : at;
    return lift_reduce(ir, lift_fun2(ir, lift_inject_step(ir, y, p, index), y, p), value,
                       list);
}

/* Builds array_n of the indices: tuples of indices, or plain indices in one dimension. */
static lift_expr indices(struct lift_ir *ir, int dims, const lift_nat *len)
{
    lift_expr i[LIFT_MAX_DIMS], e;

    for (int a = 0; a < dims; a++)
        i[a] = lift_fresh(ir, "i", lift_type_scalar(ir, LIFT_I32));
    e = dims > 1 ? lift_call(ir, LIFT_TUPLE, i, dims) : i[0];
    for (int a = dims; a-- > 0;)
        e = lift_array(ir, len[a], lift_fun(ir, e, i[a]));
    return e;
}

void rule_fuse_inject(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    int d = redex->numbers.dims, count;
    lift_expr f, xs, arrays[LIFT_MAX_ARGS + 1], members[LIFT_MAX_ARGS + 1], t, zip;
    lift_nat len[LIFT_MAX_DIMS];

    if (lift_type_rank(redex->at->type) != d || !nd_lengths(redex->at->type, d, len) ||
        !nd_is_map(ir, d, redex->at->u.prim.args[0], &f, &xs))
        return;
    count = nd_is_zip(ir, d, xs, arrays);
    if (count == 0)
        arrays[0] = xs;
    if (count >= LIFT_MAX_ARGS)
        return;
    arrays[count ? count : 1] = indices(ir, d, len);
    zip = lift_zip_n(ir, d, arrays, (count ? count : 1) + 1);
    if (!zip)
        return;
    t = lift_fresh(ir, "t", nd_under(zip->type, d));
    for (int i = 0; i <= (count ? count : 1); i++)
        members[i] = lift_get(ir, i, t);
    xs = count ? nd_apply_members(ir, f, members, count)
               : lift_expr_apply(ir, f, &members[0]);
    if (xs)
        redex_emit(redex, lift_map_n(ir, d,
                                     lift_fun(ir,
                                              with_points(ir, d, redex->at, xs,
                                                          members[count ? count : 1]),
                                              t),
                                     zip));
}

/* ---- stored */

/* True if the kernels that store 'e' also store child 'i'. */
static bool is_stored(lift_expr e, int i)
{
    return lift_leads_to_result(e, i) || lift_expr_is(e, LIFT_TO_GLOBAL) ||
           lift_moves_each(e) || lift_moved_slot(e) == i;
}

/* True for a list of the result. The points that a list reads are few. */
static bool is_list(lift_expr e, int i, bool read)
{
    return !read && lift_expr_is(e, LIFT_TUPLE) && lift_has_fewer_dims(e->type, i);
}

/* True if 'e' reads the variable 'index' other than by copies to the result. 'read': the
 * context reads 'e'. */
static bool reads(lift_expr e, int index, bool read)
{
    bool found = e->kind == LIFT_EXPR_BOUND && e->u.index == index && read;

    index += e->kind == LIFT_EXPR_LAMBDA ? e->arg_count : 0;
    for (int i = 0; i < lift_expr_child_count(e) && e->loose > 0 && !found; i++)
        found = !is_list(e, i, read) &&
                reads(lift_expr_child(e, i), index, read || !is_stored(e, i));
    return found;
}

/* Inlines the let of an 'inject' that no grid reads: only the result has the value, or
 * lists read a few elements. Returns NULL for other terms. */
static lift_expr without_name(struct lift_ir *ir, lift_expr e)
{
    return lift_expr_is(e, LIFT_LET) && lift_expr_is(e->u.prim.args[0], LIFT_INJECT) &&
                   !reads(e->u.prim.args[1]->u.lambda.body, 0, false)
               ? lift_expr_apply(ir, e->u.prim.args[1], e->u.prim.args)
               : NULL;
}

/* Stores each 'inject' of 'e' that other parts of the term read. 'read': other parts read
 * 'e'. */
static lift_expr store_configurations(struct lift_ir *ir, lift_expr e, bool read)
{
    bool own = read && lift_expr_is(e, LIFT_INJECT) && e->loose == 0;
    int count = lift_expr_child_count(e);
    lift_expr children[LIFT_MAX_ARGS], to = read ? NULL : without_name(ir, e);

    if (!lift_expr_mentions(e, LIFT_INJECT))
        return e;
    if (to)
        return store_configurations(ir, to, false);
    for (int i = 0; i < count; i++) {
        bool stays = (!read || own) && is_stored(e, i);
        lift_expr child = lift_expr_child(e, i);

        children[i] =
            is_list(e, i, read) ? child : store_configurations(ir, child, !stays);
    }
    to = lift_expr_rebuild(ir, e, children, NULL);
    return own && to ? lift_call1(ir, LIFT_TO_GLOBAL, to) : to;
}

void rule_store_injected(struct rule_redex *redex)
{
    lift_expr e = redex->at, to;

    if (e->loose > 0 || !lift_is_grids(e->type))
        return;
    to = store_configurations(redex->ir, e, false);
    if (to && to != e)
        redex_emit(redex, lift_hoist_globals(redex->ir, to));
}
