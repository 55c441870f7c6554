/* Random programs of several intermediates. Each intermediate is a stencil of earlier
 * grids and has a separate boundary. */
#include "rules/check/check_gen.h"

enum { MOST_STAGES = 3 };

struct grids {
    int d;
    int64_t len[LIFT_MAX_DIMS];
    lift_expr all[MOST_STAGES + 1]; /* the input, then the intermediates */
    int count;
};

static lift_expr windows(struct check_gen *g, const struct grids *s, lift_expr xs)
{
    return gen_around(g, s->d, 1, gen_boundary(g), xs, NULL);
}

/* Builds windows of the last grid. Some draws zip the windows with another grid or its
 * windows. */
static lift_expr neighbours(struct check_gen *g, const struct grids *s)
{
    lift_expr xs[2];

    xs[0] = windows(g, s, s->all[s->count - 1]);
    if (gen_chance(g, 50))
        return xs[0];
    xs[1] = s->all[gen_below(g, s->count)];
    if (gen_chance(g, 50))
        xs[1] = windows(g, s, xs[1]);
    return lift_zip_n(g->ir, s->d, xs, 2);
}

static lift_expr next_grid(struct check_gen *g, const struct grids *s)
{
    return gen_map(g, s->d, neighbours(g, s), gen_f32(g));
}

/* Builds the result of the last 'stages' intermediates, which have names except the last.
 */
static lift_expr stages_from(struct check_gen *g, struct grids *s, int stages)
{
    lift_expr value = next_grid(g, s), var, rest;

    if (!value || stages == 1)
        return value && gen_chance(g, 30)
                   ? lift_call2(g->ir, LIFT_TUPLE, value, s->all[s->count - 1])
                   : value;
    var = lift_fresh(g->ir, "u", value->type);
    s->all[s->count++] = var;
    rest = stages_from(g, s, stages - 1);
    return lift_let(g->ir, value, lift_fun(g->ir, rest, var));
}

lift_expr redex_named_stages(struct check_gen *g)
{
    struct gen_shape shape = gen_shape(g, g->dims, 1, g->max_len);
    struct grids s = {.d = g->dims, .count = 1};

    for (int i = 0; i < s.d; i++)
        s.len[i] = shape.len[i];
    s.all[0] = gen_input(g, gen_array(g, gen_f32(g), s.len, s.d));
    return s.all[0] ? stages_from(g, &s, gen_between(g, 2, MOST_STAGES)) : NULL;
}
