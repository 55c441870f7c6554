/* Random grids of d dimensions with values added at points, and maps that read such
 * grids. */
#include "rules/check/check_gen.h"

lift_expr redex_inject(struct check_gen *g)
{
    struct gen_shape s = gen_shape(g, g->dims, 1, g->max_len);
    int64_t n = gen_between(g, 0, 3);
    int64_t corners[2] = {n, s.d}, weights[3] = {n, s.d, gen_between(g, 1, 3)};
    lift_expr args[3], xs[2];

    for (int i = 0; i < 2; i++)
        xs[i] = gen_input(g, gen_array(g, gen_f32(g), s.len, s.d));
    args[0] = gen_map(g, s.d, gen_zip(g, s.d, xs, gen_between(g, 1, 2)), gen_f32(g));
    xs[0] = gen_input(g, gen_array(g, lift_type_scalar(g->ir, LIFT_I32), corners, 2));
    xs[1] = gen_input(g, gen_array(g, gen_f32(g), weights, 3));
    args[1] = lift_call2(g->ir, LIFT_TUPLE, xs[0], xs[1]);
    args[2] = gen_input(g, gen_array(g, gen_f32(g), &n, 1));
    return lift_call(g->ir, LIFT_INJECT, args, 3);
}

lift_expr redex_injected(struct check_gen *g)
{
    lift_expr inject, xs[2];

    g->dims = (int)gen_between(g, 1, 3);
    inject = redex_inject(g);
    xs[0] = inject;
    xs[1] = gen_input(g, inject->type);
    return gen_map(g, g->dims, gen_zip(g, g->dims, xs, 2), gen_f32(g));
}
