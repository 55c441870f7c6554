/* Retiming of streams of planes. The retiming rules rewrite one column:
 *
 *     mapSeqSlide(f, n, 1, col)
 *
 * where the elements of col are the data that f reads of a plane. A stream of planes
 * computes all columns. This file lifts the rewritten column to planes: arrays of
 * elements become arrays of planes, and partial sums become planes of partial sums. */
#include "rules/native/natives.h"
#include "rules/native/planes.h"
#include <stdlib.h>

struct columns {
    struct planes p;
    lift_expr col;
};

/* ---- the column */

static lift_type column_element(const struct columns *c)
{
    lift_type t = c->p.f->type->parts[0], parts[LIFT_MAX_ARGS];

    if (!c->p.zipped)
        return t->elem;
    for (int i = 0; i < c->p.count; i++)
        parts[i] = c->p.parts[i].window ? t->parts[i]->elem : t->parts[i];
    return lift_type_tuple(c->p.ir, parts, c->p.count);
}

static lift_expr part_of_column(const struct columns *c, int i, lift_expr w)
{
    const struct plane_part *part = &c->p.parts[i];
    struct lift_nats *nats = lift_ir_nats(c->p.ir);

    if (!part->window)
        return lift_get(c->p.ir, i, lift_at(c->p.ir, part->offset, w));
    w = lift_call_nat(c->p.ir, LIFT_DROP, lift_nat_const(nats, part->offset), w);
    w = lift_call_nat(c->p.ir, LIFT_TAKE, lift_nat_const(nats, part->size), w);
    return nd_map_get(c->p.ir, i, w);
}

static lift_expr column_body(struct lift_ir *ir, void *user, lift_expr w)
{
    const struct columns *c = user;
    lift_expr members[LIFT_MAX_ARGS];

    if (!c->p.zipped)
        return lift_expr_apply(ir, c->p.f, &w);
    for (int i = 0; i < c->p.count; i++)
        members[i] = part_of_column(c, i, w);
    return nd_apply_members(ir, c->p.f, members, c->p.count);
}

static lift_expr column_stream(struct columns *c)
{
    struct lift_ir *ir = c->p.ir;
    lift_type elem = column_element(c);
    struct lift_prim_args a;

    lift_expr_args(c->p.e, &a);
    c->col = lift_fresh(ir, "col", lift_type_array(ir, elem, c->p.xs->type->len));
    a.args[1] = c->col;
    a.args[0] =
        lift_lambda(ir, "w", lift_type_array(ir, elem, a.nats[0]), column_body, c);
    return lift_make(ir, LIFT_MAP_SEQ_SLIDE, &a);
}

/* ---- planes of columns */

/* Returns the points of an element of the stream, each with the data of the column's
 * element. */
static lift_expr points_of_element(const struct columns *c, lift_expr V)
{
    struct lift_ir *ir = c->p.ir;
    lift_expr members[LIFT_MAX_ARGS];

    for (int i = 0; i < c->p.count; i++) {
        const struct plane_part *part = &c->p.parts[i];

        members[i] = c->p.zipped ? lift_get(ir, i, V) : V;
        if (part->window)
            members[i] = lift_slide_n(ir, c->p.d - 1, part->w.size + 1, part->w.step + 1,
                                      members[i]);
    }
    return c->p.zipped ? lift_zip_n(ir, c->p.d - 1, members, c->p.count) : members[0];
}

static lift_expr points(const struct columns *c, lift_expr of, lift_expr V);

static lift_expr points_of_window(const struct columns *c, lift_expr of, lift_expr V)
{
    lift_expr q = lift_fresh(c->p.ir, "q", V->type->elem);

    V = lift_map(c->p.ir, lift_fun(c->p.ir, points(c, of, q), q), V);
    return lift_rotate_n(c->p.ir, c->p.d, V);
}

/* Rewrites an element V of the planes of 'of' as a plane of elements. */
static lift_expr points(const struct columns *c, lift_expr of, lift_expr V)
{
    lift_expr members[LIFT_MAX_ARGS];

    if (of == c->col)
        return points_of_element(c, V);
    switch (of->op) {
    case LIFT_PAD:
    case LIFT_TAKE:
        return points(c, of->u.prim.args[0], V);
    case LIFT_SLIDE:
        return points_of_window(c, of->u.prim.args[0], V);
    case LIFT_MAP:
        return V;
    case LIFT_ZIP:
        for (int i = 0; i < of->arg_count; i++)
            members[i] = points(c, of->u.prim.args[i], lift_get(c->p.ir, i, V));
        return lift_zip_n(c->p.ir, c->p.d - 1, members, of->arg_count);
    default:
        return NULL;
    }
}

static lift_expr stored_plane(const struct columns *c, lift_expr of, lift_expr V)
{
    struct lift_ir *ir = c->p.ir;
    lift_expr f = of->u.prim.args[0], elements = points(c, of->u.prim.args[1], V);
    lift_expr v = lift_fresh(ir, "v", f->type->parts[0]), value;

    value = lift_expr_apply(ir, f, &v)->u.prim.args[0];
    value = lift_map_n(ir, c->p.d - 1, lift_fun(ir, value, v), elements);
    return lift_call1(ir, LIFT_TO_PRIVATE, value);
}

static lift_expr planes_of(const struct columns *c, lift_expr of);

static lift_expr stored_planes(const struct columns *c, lift_expr of)
{
    lift_expr xs = planes_of(c, of->u.prim.args[1]), V;

    if (!xs || !lift_expr_is(of->u.prim.args[0]->u.lambda.body, LIFT_TO_PRIVATE))
        return NULL;
    V = lift_fresh(c->p.ir, "V", xs->type->elem);
    return lift_map(c->p.ir, lift_fun(c->p.ir, stored_plane(c, of, V), V), xs);
}

/* Returns the array of planes for an array of the column; NULL for other forms. */
static lift_expr planes_of(const struct columns *c, lift_expr of)
{
    lift_expr children[LIFT_MAX_ARGS];

    if (of == c->col)
        return c->p.xs;
    if (lift_expr_is(of, LIFT_MAP))
        return stored_planes(c, of);
    if (!lift_expr_is(of, LIFT_ZIP) && !lift_expr_is(of, LIFT_PAD) &&
        !lift_expr_is(of, LIFT_TAKE) && !lift_expr_is(of, LIFT_SLIDE))
        return NULL;
    for (int i = 0; i < of->arg_count; i++)
        children[i] = planes_of(c, of->u.prim.args[i]);
    return lift_expr_rebuild(c->p.ir, of, children, NULL);
}

/* Returns the stream of planes for the stream of a column. */
static lift_expr stream_of_planes(const struct columns *c, lift_expr of)
{
    struct lift_prim_args a;
    lift_expr W, elements;

    if (!lift_expr_is(of, LIFT_MAP_SEQ_SLIDE))
        return NULL;
    lift_expr_args(of, &a);
    a.args[1] = planes_of(c, of->u.prim.args[1]);
    if (!a.args[1])
        return NULL;
    W = lift_fresh(c->p.ir, "W",
                   lift_type_array(c->p.ir, a.args[1]->type->elem, a.nats[0]));
    elements = points_of_window(c, of->u.prim.args[1], W);
    elements = lift_map_n(c->p.ir, c->p.d - 1, of->u.prim.args[0], elements);
    a.args[0] = lift_fun(c->p.ir, elements, W);
    return lift_make(c->p.ir, LIFT_MAP_SEQ_SLIDE, &a);
}

/* ---- the rule */

/* Applies the rule for one column, and lifts each result to all columns. */
void rule_planes(struct rule_redex *redex)
{
    struct columns c;
    struct rule_results *results;
    struct rule_redex column = *redex;

    if (!planes_parse(redex->ir, redex->numbers.dims, redex->at, &c.p))
        return;
    column.at = column_stream(&c);
    if (!column.at)
        return;
    results = calloc(1, sizeof *results);
    column.results = results;
    column.first_condition = 0;
    if (results)
        redex->native->column(&column);
    for (int i = 0; results && i < results->count; i++)
        redex_emit(redex, stream_of_planes(&c, results->items[i].expr));
    free(results);
}
