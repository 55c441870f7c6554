/* Random redexes of the rules for streams of planes: a stencil, usually a star, over
 * planes with halo. In some draws, the stencil is zipped with arrays that are read at the
 * point. */
#include "ir/spine.h"
#include "rules/check/check_gen.h"
#include "rules/native/natives.h"
#include "rules/nd.h"
#include <stdlib.h>

struct draw {
    struct check_gen *g;
    int d;
    int64_t size[LIFT_MAX_DIMS];
    lift_expr t;  /* a point: its window, or a tuple of the window and values */
    lift_expr w;  /* the window */
    lift_expr xs; /* the array of the windows */
    bool values;  /* the function computes values from single planes */
};

/* Draws a read of the star around the centre; some draws read outside the star. */
static lift_expr read(struct draw *d)
{
    int axis = gen_below(d->g, d->d + 1);
    lift_expr e = d->w;

    for (int i = 0; i < d->d; i++) {
        int n = (int)d->size[i];
        bool moves = i == axis || gen_chance(d->g, 3);

        e = lift_at(d->g->ir, moves ? gen_below(d->g, n) : (n - 1) / 2, e);
    }
    return lift_call2(d->g->ir, LIFT_MUL,
                      lift_expr_float(d->g->ir, LIFT_F32, gen_between(d->g, 2, 9) / 4.0),
                      e);
}

/* Draws a read of a value that is computed from each plane. Reads the value of one or two
 * planes. */
static lift_expr read_value(struct draw *d)
{
    struct lift_ir *ir = d->g->ir;
    lift_expr p = lift_fresh(ir, "p", d->w->type->elem), e = p;
    int n = (int)d->size[0], first = gen_below(d->g, n);

    for (int i = 1; i < d->d; i++)
        e = lift_at(ir, gen_below(d->g, (int)d->size[i]), e);
    e = lift_call2(ir, LIFT_ADD, lift_expr_float(ir, LIFT_F32, 0.5), e);
    e = lift_map(ir, lift_fun(ir, e, p), d->w);
    p = lift_at(ir, first, e);
    if (gen_chance(d->g, 50))
        p = lift_call2(ir, LIFT_SUB, p,
                       lift_at(ir, (first + gen_between(d->g, 1, n - 1)) % n, e));
    return p;
}

static lift_expr function(struct draw *d, lift_expr points)
{
    lift_type t = points->type;
    lift_expr body;

    for (int i = 0; i < d->d; i++)
        t = t->elem;
    d->t = lift_fresh(d->g->ir, "t", t);
    d->w = t->kind == LIFT_TYPE_TUPLE ? lift_get(d->g->ir, 0, d->t) : d->t;
    body = d->values ? read_value(d) : read(d);
    for (int i = gen_between(d->g, 1, 4 + d->g->fuel); i > 0; i--)
        body = lift_call2(d->g->ir, LIFT_ADD, body, read(d));
    for (int i = 1; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        body = lift_call2(d->g->ir, LIFT_ADD, body, lift_get(d->g->ir, i, d->t));
    return lift_fun(d->g->ir, body, d->t);
}

/* Builds map_n(d, f, slide_n(xs)); some draws zip the windows with arrays of points. */
static lift_expr stencil(struct draw *d)
{
    struct check_gen *g = d->g;
    int64_t len[LIFT_MAX_DIMS], points[LIFT_MAX_DIMS];
    lift_nat size[LIFT_MAX_DIMS], step[LIFT_MAX_DIMS];
    lift_expr members[3], xs;
    int count = gen_between(g, 1, 3);

    for (int i = 0; i < d->d; i++) {
        d->size[i] = i == 0 ? gen_between(g, 2, 4) : 3;
        points[i] = gen_between(g, 1, i == 0 ? 5 : 3);
        len[i] = points[i] + d->size[i] - 1;
        size[i] = gen_nat(g, d->size[i]);
        step[i] = gen_nat(g, 1);
    }
    xs = gen_input(g, gen_array(g, gen_f32(g), len, d->d));
    d->xs = xs;
    members[0] = lift_slide_n(g->ir, d->d, size, step, xs);
    for (int i = 1; i < count; i++)
        members[i] = gen_input(g, gen_array(g, gen_f32(g), points, d->d));
    xs = gen_zip(g, d->d, members, count);
    return xs ? lift_map_n(g->ir, d->d, function(d, xs), xs) : NULL;
}

/* Returns the first result of a native rule; NULL if there is no result. */
static lift_expr first_result(struct check_gen *g, const char *rule, int d, lift_expr e)
{
    struct rule_results *results = e ? calloc(1, sizeof *results) : NULL;
    struct rule_fresh fresh = {.ir = g->ir, .term = e};
    const struct rule_native *native = rule_native_find(rule);
    struct rule_redex redex = {g->ir,   e, {.first = d, .dims = d}, native, &fresh,
                               results, 0};

    if (!results)
        return NULL;
    native->fn(&redex);
    e = results->count ? results->items[0].expr : NULL;
    free(results);
    rule_fresh_fini(&fresh);
    return e;
}

lift_expr redex_plane_map(struct check_gen *g)
{
    struct draw d = {.g = g, .d = g->dims, .values = gen_chance(g, 50)};

    return gen_chance(g, 50) ? stencil(&d) : redex_stream(g);
}

lift_expr redex_planes(struct check_gen *g)
{
    struct draw d = {.g = g, .d = g->dims > 1 ? g->dims : gen_between(g, 2, 3)};

    return first_result(g, "streamPlanes", d.d, stencil(&d));
}

lift_expr redex_plane_values(struct check_gen *g)
{
    struct draw d = {.g = g, .d = g->dims, .values = true};

    return first_result(g, "streamPlanes", d.d, stencil(&d));
}

lift_expr redex_stored(struct check_gen *g)
{
    struct draw d = {.g = g, .d = gen_between(g, 2, 3)};

    return first_result(g, "semiPlanes", d.d,
                        first_result(g, "streamPlanes", d.d, stencil(&d)));
}

/* Draws partial sums of planes. */
lift_expr redex_plane_sums(struct check_gen *g)
{
    struct draw d = {.g = g, .d = 3};

    return first_result(g, "planeFirstPlanes", d.d,
                        first_result(g, "streamPlanes", d.d, stencil(&d)));
}

/* Draws a star with one plane in a circular buffer, or partial sums from a circular
 * buffer. */
lift_expr redex_staged(struct check_gen *g)
{
    struct draw d = {.g = g, .d = gen_between(g, 2, 3)};
    bool stored = gen_chance(g, 50);
    lift_expr e = first_result(g, "streamPlanes", d.d, stencil(&d));

    if (stored)
        e = first_result(g, "planeFirstPlanes", d.d, e);
    return first_result(g, stored ? "circularStored" : "starSplit", d.d, e);
}

static lift_expr copied_by_threads(struct lift_ir *ir, int d, lift_expr xs)
{
    struct lift_prim_args a = {.args = {NULL, xs}, .arg_count = 2};
    lift_expr p;

    if (d == 0)
        return xs;
    p = lift_fresh(ir, "p", xs->type->elem);
    a.args[0] = lift_fun(ir, copied_by_threads(ir, d - 1, p), p);
    a.attrs.lcl.dim = d - 1;
    return lift_make(ir, LIFT_MAP_LCL, &a);
}

/* Gives threads the loops of each copy to local memory. */
static lift_expr with_threads(struct lift_ir *ir, lift_expr e)
{
    if (lift_expr_is(e, LIFT_TO_LOCAL)) {
        lift_expr xs = lift_copied(e->u.prim.args[0]);

        return lift_call1(ir, LIFT_TO_LOCAL,
                          copied_by_threads(ir, lift_type_rank(e->type), xs));
    }
    for (int i = 0; e && i < lift_expr_child_count(e); i++) {
        lift_expr child = with_threads(ir, lift_expr_child(e, i));

        if (child != lift_expr_child(e, i))
            e = lift_expr_with_child(ir, e, i, child);
    }
    return e;
}

/* Draws windows of an array that a block copies to local memory, or a stream whose planes
 * a block copies. */
lift_expr redex_copied_tile(struct check_gen *g)
{
    bool planes = gen_chance(g, 50);
    struct draw d = {.g = g, .d = gen_between(g, planes ? 2 : 1, 3)};
    lift_expr e = stencil(&d), l;

    if (planes) {
        e = first_result(g, "circularPlanes", d.d,
                         first_result(g, "streamPlanes", d.d, e));
        return e ? with_threads(g->ir, e) : NULL;
    }
    if (!e)
        return NULL;
    l = lift_fresh(g->ir, "l", d.xs->type);
    e = lift_fun(g->ir, nd_replace(g->ir, e, d.xs, l), l);
    return lift_let(
        g->ir, lift_call1(g->ir, LIFT_TO_LOCAL, copied_by_threads(g->ir, d.d, d.xs)), e);
}
