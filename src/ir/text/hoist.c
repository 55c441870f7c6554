/* Binds values in global memory by lets at the root. A separate kernel computes each
 * value before the kernels that read the value. */
#include "base/table.h"
#include "ir/spine.h"
#include "lift/build.h"

/* A node around the rest of the term: a let, or a layout. */
struct frame {
    lift_expr var, value;
    lift_expr layout; /* or NULL */
    const struct frame *outer;
};

struct hoisting {
    struct lift_ir *ir;
    const struct frame *frames;
    lift_expr from, to;
    const char *name; /* name of the bound value */
    bool changed;
    struct lift_ptrmap done;
};

static void add_frame(struct hoisting *h, struct frame frame)
{
    frame.outer = h->frames;
    h->frames = lift_arena_copy(lift_ir_arena(h->ir), &frame, sizeof frame);
}

static bool is_stored(lift_expr e)
{
    return lift_expr_is(e, LIFT_TO_GLOBAL) && e->type->kind != LIFT_TYPE_SCALAR;
}

/* The value that each step of repeated kernels stores. The value stays in the function
 * of the steps, even if independent of the step. NULL: child 'i' of 'e' is not the
 * function of such steps. */
static lift_expr step_of(lift_expr e, int i)
{
    return i == 0 && lift_is_repeated(e) ? e->u.prim.args[0]->u.lambda.body : NULL;
}

/* Finds the first value to bind, inner values first. A value in one branch of a select
 * is skipped, since a kernel would compute the value unconditionally. */
static lift_expr find(struct hoisting *h, lift_expr e)
{
    int count = lift_expr_is(e, LIFT_SELECT) ? 1 : lift_expr_child_count(e);
    lift_expr found = NULL;

    if (!lift_expr_mentions(e, LIFT_TO_GLOBAL) || lift_ptrmap_get(&h->done, e))
        return NULL;
    for (int i = 0; i < count && !found; i++) {
        lift_expr step = step_of(e, i);

        found = find(h, step ? step->u.prim.args[0] : lift_expr_child(e, i));
    }
    if (found && lift_expr_is(e, LIFT_LET) && found == e->u.prim.args[0])
        h->name = e->u.prim.args[1]->u.lambda.names[0];
    if (found || !is_stored(e) || e->loose > 0) {
        lift_ptrmap_put(&h->done, e, h);
        return found;
    }
    h->name = "stored";
    return e;
}

static bool is_layout(lift_expr e)
{
    return lift_expr_is_placed(e) || lift_expr_is(e, LIFT_IN_PLACE);
}

/* Finds the first value to bind in a node on the path from the root. A value that this
 * node itself stores stays there. */
static lift_expr find_beside(struct hoisting *h, lift_expr e)
{
    lift_expr found = NULL;

    if (lift_expr_is(e, LIFT_LET))
        e = e->u.prim.args[0];
    if (!is_layout(e))
        found = find(h, is_stored(e) ? e->u.prim.args[0] : e);
    lift_ptrmap_fini(&h->done);
    return found;
}

/* Removes a let whose value has just been bound at the root. */
static lift_expr rebuilt(struct hoisting *h, lift_expr e, const lift_expr *children)
{
    if (lift_expr_is(e, LIFT_LET) && children[0] == h->to)
        return lift_expr_apply(h->ir, children[1], &h->to);
    return lift_expr_rebuild(h->ir, e, children, NULL);
}

static lift_expr replace(struct hoisting *h, lift_expr e);

static lift_expr replace_child(struct hoisting *h, lift_expr e, int i)
{
    lift_expr step = step_of(e, i), to;

    if (!step)
        return replace(h, lift_expr_child(e, i));
    to = replace(h, step->u.prim.args[0]);
    to = lift_expr_rebuild(h->ir, step, &to, NULL);
    return lift_expr_rebuild(h->ir, lift_expr_child(e, i), &to, NULL);
}

static lift_expr replace(struct hoisting *h, lift_expr e)
{
    lift_expr children[LIFT_MAX_ARGS] = {NULL}, to;

    if (e == h->from)
        return h->to;
    if (!lift_expr_mentions(e, LIFT_TO_GLOBAL))
        return e;
    to = lift_ptrmap_get(&h->done, e);
    if (to)
        return to;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        children[i] = replace_child(h, e, i);
    to = rebuilt(h, e, children);
    lift_ptrmap_put(&h->done, e, (void *)to);
    return to;
}

static lift_expr named(struct hoisting *h, lift_expr e, lift_expr value)
{
    h->from = value;
    h->to = lift_fresh(h->ir, h->name, value->type);
    add_frame(h, (struct frame){.var = h->to, .value = value});
    e = replace(h, e);
    lift_ptrmap_fini(&h->done);
    return e;
}

/* Descends to the next node on the path from the root to the result; NULL at the end of
 * the path. A toGlobal on this path is dropped, since the result is in global memory. */
static lift_expr descend(struct hoisting *h, lift_expr e)
{
    lift_expr f, var;

    if (is_layout(e)) {
        add_frame(h, (struct frame){.layout = e});
        return e->u.prim.args[e->arg_count - 1];
    }
    if (is_stored(e)) {
        h->changed = true;
        return e->u.prim.args[0];
    }
    if (!lift_expr_is(e, LIFT_LET))
        return NULL;
    f = e->u.prim.args[1];
    var = lift_fresh(h->ir, f->u.lambda.names[0], f->type->parts[0]);
    add_frame(h, (struct frame){.var = var, .value = e->u.prim.args[0]});
    return lift_expr_apply(h->ir, f, &var);
}

static lift_expr wrapped(struct lift_ir *ir, const struct frame *frame, lift_expr e)
{
    struct lift_prim_args args;

    for (; frame; frame = frame->outer)
        if (frame->layout) {
            lift_expr_args(frame->layout, &args);
            args.args[args.arg_count - 1] = e;
            e = lift_expr_prim(ir, frame->layout->op, &args, NULL);
        } else {
            e = lift_let(ir, frame->value, lift_fun(ir, e, frame->var));
        }
    return e;
}

lift_expr lift_hoist_globals(struct lift_ir *ir, lift_expr term)
{
    struct hoisting h = {.ir = ir};
    lift_expr e = term, found, below;

    if (!lift_expr_mentions(term, LIFT_TO_GLOBAL))
        return term;
    for (;;) {
        found = find_beside(&h, e);
        h.changed |= found != NULL;
        below = found ? named(&h, e, found) : descend(&h, e);
        if (!below)
            return h.changed ? wrapped(ir, h.frames, e) : term;
        e = below;
    }
}

bool lift_has_inner_globals(lift_expr e)
{
    lift_expr value;

    if (!lift_expr_mentions(e, LIFT_TO_GLOBAL))
        return false;
    if (is_layout(e))
        return lift_has_inner_globals(e->u.prim.args[e->arg_count - 1]);
    if (!lift_expr_is(e, LIFT_LET))
        return true;
    value = e->u.prim.args[0];
    if (is_stored(value))
        value = value->u.prim.args[0];
    return lift_expr_mentions(value, LIFT_TO_GLOBAL) ||
           lift_has_inner_globals(e->u.prim.args[1]->u.lambda.body);
}
