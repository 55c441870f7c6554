/* Random redexes of the rules that set layouts: stencils over inputs of one shape. A
 * stencil may read an input several times, with different halos and without halo. */
#include "rules/check/check_gen.h"
#include "rules/nd.h"

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

/* Reads the input itself as the centres of windows that reach outside the input. */
static lift_expr centres_of(struct check_gen *g, const struct grid *x, lift_expr input)
{
    lift_nat centre[LIFT_MAX_DIMS];
    lift_expr xs = gen_around(g, x->d, 2, (struct gen_boundary){.kind = LIFT_PAD_ANY},
                              input, centre);
    lift_expr w = xs ? lift_fresh(g->ir, "w", nd_under(xs->type, x->d)) : NULL, at = w;

    for (int i = 0; i < x->d; i++)
        at = lift_call_nat(g->ir, LIFT_AT, centre[i], at);
    return lift_map_n(g->ir, x->d, lift_fun(g->ir, at, w), xs);
}

/* Builds windows around each point. The boundary is usually the number 'outside', in some
 * draws a repeated border. */
static lift_expr windows_of(struct check_gen *g, const struct grid *x, lift_expr input,
                            double outside)
{
    struct gen_boundary b = {.kind = LIFT_PAD_CLAMP};

    if (gen_chance(g, 85))
        b.value = lift_expr_float(g->ir, LIFT_F32, outside);
    return gen_around(g, x->d, 2, b, input, NULL);
}

static lift_expr stencil(struct check_gen *g, const struct grid *x,
                         const lift_expr *members, int count)
{
    return gen_map(g, x->d, gen_zip(g, x->d, members, count), gen_f32(g));
}

/* Draws the members of a zip from two grids: mostly windows with a constant boundary. */
static int draw_members(struct check_gen *g, const struct grid *x, const lift_expr of[2],
                        double outside, lift_expr members[MAX_MEMBERS])
{
    int count = gen_between(g, 1, MAX_MEMBERS);

    for (int i = 0; i < count; i++) {
        members[i] = of[gen_below(g, 2)];
        if (gen_chance(g, 75))
            members[i] =
                windows_of(g, x, members[i], gen_chance(g, 95) ? outside : outside + 1);
        else if (gen_chance(g, 40))
            members[i] = centres_of(g, x, members[i]);
    }
    return count;
}

/* Stores the result of a stencil, as one grid or two grids; another stencil reads the
 * result. */
static lift_expr halo_of_stage(struct check_gen *g, const struct grid *x,
                               const lift_expr inputs[2], double outside)
{
    lift_type two[2] = {gen_f32(g), gen_f32(g)};
    bool pair = gen_chance(g, 50);
    lift_expr members[MAX_MEMBERS], grids[2], stage, y;
    int count = draw_members(g, x, inputs, outside, members);

    stage = gen_map(g, x->d, gen_zip(g, x->d, members, count),
                    pair ? lift_type_tuple(g->ir, two, 2) : two[0]);
    if (!stage)
        return NULL;
    y = lift_fresh(g->ir, "y", stage->type);
    for (int i = 0; i < 2; i++)
        grids[i] = pair ? lift_get(g->ir, i, lift_unzip_n(g->ir, x->d, y)) : y;
    if (!pair && gen_chance(g, 50))
        grids[1] = inputs[1];
    count = draw_members(g, x, grids, outside, members);
    stage = lift_call1(g->ir, LIFT_TO_GLOBAL, stage);
    return lift_let(g->ir, stage, lift_fun(g->ir, stencil(g, x, members, count), y));
}

lift_expr redex_halo(struct check_gen *g)
{
    struct grid x = draw_grid(g, 1);
    lift_type t = gen_array(g, gen_f32(g), x.len, x.d);
    lift_expr inputs[2] = {gen_input(g, t), gen_input(g, t)}, members[MAX_MEMBERS];
    double outside = gen_between(g, -2, 2);

    if (gen_chance(g, 40))
        return halo_of_stage(g, &x, inputs, outside);
    return stencil(g, &x, members, draw_members(g, &x, inputs, outside, members));
}

/* Builds 'results' stencils that read windows of one input, and one or two other arrays.
 */
static lift_expr stencils_of_two(struct check_gen *g, int least, int results)
{
    struct grid x = draw_grid(g, least);
    lift_type t = gen_array(g, gen_f32(g), x.len, x.d);
    lift_expr members[3] = {windows_of(g, &x, gen_input(g, t), 0), gen_input(g, t),
                            gen_input(g, t)};
    struct lift_prim_args a = {.arg_count = results};
    int count = gen_between(g, 2, 3);

    for (int i = 0; i < results; i++)
        if (!(a.args[i] = stencil(g, &x, members, count)))
            return NULL;
    return results > 1 ? lift_make(g->ir, LIFT_TUPLE, &a) : a.args[0];
}

lift_expr redex_rows(struct check_gen *g)
{
    return stencils_of_two(g, 2, 1);
}

lift_expr redex_in_place(struct check_gen *g)
{
    return stencils_of_two(g, 1, gen_chance(g, 40) ? 2 : 1);
}
