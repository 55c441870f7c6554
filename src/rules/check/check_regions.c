/* Random redexes of the rules for regions and the order of dimensions: nests of maps over
 * inputs with different padding in each dimension. */
#include "rules/check/check_gen.h"
#include "rules/native/regions/regions.h"
#include "rules/nd.h"
#include <limits.h>

/* Builds fun(i, n => i / 2 + n). */
static lift_expr index_value(struct check_gen *g)
{
    lift_type i32 = lift_type_scalar(g->ir, LIFT_I32);
    lift_expr i = lift_fresh(g->ir, "i", i32), n = lift_fresh(g->ir, "n", i32);
    lift_expr half = lift_expr_float(g->ir, LIFT_F32, 0.5), body;

    body = lift_call2(g->ir, LIFT_MUL, lift_call1(g->ir, LIFT_TO_F32, i), half);
    body = lift_call2(g->ir, LIFT_ADD, body, lift_call1(g->ir, LIFT_TO_F32, n));
    return lift_fun2(g->ir, body, i, n);
}

/* Pads the outermost dimension by a random kind of boundary. */
static lift_expr pad_outer(struct check_gen *g, int before, int after, lift_expr xs)
{
    lift_nat l = gen_nat(g, before), r = gen_nat(g, after);
    struct lift_prim_args a = {
        .nats = {l, r}, .args = {index_value(g), xs}, .arg_count = 2};
    int kind = gen_below(g, 5);

    if (kind < 3)
        return lift_pad(g->ir, l, r, (enum lift_pad_kind)kind, xs);
    if (kind == 3 || xs->type->elem->kind != LIFT_TYPE_SCALAR)
        return lift_pad_const(g->ir, l, r, lift_expr_float(g->ir, LIFT_F32, 0.25), xs);
    return lift_make(g->ir, LIFT_PAD_VALUE, &a);
}

/* The numbers of padded elements in each dimension of an input. 'dim' is the current
 * dimension. */
struct padding {
    struct check_gen *g;
    int d, dim;
    int before[LIFT_MAX_DIMS], after[LIFT_MAX_DIMS];
};

static lift_expr pad_from(struct padding *p, lift_expr xs)
{
    struct lift_ir *ir = p->g->ir;
    struct padding inner = *p;
    lift_expr row;

    if (p->before[p->dim] || p->after[p->dim])
        xs = pad_outer(p->g, p->before[p->dim], p->after[p->dim], xs);
    if (!xs || p->dim + 1 == p->d)
        return xs;
    row = lift_fresh(ir, "r", xs->type->elem);
    inner.dim++;
    return lift_map(ir, lift_fun(ir, pad_from(&inner, row), row), xs);
}

/* Draws an input that has these lengths after padding. */
static lift_expr padded(struct check_gen *g, int d, const int64_t *len)
{
    struct padding p = {.g = g, .d = d};
    int64_t inner[LIFT_MAX_DIMS];
    lift_expr xs;

    for (int i = 0; i < d; i++) {
        int room = (int)((len[i] - 1) / 2);

        p.before[i] = gen_between(g, 0, room < 2 ? room : 2);
        p.after[i] = gen_between(g, 0, room < 2 ? room : 2);
        if (gen_chance(g, 20))
            p.before[i] = p.after[i] = 0;
        inner[i] = len[i] - p.before[i] - p.after[i];
    }
    xs = gen_input(g, gen_array(g, gen_f32(g), inner, d));
    return xs ? pad_from(&p, xs) : NULL;
}

/* Builds slide_n over a padded input, or a padded input without windows. */
static lift_expr member(struct check_gen *g, const struct gen_shape *s, bool window)
{
    struct gen_windows w;

    if (!window)
        return padded(g, s->d, s->len);
    w = gen_windows(g, s, s->d == 1 ? 5 : 3);
    return lift_slide_n(g->ir, s->d, w.size, w.step, padded(g, s->d, w.len));
}

/* Draws one array, or a zip of arrays. */
static lift_expr nest_input(struct check_gen *g, int d, int shortest)
{
    struct gen_shape s = gen_shape(g, d, shortest, INT_MAX);
    lift_expr members[3];
    int count = gen_between(g, 1, 3);

    for (int i = 0; i < count; i++)
        members[i] = member(g, &s, gen_chance(g, 70));
    return gen_zip(g, d, members, count);
}

/* Zips windows over a padded input with another input; predicates of the indices select.
 */
static lift_expr chosen_nest(struct check_gen *g, int d)
{
    struct gen_shape s = gen_shape(g, d, 1, INT_MAX);
    lift_expr members[3];

    for (int i = 0; i < 2; i++)
        members[i] = member(g, &s, i == 0);
    members[2] = gen_index_array(g, d, s.len);
    return gen_chosen(g, d, members, 3);
}

lift_expr redex_faces(struct check_gen *g)
{
    int d = g->dims;

    return gen_chance(g, 35) ? chosen_nest(g, d)
                             : gen_map(g, d, nest_input(g, d, 1), NULL);
}

/* Draws the widths of a border; at least one width is above zero. */
static void draw_border(struct check_gen *g, int d, lift_nat before[], lift_nat after[])
{
    int whole = 0;

    for (int i = 0; i < d; i++) {
        int l = gen_below(g, 3), r = gen_below(g, 3);

        whole += l + r;
        before[i] = gen_nat(g, l);
        after[i] = gen_nat(g, i == d - 1 && whole == 0 ? 1 : r);
    }
}

/* Extends a grid by rows that precede and follow it in memory. */
static lift_expr stored_around(struct check_gen *g, lift_expr grid, int l, int r)
{
    struct lift_prim_args a = {.nats = {gen_nat(g, l), gen_nat(g, r)},
                               .args = {gen_input(g, grid->type->elem), grid},
                               .arg_count = 2};

    return lift_make(g->ir, LIFT_PAD_STORED, &a);
}

/* Builds windows over a grid whose border elements the result keeps. */
static lift_expr kept_nest(struct check_gen *g, int d)
{
    int l = gen_below(g, 2), r = gen_below(g, 2);
    lift_nat before[LIFT_MAX_DIMS], after[LIFT_MAX_DIMS];
    lift_nat size[LIFT_MAX_DIMS], step[LIFT_MAX_DIMS];
    int64_t len[LIFT_MAX_DIMS];
    lift_expr xs, grid, read;

    draw_border(g, d, before, after);
    for (int i = 0; i < d; i++) {
        step[i] = gen_nat(g, 1);
        size[i] = lift_nat_add_const(lift_nat_add(before[i], after[i]), 1);
        len[i] = lift_nat_lo(size[i]) + gen_below(g, d == 1 ? 8 : 3);
    }
    grid = read = gen_input(g, gen_array(g, gen_f32(g), len, d));
    if (l + r > 0) {
        read = stored_around(g, grid, l, r);
        size[0] = lift_nat_add_const(size[0], l + r);
    }
    xs = gen_map(g, d, lift_slide_n(g->ir, d, size, step, read), NULL);
    return xs && nd_under(xs->type, d) == gen_f32(g)
               ? lift_inset_n(g->ir, d, before, after, grid, xs)
               : NULL;
}

lift_expr redex_border(struct check_gen *g)
{
    int d = g->dims;
    lift_nat before[LIFT_MAX_DIMS], after[LIFT_MAX_DIMS], len[LIFT_MAX_DIMS];
    lift_expr xs, kept;
    lift_type t;

    if (gen_chance(g, 40))
        return kept_nest(g, d);
    xs = nest_input(g, d, 1);
    xs = gen_chance(g, 80) ? gen_map(g, d, xs, NULL) : xs;
    if (!xs || !nd_lengths(xs->type, d, len))
        return NULL;
    draw_border(g, d, before, after);
    t = nd_under(xs->type, d);
    for (int i = d - 1; i >= 0; i--)
        t = lift_type_array(g->ir, t,
                            lift_nat_add(len[i], lift_nat_add(before[i], after[i])));
    kept = gen_input(g, t);
    return lift_inset_n(g->ir, d, before, after, kept, xs);
}

/* Each dimension is long enough for a tile and a remainder. */
lift_expr redex_cut(struct check_gen *g)
{
    return gen_map(g, g->dims, nest_input(g, g->dims, 3), NULL);
}
