/* Random stencils whose grids have a size for one length, and boundaries of all kinds. */
#include "ir/cut.h"
#include "rules/check/check_gen.h"
#include "rules/nd.h"

struct program {
    int d, dim; /* dimensions, and which of them has the size */
    lift_nat len[LIFT_MAX_DIMS];
    bool ring;
};

static lift_type grid_type(struct check_gen *g, const struct program *p)
{
    lift_type t = gen_f32(g);

    for (int i = p->d - 1; i >= 0; i--)
        t = lift_type_array(g->ir, t, p->len[i]);
    return t;
}

/* Windows around each point. */
static lift_expr windows(struct check_gen *g, const struct program *p, lift_expr xs)
{
    struct gen_boundary b = {.kind = LIFT_PAD_WRAP};

    if (!p->ring)
        do
            b = gen_boundary(g);
        while (!b.value && b.kind == LIFT_PAD_WRAP);
    return gen_around(g, p->d, 2, b, xs, NULL);
}

/* Where each point lies along the dimension, as a grid. */
static lift_expr places(struct check_gen *g, const struct program *p)
{
    lift_type i32 = lift_type_scalar(g->ir, LIFT_I32);
    lift_expr vars[LIFT_MAX_DIMS], body;

    for (int i = 0; i < p->d; i++)
        vars[i] = lift_fresh(g->ir, "i", i32);
    body = lift_call1(g->ir, LIFT_TO_F32, vars[p->dim]);
    if (gen_chance(g, 50))
        body = lift_call2(g->ir, LIFT_SUB, body,
                          lift_call1(g->ir, LIFT_TO_F32, nd_size(g->ir, p->len[p->dim])));
    for (int i = p->d - 1; i >= 0; i--)
        body = lift_array(g->ir, p->len[i], lift_fun(g->ir, body, vars[i]));
    return body;
}

static lift_expr stage(struct check_gen *g, const struct program *p, lift_expr xs,
                       lift_expr other)
{
    lift_expr of[3];
    int count = 1;

    of[0] = windows(g, p, xs);
    if (gen_chance(g, 50))
        of[count++] = gen_chance(g, 50) ? other : windows(g, p, other);
    if (gen_chance(g, 40))
        of[count++] = places(g, p);
    return gen_map(g, p->d, gen_zip(g, p->d, of, count), gen_f32(g));
}

/* A border of the input around it, along the outermost dimension. */
static lift_expr kept(struct check_gen *g, const struct program *p, lift_expr border,
                      lift_expr xs)
{
    struct lift_prim_args a = {.nats = {gen_nat(g, gen_below(g, 3)), gen_nat(g, 1)},
                               .arg_count = 2};
    lift_nat inner = lift_nat_sub(p->len[0], lift_nat_add(a.nats[0], a.nats[1]));

    a.args[0] = border;
    xs = lift_call_nat(g->ir, LIFT_DROP, a.nats[0], xs);
    a.args[1] = lift_call_nat(g->ir, LIFT_TAKE, inner, xs);
    return lift_make(g->ir, LIFT_INSET, &a);
}

static lift_expr steps(struct check_gen *g, lift_expr f, lift_expr x)
{
    struct lift_prim_args a = {
        .nats = {gen_nat(g, gen_between(g, 0, 3))}, .args = {f, x}, .arg_count = 2};

    return lift_make(g->ir, LIFT_ITERATE, &a);
}

/* One stage, several steps of it, or two stages, whose results may be a tuple. */
static lift_expr whole(struct check_gen *g, const struct program *p, lift_expr x,
                       lift_expr y)
{
    lift_expr var = lift_fresh(g->ir, "u", x->type), first, last;

    if (gen_chance(g, 30))
        return steps(g, lift_fun(g->ir, stage(g, p, var, y), var), x);
    first = stage(g, p, x, y);
    if (!first || gen_chance(g, 40))
        return first && !p->ring && gen_chance(g, 30) ? kept(g, p, y, first) : first;
    last = stage(g, p, var, gen_chance(g, 50) ? x : y);
    if (gen_chance(g, 30))
        last = lift_call2(g->ir, LIFT_TUPLE, last, var);
    return lift_let(g->ir, first, lift_fun(g->ir, last, var));
}

lift_expr redex_devices(struct check_gen *g, struct rule_numbers of)
{
    struct program p = {.dim = of.dims - 1, .ring = gen_chance(g, 30)};
    lift_expr x, y;

    p.d = of.dims + gen_below(g, 3 - of.dims);
    for (int i = 0; i < p.d; i++)
        p.len[i] = i == p.dim ? gen_size(g, gen_between(g, 1, g->max_len))
                   : i < p.dim && gen_chance(g, 70) ? gen_size(g, gen_between(g, 2, 8))
                                                    : gen_nat(g, gen_between(g, 2, 3));
    x = gen_input(g, grid_type(g, &p));
    y = gen_input(g, grid_type(g, &p));
    return x && y ? whole(g, &p, x, y) : NULL;
}

lift_expr redex_map_device(struct check_gen *g, struct rule_numbers of)
{
    static const int shares[] = {2, 3};
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_shared how = {0};
    lift_expr e = redex_devices(g, (struct rule_numbers){.parts = 2, .dims = 1});

    (void)of;
    how.shares = lift_shares(g->ir, shares, 2);
    return e ? lift_cut_term(g->ir, e, &how, &why) : NULL;
}
