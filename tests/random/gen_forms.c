/* Forms that few programs have: steps, regions, points off the grid, fields of two bytes.
 */
#include "base/bug.h"
#include "gen.h"
#include <string.h>

/* ---- steps */

/* Of more than 16 steps, kernels are repeated. */
static int some_steps(struct gen *g)
{
    return rg_chance(g, 30)   ? rg_range(g, 1, 4)
           : rg_chance(g, 40) ? rg_range(g, 5, 12)
                              : rg_range(g, 16, 20);
}

struct rp_expr *rg_iterated(struct gen *g, const struct rp_len *len, int d, rp_type elem)
{
    struct rp_program *p = g->p;
    struct rp_expr *start = rg_leaf(g, len, d, elem), *e;
    int v = rg_enter(g, start->type, "s");

    e = rp_new2(p, RP_ITERATE, start->type, start,
                rg_stage(g, len, d, elem, rp_var(p, v)));
    rg_leave(g, 1);
    e->a[0] = rp_fixed(some_steps(g));
    e->param[0] = v;
    e->param_count = 1;
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

/* ---- regions */

struct rp_expr *rg_regions(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                           struct rp_expr *x, int var)
{
    struct rp_expr *e = rp_new(g->p, RP_REGIONS, rp_grid(g->p, len, d, elem));

    rp_add_arg(e, x);
    e->d = d;
    for (int i = 0; i < d; i++) {
        e->a[i] = rp_fixed(rg_below(g, 3));
        e->b[i] = rp_fixed(rg_below(g, 3));
    }
    for (int i = 0; i < 2; i++)
        rp_add_arg(e, rg_element(g, elem, rg_range(g, 2, 3)));
    e->param[0] = var;
    e->param_count = 1;
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

/* ---- points off the grid */

/* Places and weights of points, which are inputs; false if there are too many. */
static bool add_points(struct gen *g, struct rp_expr *e, int d, rp_type elem,
                       struct rp_len n)
{
    struct rp_len side = rp_fixed(rg_chance(g, 70) ? 2 : 4), dims = rp_fixed(d);
    struct rp_program *p = g->p;
    struct rp_expr *places, *weights;

    places = rg_input(g, rp_array(p, n, rp_array(p, dims, rp_scalar(RP_I32))));
    weights = rg_input(g, rp_array(p, n, rp_array(p, dims, rp_array(p, side, elem))));
    if (!places || !weights)
        return false;
    rp_add_arg(e, places);
    rp_add_arg(e, weights);
    return true;
}

struct rp_expr *rg_injected(struct gen *g, int d, struct rp_expr *x)
{
    struct rp_expr *e = rp_new1(g->p, RP_INJECT, x->type, x), *values;
    rp_type elem = rp_element(x->type, d);
    struct rp_len n = rp_fixed(rg_range(g, 1, 6));

    e->d = d;
    if (!add_points(g, e, d, elem, n) || !(values = rg_input(g, rp_array(g->p, n, elem))))
        return x;
    rp_add_arg(e, values);
    return e;
}

struct rp_expr *rg_sampled(struct gen *g, const struct rp_len *len, int d, rp_type elem)
{
    struct rp_len n = rp_fixed(rg_range(g, 1, 6));
    struct rp_expr *x = rg_leaf(g, len, d, elem), *e;

    e = rp_new1(g->p, RP_SAMPLE, rp_array(g->p, n, elem), x);
    e->d = d;
    return add_points(g, e, d, elem, n) ? e : x;
}
