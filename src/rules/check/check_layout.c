/* Random redexes of the rules that set layouts: stencils over inputs of one shape, of
 * which one may be read with several halos and without. */
#include "rules/check/check_gen.h"

enum { MAX_MEMBERS = 4 };

struct grid {
    int d;
    int64_t len[3];
};

static struct grid draw_grid(struct check_gen *g, int least)
{
    static const int longest[] = {0, 16, 6, 4};
    struct grid x = {.d = gen_chance(g, 40) ? 3 : gen_between(g, least, 3)};

    for (int i = 0; i < x.d; i++)
        x.len[i] =
            gen_between(g, 1, g->max_len < longest[x.d] ? g->max_len : longest[x.d]);
    return x;
}

struct around {
    lift_nat l[3], r[3], size[3], step[3];
};

static struct around draw_around(struct check_gen *g, int d)
{
    struct around a;

    for (int i = 0; i < d; i++) {
        int before = gen_below(g, 3), after = gen_below(g, 3);

        a.l[i] = gen_nat(g, before);
        a.r[i] = gen_nat(g, after);
        a.size[i] = gen_nat(g, before + after + 1);
        a.step[i] = gen_nat(g, 1);
    }
    return a;
}

/* The input itself: the centres of windows which reach outside, where nothing is. */
static lift_expr centres_of(struct check_gen *g, const struct grid *x, lift_expr input)
{
    struct around a = draw_around(g, x->d);
    lift_expr xs = lift_slide_n(g->ir, x->d, a.size, a.step,
                                lift_pad_n(g->ir, x->d, a.l, a.r, LIFT_PAD_ANY, input));
    lift_type elem = xs ? xs->type : NULL;
    lift_expr w, at;

    for (int i = 0; elem && i < x->d; i++)
        elem = elem->elem;
    w = at = elem ? lift_fresh(g->ir, "w", elem) : NULL;
    for (int i = 0; at && i < x->d; i++)
        at = lift_at(g->ir, lift_nat_lo(a.l[i]), at);
    return at ? lift_map_n(g->ir, x->d, lift_fun(g->ir, at, w), xs) : NULL;
}

/* Windows of a point's neighbours; outside, a number or now and then a repeated border.
 */
static lift_expr windows_of(struct check_gen *g, const struct grid *x, lift_expr input,
                            double outside)
{
    struct around a = draw_around(g, x->d);
    lift_expr value = lift_expr_float(g->ir, LIFT_F32, outside), xs;

    xs = gen_chance(g, 85) ? lift_pad_const_n(g->ir, x->d, a.l, a.r, value, input)
                           : lift_pad_n(g->ir, x->d, a.l, a.r, LIFT_PAD_CLAMP, input);
    return xs ? lift_slide_n(g->ir, x->d, a.size, a.step, xs) : NULL;
}

static lift_expr stencil(struct check_gen *g, const struct grid *x,
                         const lift_expr *members, int count)
{
    lift_expr xs = count > 1 ? lift_zip_n(g->ir, x->d, members, count) : members[0], f;
    lift_type elem;

    if (!xs)
        return NULL;
    elem = xs->type;
    for (int i = 0; i < x->d; i++)
        elem = elem->elem;
    f = gen_function(g, &elem, 1, gen_f32(g));
    return f ? lift_map_n(g->ir, x->d, f, xs) : NULL;
}

lift_expr redex_halo(struct check_gen *g, struct rule_numbers of)
{
    struct grid x = draw_grid(g, 1);
    lift_type t = gen_array(g, gen_f32(g), x.len, x.d);
    lift_expr inputs[2] = {gen_input(g, t), gen_input(g, t)}, members[MAX_MEMBERS];
    double outside = gen_between(g, -2, 2);
    int count = gen_between(g, 1, MAX_MEMBERS);

    (void)of;
    for (int i = 0; i < count; i++) {
        members[i] = inputs[gen_below(g, 2)];
        if (gen_chance(g, 75))
            members[i] =
                windows_of(g, &x, members[i], gen_chance(g, 95) ? outside : outside + 1);
        else if (gen_chance(g, 40))
            members[i] = centres_of(g, &x, members[i]);
        if (!members[i])
            return NULL;
    }
    return stencil(g, &x, members, count);
}

static lift_expr stencil_of_two(struct check_gen *g, int least)
{
    struct grid x = draw_grid(g, least);
    lift_type t = gen_array(g, gen_f32(g), x.len, x.d);
    lift_expr members[3] = {windows_of(g, &x, gen_input(g, t), 0), gen_input(g, t),
                            gen_input(g, t)};

    return members[0] ? stencil(g, &x, members, gen_between(g, 2, 3)) : NULL;
}

lift_expr redex_rows(struct check_gen *g, struct rule_numbers of)
{
    (void)of;
    return stencil_of_two(g, 2);
}

lift_expr redex_in_place(struct check_gen *g, struct rule_numbers of)
{
    (void)of;
    return stencil_of_two(g, 1);
}
