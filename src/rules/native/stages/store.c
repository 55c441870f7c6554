/* Stores intermediates. A stored intermediate becomes toGlobal(...), bound at the root,
 * which is a separate kernel. The rule stores grids that are computed, not only moved,
 * and that are read by windows, by indices, or by several readers of a let. */
#include "base/table.h"
#include "ir/spine.h"
#include "ir/view.h"
#include "lift/build.h"
#include "rules/native/natives.h"

/* True if the function of a map only moves elements, apart from padding. */
static bool moves(lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return e->kind != LIFT_EXPR_LAMBDA || moves(e->u.lambda.body);
    if (e->op != LIFT_MAP && e->op != LIFT_ARRAY && !lift_op_is_view(e->op))
        return false;
    for (int i = e->op == LIFT_PAD_VALUE || e->op == LIFT_REORDER; i < e->arg_count; i++)
        if (!moves(e->u.prim.args[i]))
            return false;
    return true;
}

/* True if 'e' contains a reduction, or a map that computes its elements. */
static bool is_computed(lift_expr e)
{
    bool found = lift_expr_is(e, LIFT_REDUCE) ||
                 (lift_expr_is(e, LIFT_MAP) && !moves(e->u.prim.args[0]));

    if (e->kind != LIFT_EXPR_PRIM)
        return false;
    for (int i = 0; !found && i < e->arg_count; i++) {
        lift_expr a = e->u.prim.args[i];

        if (a->kind != LIFT_EXPR_LAMBDA)
            found = is_computed(a);
        else if (e->op == LIFT_LET)
            found = is_computed(a->u.lambda.body);
    }
    return found;
}

/* True if the elements of 'e' are elements of other grids. Storing these grids then
 * serves the readers of 'e'. */
static bool passes_on(lift_expr e)
{
    if (e->op == LIFT_MAP)
        return moves(e->u.prim.args[0]);
    return lift_op_is_view(e->op) && e->op != LIFT_CONCAT && e->op != LIFT_INSET &&
           e->op != LIFT_INSET_BOX;
}

static bool has_windows(lift_expr e)
{
    return lift_expr_is(e, LIFT_SLIDE) || lift_expr_is(e, LIFT_REORDER) ||
           (lift_expr_is(e, LIFT_MAP) &&
            lift_expr_mentions(e->u.prim.args[0], LIFT_SLIDE));
}

/* True for the branches of a select, which are not stored. A separate kernel would
 * compute a branch unconditionally, including divisions by zero. */
static bool is_branch(lift_expr e, int child)
{
    return lift_expr_is(e, LIFT_SELECT) && child > 0;
}

/* Rewritten nodes, by node: done[0] if the node is read once, done[1] if several times.
 */
struct storing {
    struct lift_ir *ir;
    struct lift_ptrmap done[2];
};

static lift_expr stored(struct storing *s, lift_expr e, bool often);

static lift_expr child_stored(struct storing *s, lift_expr e, int i, bool often)
{
    lift_expr child = lift_expr_child(e, i);

    if (is_branch(e, i))
        return child;
    if (child->kind == LIFT_EXPR_LAMBDA)
        return stored(s, child, e->op != LIFT_LET || often);
    if (e->op == LIFT_LET)
        return stored(s, child, true);
    return stored(s, child, has_windows(e) || (often && passes_on(e)));
}

static bool is_long(lift_expr e);
static lift_expr repeated(struct storing *s, lift_expr e);

static lift_expr children_stored(struct storing *s, lift_expr e, bool often)
{
    lift_expr children[LIFT_MAX_ARGS];
    int count = lift_expr_child_count(e);

    if (e->kind == LIFT_EXPR_LAMBDA)
        children[0] = stored(s, e->u.lambda.body, often);
    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < count; i++)
        children[i] = child_stored(s, e, i, often);
    return lift_expr_rebuild(s->ir, e, children, NULL);
}

/* Rewrites a let. A variable replaces the bound name, so that grids that depend on the
 * name can also be stored. */
static lift_expr let_stored(struct storing *s, lift_expr e, bool often)
{
    lift_expr f = e->u.prim.args[1], value, body;
    lift_expr var = lift_fresh(s->ir, f->u.lambda.names[0], f->type->parts[0]);

    value = stored(s, e->u.prim.args[0], true);
    body = stored(s, lift_expr_apply(s->ir, f, &var), often);
    return lift_let(s->ir, value, lift_fun(s->ir, body, var));
}

/* Stores the intermediates of 'e' that are read several times. 'often': 'e' is read
 * several times. */
static lift_expr stored(struct storing *s, lift_expr e, bool often)
{
    lift_expr to = lift_ptrmap_get(&s->done[often], e);
    bool own = !to && often && e->kind == LIFT_EXPR_PRIM &&
               !lift_expr_is(e, LIFT_TO_GLOBAL) && !lift_expr_is(e, LIFT_LET) &&
               !is_long(e) && e->loose == 0 && lift_is_grids(e->type) && !passes_on(e) &&
               is_computed(e);

    if (to)
        return to;
    if (is_long(e))
        to = repeated(s, e);
    else if (lift_expr_is(e, LIFT_LET) && e->loose == 0)
        to = let_stored(s, e, often);
    else if (lift_expr_is_storage(e))
        to = e;
    else
        to = children_stored(s, e, often && !own);
    if (to && own)
        to = lift_call1(s->ir, LIFT_TO_GLOBAL, to);
    if (to)
        lift_ptrmap_put(&s->done[often], e, (void *)to);
    return to;
}

/* ---- many steps */

/* True for an iterate whose steps are repeated kernels, or will become repeated kernels.
 */
static bool is_long(lift_expr e)
{
    return e->loose == 0 && (lift_is_long(e) || lift_is_repeated(e));
}

/* Builds fun(y => toGlobal(g(y))), where one or several launches compute g. */
static lift_expr step_stored(struct storing *s, lift_expr f)
{
    lift_expr y = lift_fresh(s->ir, f->u.lambda.names[0], f->type->parts[0]);
    lift_expr e = lift_expr_apply(s->ir, f, &y);

    e = stored(s, lift_expr_is(e, LIFT_TO_GLOBAL) ? e->u.prim.args[0] : e, false);
    if (!e)
        return NULL;
    e = lift_call1(s->ir, LIFT_TO_GLOBAL, lift_hoist_globals(s->ir, e));
    return lift_fun(s->ir, e, y);
}

/* Stores the steps, and also their initial value unless it is only moved. */
static lift_expr repeated(struct storing *s, lift_expr e)
{
    struct lift_prim_args args;

    lift_expr_args(e, &args);
    args.args[0] = step_stored(s, args.args[0]);
    args.args[1] = stored(s, args.args[1], true);
    return lift_call1(s->ir, LIFT_TO_GLOBAL, lift_make(s->ir, LIFT_ITERATE, &args));
}

/* True if 'e' contains an iterate of grids that repeated kernels do not compute. An
 * iterate of a few numbers is part of a function and is allowed. 'may': repeated kernels
 * may compute the steps. */
static bool iterates_grids(lift_expr e, bool may)
{
    bool known = may && is_long(e);
    bool found = lift_expr_is(e, LIFT_ITERATE) && lift_is_grids(e->type) && !known;

    for (int i = known; i < lift_expr_child_count(e) && !found; i++)
        found = lift_expr_mentions(lift_expr_child(e, i), LIFT_ITERATE) &&
                iterates_grids(lift_expr_child(e, i), may && !is_branch(e, i));
    return found;
}

/* Like iterates_grids, for a root with lets. A variable replaces each bound name, as in
 * let_stored. */
static bool iterates_in_root(struct lift_ir *ir, lift_expr e)
{
    lift_expr f, var;

    if (!lift_expr_is(e, LIFT_LET))
        return iterates_grids(e, true);
    f = e->u.prim.args[1];
    var = lift_fresh(ir, f->u.lambda.names[0], f->type->parts[0]);
    return iterates_grids(e->u.prim.args[0], true) ||
           iterates_in_root(ir, lift_expr_apply(ir, f, &var));
}

void rule_store_intermediates(struct rule_redex *redex)
{
    struct storing s = {.ir = redex->ir};
    lift_expr e = redex->at, to;

    if (e->loose > 0 || !lift_type_is_data(e->type) || !lift_is_grids(e->type))
        return;
    if (iterates_in_root(redex->ir, e)) {
        redex_refuse(
            redex, "an 'iterate' of grids inside of a function of something else, or on "
                   "one side of an 'if'; write one step with a time loop ('time')");
        return;
    }
    to = stored(&s, e, false);
    lift_ptrmap_fini(&s.done[0]);
    lift_ptrmap_fini(&s.done[1]);
    to = to && to != e ? lift_hoist_globals(redex->ir, to) : e;
    if (to == e)
        redex_refuse(redex, "no computed grid is read by windows, or by several");
    else
        redex_emit(redex, to);
}
