/* Halos in the buffers of inputs and of stored intermediates:
 *
 *     padValue(l, r, fun(i, n => v), x) = padStored(l, r, v, x)
 *
 * for views x of a buffer and numbers v. The rule rewrites all pads below the redex,
 * since a buffer serves all its pads and unpadded uses. Arrays of equal shape have one
 * layout, and so one padding number. Pads by 'any' of constant width use the padding
 * number of their shape, or 0. */
#include "base/table.h"
#include "ir/halo.h"
#include "rules/native/natives.h"

enum { MAX_FILLS = 16 };

struct halo_walk {
    struct lift_ir *ir;
    struct lift_ptrmap done; /* results for closed subterms */
    lift_type arrays[MAX_FILLS];
    lift_expr fills[MAX_FILLS];
    int count;
    bool any; /* also store pads by 'any' */
    bool changed, conflict;
};

static bool has_pad(const struct halo_walk *w, lift_expr e)
{
    return lift_expr_mentions(e, LIFT_PAD_VALUE) ||
           lift_expr_mentions(e, LIFT_PAD_STORED) ||
           (w->any && lift_expr_mentions(e, LIFT_PAD));
}

/* Records the padding number of all arrays of a type. A different second number is a
 * conflict. */
static void note_fill(struct halo_walk *w, lift_type array, lift_expr fill)
{
    for (int i = 0; i < w->count; i++)
        if (w->arrays[i] == array) {
            w->conflict |= w->fills[i] != fill;
            return;
        }
    if (w->count == MAX_FILLS) {
        w->conflict = true;
        return;
    }
    w->arrays[w->count] = array;
    w->fills[w->count++] = fill;
}

/* True if 'fill' has no free variables. The halo of an intermediate is filled before
 * parameters are known. */
static bool is_number(lift_expr fill)
{
    for (int i = 0; fill->kind == LIFT_EXPR_PRIM && i < fill->arg_count; i++)
        if (!is_number(fill->u.prim.args[i]))
            return false;
    return fill->kind != LIFT_EXPR_FREE;
}

/* True if the halo of 'xs' can store a pad by 'value'. */
static bool can_store(struct halo_walk *w, lift_expr value, lift_expr xs,
                      const struct lift_halo_scope *scope)
{
    struct lift_halo h = lift_halo_of(w->ir, xs, scope);
    lift_expr fill = value->loose > 0 ? NULL : lift_halo_fill(value);

    if (!h.input || !h.straight[0] || !fill ||
        lift_type_base(h.grid)->kind != LIFT_TYPE_SCALAR || (h.stage && !is_number(fill)))
        return false;
    note_fill(w, h.grid, fill);
    return true;
}

/* Rewrites the pad 'e', whose rewritten argument is 'xs'. */
static lift_expr store_pad(struct halo_walk *w, lift_expr e, lift_expr xs,
                           const struct lift_halo_scope *scope)
{
    struct lift_prim_args a = {.nats = {e->u.prim.nats[0], e->u.prim.nats[1]},
                               .arg_count = 2};

    a.args[0] = e->u.prim.args[0]->u.lambda.body;
    a.args[1] = xs;
    if (!can_store(w, a.args[0], a.args[1], scope))
        return NULL;
    w->changed = true;
    return lift_make(w->ir, LIFT_PAD_STORED, &a);
}

static bool is_loose(lift_expr pad)
{
    return pad->op == LIFT_PAD && pad->u.prim.attrs.pad.kind == LIFT_PAD_ANY &&
           lift_nat_is_const(pad->u.prim.nats[0], NULL) &&
           lift_nat_is_const(pad->u.prim.nats[1], NULL);
}

/* Returns the padding number of the arrays of a type, or 0; NULL if the elements are not
 * numbers. */
static lift_expr fill_around(struct halo_walk *w, lift_type array)
{
    for (int i = 0; i < w->count; i++)
        if (w->arrays[i] == array)
            return w->fills[i];
    array = lift_type_base(array);
    if (array->kind != LIFT_TYPE_SCALAR || array->scalar == LIFT_BOOL)
        return NULL;
    return array->scalar == LIFT_I32 ? lift_expr_int(w->ir, 0)
                                     : lift_expr_float(w->ir, array->scalar, 0);
}

/* Replaces the pad 'e' by 'any' by a pad by the number of the array's shape. 'xs' is the
 * rewritten argument. */
static lift_expr store_loose(struct halo_walk *w, lift_expr e, lift_expr xs,
                             const struct lift_halo_scope *scope)
{
    struct lift_halo h = lift_halo_of(w->ir, xs, scope);
    lift_expr fill = h.input && h.straight[0] ? fill_around(w, h.grid) : NULL;

    return lift_pad_const(w->ir, e->u.prim.nats[0], e->u.prim.nats[1], fill, xs);
}

static lift_expr stored(struct halo_walk *w, lift_expr e,
                        const struct lift_halo_scope *scope);

/* Rewrites the function 'f' of 'e'. 'x' is the array over whose elements the map 'e'
 * applies 'f', or the value of a let; NULL: unknown. */
static lift_expr stored_function(struct halo_walk *w, lift_expr e, lift_expr x,
                                 lift_expr f, const struct lift_halo_scope *scope)
{
    struct lift_halo_scope scopes[LIFT_MAX_PARAMS] = {{.outer = scope}};
    lift_expr body;

    for (int i = 1; i < f->arg_count; i++)
        scopes[i].outer = &scopes[i - 1];
    if (x && lift_op_is_map(e->op)) {
        struct lift_halo h = lift_halo_of(w->ir, x, scope);

        scopes[0].halo = lift_halo_element(&h);
    }
    if (x && e->op == LIFT_LET)
        scopes[0].halo = lift_halo_named(w->ir, x);
    body = stored(w, f->u.lambda.body, &scopes[f->arg_count - 1]);
    return lift_expr_rebuild(w->ir, f, &body, NULL);
}

/* Rewrites data before the functions that read the data. */
static lift_expr stored_prim(struct halo_walk *w, lift_expr e,
                             const struct lift_halo_scope *scope)
{
    lift_expr children[LIFT_MAX_ARGS], to = NULL;
    bool map = lift_op_is_map(e->op), let = e->op == LIFT_LET;

    for (int i = e->arg_count - 1; i >= 0; i--) {
        lift_expr child = e->u.prim.args[i];
        lift_expr x = map ? children[1] : let ? e->u.prim.args[0] : NULL;

        children[i] = child->kind == LIFT_EXPR_LAMBDA
                          ? stored_function(w, e, x, child, scope)
                          : stored(w, child, scope);
        if (!children[i])
            return NULL;
    }
    if (e->op == LIFT_PAD_STORED)
        can_store(w, children[0], children[1], scope);
    if (e->op == LIFT_PAD_VALUE)
        to = store_pad(w, e, children[1], scope);
    if (w->any && is_loose(e)) {
        to = store_loose(w, e, children[0], scope);
        to = to ? store_pad(w, to, children[0], scope) : NULL;
    }
    return to ? to : lift_expr_rebuild(w->ir, e, children, NULL);
}

static lift_expr stored(struct halo_walk *w, lift_expr e,
                        const struct lift_halo_scope *scope)
{
    lift_expr to;

    if (e->kind != LIFT_EXPR_PRIM || !has_pad(w, e))
        return e;
    to = e->loose == 0 ? lift_ptrmap_get(&w->done, e) : NULL;
    if (to)
        return to;
    to = stored_prim(w, e, scope);
    if (to && e->loose == 0)
        lift_ptrmap_put(&w->done, e, (void *)to);
    return to;
}

/* The first pass rewrites pads by numbers. The second pass rewrites pads by 'any', which
 * take their numbers from the first pass. */
void rule_physical_halo(struct rule_redex *redex)
{
    struct halo_walk w = {.ir = redex->ir};
    lift_expr to = redex->at->loose == 0 ? redex->at : NULL;

    for (int pass = 0; pass < 2 && to && !w.conflict; pass++) {
        w.any = pass == 1;
        to = stored(&w, to, NULL);
        lift_ptrmap_fini(&w.done);
        w.done = (struct lift_ptrmap){0};
    }
    if (to && w.changed && !w.conflict)
        redex_emit(redex, to);
}
