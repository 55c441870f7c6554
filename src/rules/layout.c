/* Layout of inputs and outputs in memory. These rules change no value: they say where
 * values lie, and code generation sees to it.
 *
 *     padValue(l, r, fun(i, n => v), x) = padStored(l, r, v, x)
 *
 * for views x of an input and numbers v, everywhere below the redex at once: one buffer
 * serves all pads of an input, and the unpadded uses. Arrays of one shape have one layout
 * and so one number around them. */
#include "lift/halo.h"
#include "lift/table.h"
#include "natives.h"
#include "nd.h"

enum { MAX_FILLS = 16 };

struct halo_walk {
    struct lift_ir *ir;
    struct lift_ptrmap without; /* subterms that have no pad by a value */
    struct lift_ptrmap done;    /* closed subterms */
    lift_type arrays[MAX_FILLS];
    double fills[MAX_FILLS];
    int count;
    bool changed, conflict;
};

static bool has_pad(struct halo_walk *w, lift_expr e)
{
    bool has = lift_expr_is(e, LIFT_PAD_VALUE) || lift_expr_is(e, LIFT_PAD_STORED);

    if (lift_ptrmap_get(&w->without, e))
        return false;
    for (int i = 0; i < lift_expr_child_count(e) && !has; i++)
        has = has_pad(w, lift_expr_child(e, i));
    if (!has)
        lift_ptrmap_put(&w->without, e, (void *)e);
    return has;
}

/* One number for all arrays of a type. */
static void note_fill(struct halo_walk *w, lift_type array, double fill)
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

/* The input that a pad of 'xs' by 'value' can lie around. */
static bool can_store(struct halo_walk *w, lift_expr value, lift_expr xs,
                      const struct lift_halo_scope *scope)
{
    struct lift_halo h = lift_halo_of(w->ir, xs, scope);
    double fill;

    if (!h.input || !h.straight[0] || value->loose > 0 || !lift_halo_fill(value, &fill) ||
        lift_type_base(h.input->type)->kind != LIFT_TYPE_SCALAR)
        return false;
    note_fill(w, h.input->type, fill);
    return true;
}

/* The pad 'e' of what has become 'xs'. */
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
    return lift_expr_prim(w->ir, LIFT_PAD_STORED, &a, NULL);
}

static lift_expr stored(struct halo_walk *w, lift_expr e,
                        const struct lift_halo_scope *scope);

/* 'xs': the array whose elements the function sees; NULL: not known. */
static lift_expr stored_function(struct halo_walk *w, lift_expr xs, lift_expr f,
                                 const struct lift_halo_scope *scope)
{
    struct lift_halo_scope scopes[LIFT_MAX_PARAMS] = {{.outer = scope}};
    lift_expr body;

    for (int i = 1; i < f->arg_count; i++)
        scopes[i].outer = &scopes[i - 1];
    if (xs) {
        struct lift_halo h = lift_halo_of(w->ir, xs, scope);

        scopes[0].halo = lift_halo_element(&h);
    }
    body = stored(w, f->u.lambda.body, &scopes[f->arg_count - 1]);
    return body ? lift_expr_rebuild(w->ir, f, &body, NULL) : NULL;
}

/* Data comes before the functions that see it. */
static lift_expr stored_prim(struct halo_walk *w, lift_expr e,
                             const struct lift_halo_scope *scope)
{
    lift_expr children[LIFT_MAX_ARGS], to = NULL;
    bool map = lift_op_is_map(e->op);

    for (int i = e->arg_count - 1; i >= 0; i--) {
        lift_expr child = e->u.prim.args[i];

        children[i] = child->kind == LIFT_EXPR_LAMBDA
                          ? stored_function(w, map ? children[1] : NULL, child, scope)
                          : stored(w, child, scope);
        if (!children[i])
            return NULL;
    }
    if (e->op == LIFT_PAD_STORED)
        can_store(w, children[0], children[1], scope);
    if (e->op == LIFT_PAD_VALUE)
        to = store_pad(w, e, children[1], scope);
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

void rule_physical_halo(struct rule_site *site)
{
    struct halo_walk w = {.ir = site->ir};
    lift_expr to = site->at->loose == 0 ? stored(&w, site->at, NULL) : NULL;

    if (to && w.changed && !w.conflict)
        site_emit(site, to);
    lift_ptrmap_fini(&w.without);
    lift_ptrmap_fini(&w.done);
}

/* ---- rows */

static bool has_rows(lift_type t)
{
    if (t->kind != LIFT_TYPE_TUPLE)
        return lift_type_rank(t) >= 2 && lift_type_is_value(lift_type_base(t));
    for (int i = 0; i < t->count; i++)
        if (!has_rows(t->parts[i]))
            return false;
    return true;
}

static bool has_op(lift_expr e, enum lift_op op, struct lift_ptrmap *seen)
{
    if (lift_expr_is(e, op))
        return true;
    if (lift_ptrmap_get(seen, e))
        return false;
    lift_ptrmap_put(seen, e, (void *)e);
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (has_op(lift_expr_child(e, i), op, seen))
            return true;
    return false;
}

static bool mentions(lift_expr e, enum lift_op op)
{
    struct lift_ptrmap seen = {0};
    bool found = has_op(e, op, &seen);

    lift_ptrmap_fini(&seen);
    return found;
}

/* A result: closed, and computed rather than moved. */
static bool is_result(lift_expr e)
{
    return e->loose == 0 && e->kind == LIFT_EXPR_PRIM && !nd_is_view(e);
}

/* Variant 1 aligns the grid, variant 2 its interior, whose first element is a tunable.
 * Multiples: 8, 16 or 32. */
void rule_align_rows(struct rule_site *site)
{
    struct lift_ir *ir = site->ir;
    struct lift_nats *nats = lift_ir_nats(ir);
    struct lift_prim_args a = {.arg_count = 1};

    if (!is_result(site->at) || !has_rows(site->at->type) ||
        mentions(site->at, LIFT_ALIGN_ROWS))
        return;
    a.nats[0] = site_tunable(site, "k", 8, 32);
    a.nats[1] =
        site->variant == 1 ? lift_nat_const(nats, 0) : site_tunable(site, "l", 1, 8);
    a.args[0] = site->at;
    if (site_require(site, LIFT_SIDE_DIVIDES, lift_nat_const(nats, 8), a.nats[0],
                     "rows at multiples of 8 elements") &&
        site_require(site, LIFT_SIDE_DIVIDES, a.nats[0], lift_nat_const(nats, 32),
                     "rows at multiples that divide 32"))
        site_emit(site, lift_expr_prim(ir, LIFT_ALIGN_ROWS, &a, NULL));
}

/* ---- in place */

enum { MAX_INPUTS = 16 };

/* Inputs of the result's type, in the order in which they are met; 'far' ones are read
 * at other points, too. */
struct candidates {
    lift_type type;
    lift_expr inputs[MAX_INPUTS];
    bool far[MAX_INPUTS];
    int count;
    struct lift_ptrmap seen[2]; /* on the way to far ones, and to others */
};

static void note_input(struct candidates *c, lift_expr input, bool far)
{
    int i = 0;

    while (i < c->count && c->inputs[i] != input)
        i++;
    if (i == MAX_INPUTS)
        return;
    if (i == c->count) {
        c->inputs[c->count++] = input;
        c->far[i] = false;
    }
    c->far[i] |= far;
}

static bool reaches_far(lift_expr e);

static bool part_reaches_far(lift_expr e)
{
    bool far = e->kind == LIFT_EXPR_PRIM && reaches_far(e);

    for (int i = 0; i < lift_expr_child_count(e) && !far; i++)
        far = part_reaches_far(lift_expr_child(e, i));
    return far;
}

/* Windows that overlap, of the array or of its rows; those that do not are tiles. */
static bool reaches_far(lift_expr e)
{
    if (e->op == LIFT_MAP && nd_is_view(e->u.prim.args[0]))
        return part_reaches_far(e->u.prim.args[0]->u.lambda.body);
    return e->op == LIFT_REORDER || e->op == LIFT_SLIDE_SHIFT ||
           (e->op == LIFT_SLIDE && e->u.prim.nats[0] != e->u.prim.nats[1]);
}

/* Inputs that other points are read of pass a window or the like. What remains is checked
 * index by index in the kernels. */
static void find_inputs(struct candidates *c, lift_expr e, bool far)
{
    if (lift_ptrmap_get(&c->seen[far], e))
        return;
    lift_ptrmap_put(&c->seen[far], e, (void *)e);
    if (e->kind == LIFT_EXPR_FREE && e->type == c->type)
        note_input(c, e, far);
    far |= e->kind == LIFT_EXPR_PRIM && reaches_far(e);
    for (int i = 0; i < lift_expr_child_count(e); i++)
        find_inputs(c, lift_expr_child(e, i), far);
}

void rule_in_place(struct rule_site *site)
{
    struct candidates c = {.type = site->at->type};

    if (!is_result(site->at) || site->at->type->kind != LIFT_TYPE_ARRAY ||
        mentions(site->at, LIFT_IN_PLACE))
        return;
    find_inputs(&c, site->at, false);
    for (int far = 0; far < 2; far++)
        lift_ptrmap_fini(&c.seen[far]);
    for (int i = 0; i < c.count; i++)
        if (!c.far[i])
            site_emit(site, lift_call2(site->ir, LIFT_IN_PLACE, c.inputs[i], site->at));
}
