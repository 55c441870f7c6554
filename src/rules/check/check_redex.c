/* Random redexes of native rules: what programs look like there. Zips of several inputs,
 * each with its own windows and boundaries; steps above one; lengths that tiles do not
 * divide. */
#include "rules/check/check_gen.h"
#include "rules/nd.h"

/* An input of these lengths, perhaps part of it made by padding. */
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

lift_expr redex_padded_windows(struct check_gen *g, struct rule_numbers of)
{
    struct gen_shape s = gen_shape(g, of.dims, 1, g->max_len);
    lift_nat size[LIFT_MAX_DIMS], step[LIFT_MAX_DIMS], l[LIFT_MAX_DIMS], r[LIFT_MAX_DIMS];
    int64_t len[LIFT_MAX_DIMS];
    struct gen_boundary b = {.kind = LIFT_PAD_CLAMP};
    lift_expr xs;

    for (int i = 0; i < s.d; i++) {
        int n = gen_between(g, 1, 5), all = (int)(s.step[i] * (s.len[i] - 1)) + n;
        int before = gen_between(g, 0, all - 1),
            after = gen_between(g, 0, all - 1 - before);

        size[i] = gen_nat(g, n);
        step[i] = gen_nat(g, s.step[i]);
        l[i] = gen_nat(g, before);
        r[i] = gen_nat(g, after);
        len[i] = all - before - after;
    }
    xs = gen_input(g, gen_array(g, gen_f32(g), len, s.d));
    if (gen_chance(g, 50))
        b.value = lift_expr_float(g->ir, LIFT_F32, 0.25);
    return lift_slide_n(g->ir, s.d, size, step, gen_pad(g, s.d, l, r, b, xs));
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

/* An array, windows, or a zip of these. */
static lift_expr stencil_input(struct check_gen *g, const struct gen_shape *s)
{
    int draw = gen_below(g, 100);

    if (draw < 15)
        return one_array(g, s, false);
    return draw < 50 ? one_array(g, s, true) : zip_of(g, s, 0);
}

lift_expr redex_map_nd(struct check_gen *g, struct rule_numbers of)
{
    int d = of.dims;
    struct gen_shape s = gen_shape(g, d, 1, g->max_len);

    return gen_map(g, d, stencil_input(g, &s), gen_f32(g));
}

/* ---- stages: a stencil of what a map computes, named or not */

lift_expr redex_stages(struct check_gen *g, struct rule_numbers of)
{
    struct gen_shape s = gen_shape(g, gen_between(g, 1, 2), 1, g->max_len);
    lift_nat one[LIFT_MAX_DIMS], three[LIFT_MAX_DIMS];
    lift_expr y = gen_map(g, s.d, stencil_input(g, &s), gen_f32(g)), grid, to;
    bool named = gen_chance(g, 50);

    (void)of;
    if (!y)
        return NULL;
    for (int i = 0; i < s.d; i++) {
        one[i] = gen_nat(g, 1);
        three[i] = gen_nat(g, 3);
    }
    grid = named ? lift_fresh(g->ir, "y", y->type) : y;
    to = lift_pad_n(g->ir, s.d, one, one, (enum lift_pad_kind)gen_below(g, 3), grid);
    to = gen_map(g, s.d, lift_slide_n(g->ir, s.d, three, one, to), gen_f32(g));
    if (to && gen_chance(g, 50))
        to = lift_call2(g->ir, LIFT_TUPLE, grid, to);
    return to && named ? lift_let(g->ir, y, lift_fun(g->ir, to, grid)) : to;
}

/* ---- staging: a stencil inside each tile */

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

/* map_n(fun(t => stencil of t, or of t.0 with t.1, or a stencil of it, beside), tiles) */
lift_expr redex_stage(struct check_gen *g, struct rule_numbers of)
{
    struct gen_shape s = gen_shape(g, of.dims, 1, g->max_len);
    int64_t inside[LIFT_MAX_DIMS];
    lift_expr members[2], xs, t, body;
    bool zip = gen_chance(g, 50);

    for (int i = 0; i < of.dims; i++)
        s.len[i] = gen_between(g, 1, 2);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < of.dims; k++)
            inside[k] = gen_between(g, 1, 4);
        members[i] = gen_input(
            g, gen_array(g, gen_array(g, gen_f32(g), inside, of.dims), s.len, of.dims));
    }
    xs = zip ? lift_zip_n(g->ir, of.dims, members, 2) : members[0];
    t = lift_fresh(g->ir, "t", nd_under(xs->type, of.dims));
    body = stencil_in_tile(g, of.dims, zip ? lift_get(g->ir, 0, t) : t);
    if (zip) {
        lift_expr beside = lift_get(g->ir, 1, t);

        if (gen_chance(g, 50))
            beside = stencil_in_tile(g, of.dims, beside);
        body = lift_call2(g->ir, LIFT_TUPLE, body, beside);
    }
    return lift_map_n(g->ir, of.dims, lift_fun(g->ir, body, t), xs);
}

lift_expr redex_stream(struct check_gen *g, struct rule_numbers of)
{
    struct gen_shape s = gen_shape(g, of.dims, 1, g->max_len);
    lift_expr xs;

    if (gen_chance(g, 70))
        s.step[0] = 1; /* members without a window ask for it */
    xs = gen_chance(g, 35) ? one_array(g, &s, true) : zip_of(g, &s, 1);
    return gen_map(g, of.dims, xs, gen_f32(g));
}

/* A plane or two, and twice as many rows. */
lift_expr redex_thin_stream(struct check_gen *g, struct rule_numbers of)
{
    struct gen_shape s = gen_shape(g, of.dims, 1, g->max_len);

    s.len[0] = gen_between(g, 1, 2);
    s.len[1] = 2 * s.len[0] + gen_below(g, 3);
    s.step[0] = 1;
    return gen_map(g, of.dims, zip_of(g, &s, 1), gen_f32(g));
}

/* ---- fusion and fission */

lift_expr redex_fuse(struct check_gen *g, struct rule_numbers of)
{
    struct gen_shape s = gen_shape(g, of.dims, 1, g->max_len);

    return gen_map(g, of.dims, gen_map(g, of.dims, stencil_input(g, &s), NULL), NULL);
}

/* A function applied to the value of another. */
lift_expr redex_fission(struct check_gen *g, struct rule_numbers of)
{
    lift_expr xs = gen_input(g, gen_type(g, 1 + gen_below(g, 2)));
    lift_type elem = xs->type->elem;
    lift_expr inner = gen_function(g, &elem, 1, NULL), outer;
    lift_expr y = lift_fresh(g->ir, "y", elem), body;

    (void)of;
    if (!inner)
        return NULL;
    outer = gen_function(g, &inner->type->elem, 1, NULL);
    if (!outer)
        return NULL;
    body = lift_expr_apply(g->ir, inner, &y);
    body = lift_expr_apply(g->ir, outer, &body);
    return lift_map(g->ir, lift_fun(g->ir, body, y), xs);
}

lift_expr redex_let(struct check_gen *g, struct rule_numbers of)
{
    lift_expr xs = gen_input(g, gen_type(g, gen_below(g, 3)));
    lift_expr make = gen_function(g, &xs->type, 1, NULL), use, value;

    (void)of;
    if (!make)
        return NULL;
    value = gen_chance(g, 70) ? lift_expr_apply(g->ir, make, &xs) : xs;
    use = gen_function(g, &value->type, 1, NULL);
    return lift_let(g->ir, value, use);
}

/* ---- zips, tuples, pads, borders */

lift_expr redex_zip_of_maps(struct check_gen *g, struct rule_numbers of)
{
    struct gen_shape s = gen_shape(g, of.dims, 1, g->max_len);
    int count = gen_between(g, 1, 3), which = gen_below(g, count);
    lift_expr members[3];

    for (int i = 0; i < count; i++) {
        members[i] = stencil_input(g, &s);
        if (i == which || gen_chance(g, 40))
            members[i] = gen_map(g, of.dims, members[i], NULL);
    }
    return lift_zip_n(g->ir, of.dims, members, count);
}

/* One member of a zip alone, or a function of it. */
lift_expr redex_zip_select(struct check_gen *g, struct rule_numbers of)
{
    struct gen_shape s = gen_shape(g, of.dims, 1, g->max_len);
    lift_expr zip = zip_of(g, &s, 0), t, body, f;

    if (!zip)
        return NULL;
    t = lift_fresh(g->ir, "t", nd_under(zip->type, of.dims));
    body = lift_get(g->ir, gen_below(g, t->type->count), t);
    f = gen_chance(g, 50) ? gen_function(g, &body->type, 1, NULL) : NULL;
    if (f)
        body = lift_expr_apply(g->ir, f, &body);
    return lift_map_n(g->ir, of.dims, lift_fun(g->ir, body, t), zip);
}

lift_expr redex_inset(struct check_gen *g, struct rule_numbers of)
{
    int64_t len[3];
    lift_nat l[LIFT_MAX_DIMS], r[LIFT_MAX_DIMS];
    int d = gen_between(g, 1, 3);
    lift_expr xs, border;

    (void)of;
    for (int i = 0; i < d; i++)
        len[i] = gen_between(g, 1, d == 1 ? 12 : 4);
    xs = gen_input(g, gen_array(g, gen_f32(g), len, d));
    l[0] = gen_nat(g, gen_below(g, 3));
    r[0] = gen_nat(g, gen_below(g, 3));
    len[0] += lift_nat_lo(l[0]) + lift_nat_lo(r[0]);
    border = gen_input(g, gen_array(g, gen_f32(g), len, d));
    return lift_make(g->ir, LIFT_INSET,
                     &(struct lift_prim_args){
                         .nats = {l[0], r[0]}, .args = {border, xs}, .arg_count = 2});
}
