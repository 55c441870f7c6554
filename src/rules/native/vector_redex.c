/* Random redexes of the rules for vectors. */
#include "rules/check/check_gen.h"
#include "rules/nd.h"

/* Draws an array whose rows have a boundary of any kind, or begin inside larger rows. */
static lift_expr bordered_input(struct check_gen *g, int d, int64_t *len)
{
    int before = gen_between(g, 0, 5), after = gen_between(g, 0, 3);
    lift_nat l[LIFT_MAX_DIMS], r[LIFT_MAX_DIMS];
    bool pad = gen_chance(g, 60) && len[d - 1] > 2 * (before + after);
    lift_expr xs, row;

    for (int i = 0; i < d; i++)
        l[i] = r[i] = gen_nat(g, 0);
    l[d - 1] = gen_nat(g, before);
    r[d - 1] = gen_nat(g, after);
    len[d - 1] += pad ? -before - after : before;
    xs = gen_input(g, gen_array(g, gen_f32(g), len, d));
    if (pad)
        return gen_pad(g, d, l, r, gen_boundary(g), xs);
    row = lift_fresh(g->ir, "r",
                     lift_type_array(g->ir, gen_f32(g), gen_nat(g, len[d - 1])));
    if (d == 1)
        return lift_call_nat(g->ir, LIFT_DROP, l[0], xs);
    return lift_map_n(
        g->ir, d - 1,
        lift_fun(g->ir, lift_call_nat(g->ir, LIFT_DROP, l[d - 1], row), row), xs);
}

/* Draws tiles, overlapping or not. Some tiles consist of whole vectors. */
static lift_expr tiles_over(struct check_gen *g, int d, const int64_t *count)
{
    static const int steps[] = {1, 1, 2, 4, 4, 4, 4, 8};
    int64_t len[LIFT_MAX_DIMS];
    lift_nat size[LIFT_MAX_DIMS], step[LIFT_MAX_DIMS];
    bool split = gen_chance(g, 30);
    lift_expr xs;

    for (int i = 0; i < d; i++) {
        int s = i == d - 1 ? steps[2 + gen_below(g, 6)] : steps[gen_below(g, 2)];
        int n = split ? s : s + gen_below(g, 4);

        size[i] = gen_nat(g, n);
        step[i] = gen_nat(g, s);
        len[i] = s * (count[i] - 1) + n;
    }
    xs = bordered_input(g, d, len);
    return split ? lift_tile_n(g->ir, d, size, xs)
                 : lift_slide_n(g->ir, d, size, step, xs);
}

lift_expr redex_vector_loads(struct check_gen *g)
{
    int64_t count[LIFT_MAX_DIMS] = {0};
    int n = gen_chance(g, 40) ? 1 : gen_between(g, 2, 3);
    lift_expr members[3];

    for (int i = 0; i < g->dims; i++)
        count[i] = gen_between(g, 1, g->dims == 3 ? 2 : 3);
    for (int i = 0; i < n; i++)
        members[i] = tiles_over(g, g->dims, count);
    return gen_map(g, g->dims, gen_zip(g, g->dims, members, n), gen_f32(g));
}
