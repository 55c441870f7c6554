/* Random redexes of native rules, similar to programs: zips of several inputs, each with
 * its own windows and boundaries. Some steps are above one, and tiles do not divide some
 * lengths. */
#include "rules/check/check_gen.h"
#include "rules/nd.h"

/* Draws an input of these lengths. In some draws, padding makes a part of the input. */
static lift_expr padded_input(struct check_gen *g, int d, const int64_t *len,
                              lift_type elem)
{
    int64_t inner[LIFT_MAX_DIMS];
    lift_nat l[LIFT_MAX_DIMS], r[LIFT_MAX_DIMS];

    for (int i = 0; i < d; i++) {
        int room = len[i] > 3 ? 2 : len[i] > 1 ? 1 : 0;
        int before = gen_between(g, 0, room), after = gen_between(g, 0, room - before);

        inner[i] = len[i] - before - after;
        l[i] = gen_nat(g, before);
        r[i] = gen_nat(g, after);
    }
    if (gen_chance(g, 40))
        return gen_input(g, gen_array(g, elem, len, d));
    return gen_pad(g, d, l, r, gen_boundary(g),
                   gen_input(g, gen_array(g, elem, inner, d)));
}

static lift_expr one_array(struct check_gen *g, const struct gen_shape *s, bool window)
{
    if (window) {
        struct gen_windows w = gen_windows(g, s, 3);

        return lift_slide_n(g->ir, s->d, w.size, w.step,
                            padded_input(g, s->d, w.len, gen_f32(g)));
    }
    return padded_input(g, s->d, s->len, gen_f32(g));
}

static lift_expr zip_of(struct check_gen *g, const struct gen_shape *s, int windows)
{
    lift_expr members[4];
    int count = gen_between(g, 2, 4);

    for (int i = 0; i < count; i++)
        members[i] = one_array(g, s, i < windows || gen_chance(g, 30));
    return lift_zip_n(g->ir, s->d, members, count);
}

/* Draws an array, windows, or a zip of arrays and windows. */
static lift_expr stencil_input(struct check_gen *g, const struct gen_shape *s)
{
    int draw = gen_below(g, 100);

    if (draw < 15)
        return one_array(g, s, false);
    return draw < 50 ? one_array(g, s, true) : zip_of(g, s, 0);
}

lift_expr redex_map_nd(struct check_gen *g)
{
    int d = g->dims;
    struct gen_shape s = gen_shape(g, d, 1, g->max_len);

    return gen_map(g, d, stencil_input(g, &s), gen_f32(g));
}

/* ---- staging: stencils inside tiles */

static lift_expr stencil_in_tile(struct check_gen *g, int d, lift_expr tile)
{
    lift_nat one[LIFT_MAX_DIMS], size[LIFT_MAX_DIMS];
    lift_type t = tile->type;

    for (int i = 0; i < d; i++, t = t->elem) {
        one[i] = gen_nat(g, 1);
        size[i] = gen_nat(g, gen_between(g, 1, gen_len(t) < 2 ? (int)gen_len(t) : 2));
    }
    return gen_map(g, d, lift_slide_n(g->ir, d, size, one, tile), gen_f32(g));
}

/* Builds map_n(fun(t => body), tiles). The body is a stencil of t, or a tuple. The tuple
 * has a stencil of t.0, and t.1 or a stencil of t.1. */
lift_expr redex_stage(struct check_gen *g)
{
    struct gen_shape s = gen_shape(g, g->dims, 1, g->max_len);
    int64_t inside[LIFT_MAX_DIMS];
    lift_expr members[2], xs, t, body;
    bool zip = gen_chance(g, 50);

    for (int i = 0; i < g->dims; i++)
        s.len[i] = gen_between(g, 1, 2);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < g->dims; k++)
            inside[k] = gen_between(g, 1, 4);
        members[i] = gen_input(
            g, gen_array(g, gen_array(g, gen_f32(g), inside, g->dims), s.len, g->dims));
    }
    xs = zip ? lift_zip_n(g->ir, g->dims, members, 2) : members[0];
    t = lift_fresh(g->ir, "t", nd_under(xs->type, g->dims));
    body = stencil_in_tile(g, g->dims, zip ? lift_get(g->ir, 0, t) : t);
    if (zip) {
        lift_expr beside = lift_get(g->ir, 1, t);

        if (gen_chance(g, 50))
            beside = stencil_in_tile(g, g->dims, beside);
        body = lift_call2(g->ir, LIFT_TUPLE, body, beside);
    }
    return lift_map_n(g->ir, g->dims, lift_fun(g->ir, body, t), xs);
}

lift_expr redex_stream(struct check_gen *g)
{
    struct gen_shape s = gen_shape(g, g->dims, 1, g->max_len);
    lift_expr xs;

    if (gen_chance(g, 70))
        s.step[0] = 1; /* members without a window require step 1 */
    xs = gen_chance(g, 35) ? one_array(g, &s, true) : zip_of(g, &s, 1);
    return gen_map(g, g->dims, xs, gen_f32(g));
}

/* Draws a stream of one or two planes, with at least twice as many rows. */
lift_expr redex_thin_stream(struct check_gen *g)
{
    struct gen_shape s = gen_shape(g, g->dims, 1, g->max_len);

    s.len[0] = gen_between(g, 1, 2);
    s.len[1] = 2 * s.len[0] + gen_below(g, 3);
    s.step[0] = 1;
    return gen_map(g, g->dims, zip_of(g, &s, 1), gen_f32(g));
}
