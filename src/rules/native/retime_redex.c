/* Random redexes of the retiming rules: weighted sums over windows of planes. Planes have
 * 0 to 2 dimensions, and some draws zip the planes with another array. */
#include "rules/check/check_gen.h"
#include "rules/nd.h"

enum { SIDE = 3 }; /* length of a plane in each dimension */

struct draw {
    struct check_gen *g;
    lift_expr w;     /* the window */
    lift_expr rows;  /* the window without the other array */
    lift_expr other; /* an element of another array, or NULL */
    int n, rank;
};

static lift_expr literal(struct draw *d)
{
    return lift_expr_float(d->g->ir, LIFT_F32, gen_between(d->g, 2, 9) / 4.0);
}

static lift_expr binary(struct draw *d, enum lift_op op, lift_expr a, lift_expr b)
{
    return lift_call2(d->g->ir, op, a, b);
}

/* Maps each element of 'xs' to its centre. */
static lift_expr centres(struct lift_ir *ir, const char *hint, lift_expr xs)
{
    lift_expr p = lift_fresh(ir, hint, xs->type->elem), middle = p;

    while (middle->type->kind == LIFT_TYPE_ARRAY)
        middle = lift_at(ir, SIDE / 2, middle);
    return lift_map(ir, lift_fun(ir, middle, p), xs);
}

/* Returns the line through the centres of all planes. */
static lift_expr column(struct draw *d)
{
    return centres(d->g->ir, "p", d->rows);
}

static lift_expr point(struct draw *d)
{
    lift_expr e = lift_at(d->g->ir, gen_below(d->g, d->n), d->rows);

    if (gen_chance(d->g, 30))
        return lift_at(d->g->ir, gen_below(d->g, d->n), column(d));
    for (int i = 0; i < d->rank; i++)
        e = lift_at(d->g->ir, gen_below(d->g, SIDE), e);
    return e;
}

/* Draws a line: a part of the column, or a row or column of a plane. */
static lift_expr line(struct draw *d)
{
    struct lift_ir *ir = d->g->ir;
    lift_expr plane = lift_at(ir, gen_below(d->g, d->n), d->rows);
    int from = gen_below(d->g, d->n);

    if (d->rank == 2 && gen_chance(d->g, 30))
        return centres(ir, "row", plane);
    if (d->rank == 2 && gen_chance(d->g, 50))
        return lift_call1(ir, LIFT_JOIN, plane);
    if (d->rank == 1 && gen_chance(d->g, 50))
        return gen_chance(d->g, 50) ? plane : lift_call1(ir, LIFT_JOIN, d->rows);
    return lift_call_nat(ir, LIFT_TAKE, gen_nat(d->g, gen_between(d->g, 1, d->n - from)),
                         lift_call_nat(ir, LIFT_DROP, gen_nat(d->g, from), column(d)));
}

static lift_expr weight(struct lift_ir *ir, void *user, lift_expr i)
{
    (void)user;
    return lift_call2(
        ir, LIFT_MUL, lift_expr_float(ir, LIFT_F32, 0.125),
        lift_call1(ir, LIFT_TO_F32, lift_call2(ir, LIFT_ADD, i, lift_expr_int(ir, 1))));
}

/* Builds reduce(fun(sum, t => sum + t.0 * t.1), 0, zip(xs, array(n, weight))). */
static lift_expr dot(struct draw *d, lift_expr xs)
{
    struct lift_ir *ir = d->g->ir;
    lift_type i32 = lift_type_scalar(ir, LIFT_I32);
    lift_expr pair[2] = {xs, NULL}, sum, t, step;

    if (!xs)
        return NULL;
    pair[1] = lift_array(ir, xs->type->len, lift_lambda(ir, "i", i32, weight, NULL));
    pair[0] = lift_call(ir, LIFT_ZIP, pair, 2);
    sum = lift_fresh(ir, "sum", gen_f32(d->g));
    t = lift_fresh(ir, "t", pair[0]->type->elem);
    step = binary(d, LIFT_MUL, lift_get(ir, 0, t), lift_get(ir, 1, t));
    return lift_reduce(ir, lift_fun2(ir, binary(d, LIFT_ADD, sum, step), sum, t),
                       lift_expr_float(ir, LIFT_F32, 0), pair[0]);
}

/* Draws a term: a point, a reduction, or an expression that is nonlinear in the window.
 */
static lift_expr term(struct draw *d)
{
    int kind = gen_below(d->g, 10);

    if (kind == 0)
        return binary(d, LIFT_MUL, point(d), point(d));
    if (kind == 1 && d->other)
        return binary(d, LIFT_MUL, d->other, point(d));
    if (kind == 2)
        return literal(d);
    return kind < 5 ? dot(d, line(d)) : point(d);
}

static lift_expr sum_of(struct draw *d, int terms)
{
    struct lift_ir *ir = d->g->ir;
    int left = gen_between(d->g, 1, terms - 1), kind = gen_below(d->g, 10);
    lift_expr e;

    if (terms == 1)
        return binary(d, LIFT_MUL, literal(d), term(d));
    if (kind < 5)
        return binary(d, LIFT_ADD, sum_of(d, left), sum_of(d, terms - left));
    if (kind < 7)
        return binary(d, LIFT_SUB, sum_of(d, left), sum_of(d, terms - left));
    e = binary(d, LIFT_ADD, sum_of(d, left), sum_of(d, terms - left));
    if (kind == 7 && e)
        return lift_call1(ir, LIFT_NEG, e);
    return kind == 8 ? binary(d, LIFT_MUL, e, literal(d))
                     : binary(d, LIFT_DIV, e, literal(d));
}

/* Uses the sum unchanged, scaled, twice, or as one of two results. */
static lift_expr post(struct draw *d, lift_expr sum)
{
    struct lift_ir *ir = d->g->ir;
    lift_expr z, used;

    switch (gen_below(d->g, 5)) {
    case 0:
        z = lift_fresh(ir, "z", sum->type);
        used = binary(d, LIFT_SUB, binary(d, LIFT_MUL, z, z), point(d));
        return lift_let(ir, sum, lift_fun(ir, used, z));
    case 1:
        return binary(d, LIFT_TUPLE, sum, point(d));
    case 2:
        return binary(d, LIFT_ADD,
                      binary(d, LIFT_MUL, d->other ? d->other : point(d), sum), point(d));
    case 3:
        return binary(d, LIFT_MAX, point(d), sum);
    default:
        return sum;
    }
}

/* Draws the stream: planes, or planes zipped with another array. */
static lift_expr stream_of(struct draw *d)
{
    struct check_gen *g = d->g;
    int64_t len[3] = {d->n + gen_below(g, g->max_len < 8 ? g->max_len : 8), SIDE, SIDE};
    lift_expr both[2] = {gen_input(g, gen_array(g, gen_f32(g), len, 1 + d->rank)), NULL};

    if (gen_chance(g, 50))
        return both[0];
    both[1] = gen_input(g, gen_array(g, gen_f32(g), len, 1));
    return lift_call(g->ir, LIFT_ZIP, both, 2);
}

/* Draws one or two elements of an array of values, each computed from one plane of the
 * window. */
static lift_expr plane_value(struct draw *d)
{
    struct lift_ir *ir = d->g->ir;
    lift_expr p = lift_fresh(ir, "p", d->rows->type->elem), sum = literal(d), values;
    int from = gen_below(d->g, d->n), n = d->n - from;

    for (int i = gen_between(d->g, 1, 3); i > 0; i--) {
        lift_expr e = p;

        for (int k = 0; k < d->rank; k++)
            e = lift_at(ir, gen_below(d->g, SIDE), e);
        sum = binary(d, LIFT_SUB, e, sum);
    }
    values = lift_map(ir, lift_fun(ir, sum, p),
                      lift_call_nat(ir, LIFT_DROP, gen_nat(d->g, from), d->rows));
    sum = lift_at(ir, gen_below(d->g, n), values);
    return gen_chance(d->g, 50)
               ? sum
               : binary(d, LIFT_SUB, sum, lift_at(ir, gen_below(d->g, n), values));
}

typedef lift_expr draw_body(struct draw *d);

static lift_expr stream_with(struct check_gen *g, draw_body *draw_of)
{
    struct draw d = {.g = g, .n = gen_between(g, 2, 5), .rank = gen_below(g, 3)};
    struct lift_prim_args a = {.nats = {gen_nat(g, d.n), gen_nat(g, 1)}, .arg_count = 2};
    lift_expr xs = stream_of(&d), body;

    if (!xs)
        return NULL;
    d.w = lift_fresh(g->ir, "w", lift_type_array(g->ir, xs->type->elem, a.nats[0]));
    d.rows = d.w;
    if (xs->type->elem->kind == LIFT_TYPE_TUPLE) {
        d.rows = nd_map_get(g->ir, 0, d.w);
        d.other = lift_get(g->ir, 1, lift_at(g->ir, gen_below(g, d.n), d.w));
    }
    body = draw_of(&d);
    body = body ? post(&d, body) : NULL;
    a.args[0] = lift_fun(g->ir, body, d.w);
    a.args[1] = xs;
    return lift_make(g->ir, LIFT_MAP_SEQ_SLIDE, &a);
}

static lift_expr any_sum(struct draw *d)
{
    return sum_of(d, gen_between(d->g, 2, 2 + 2 * d->g->fuel));
}

static lift_expr sum_of_values(struct draw *d)
{
    lift_expr sum = any_sum(d);

    for (int i = gen_between(d->g, 1, 3); i > 0; i--)
        sum = binary(d, LIFT_ADD, plane_value(d), sum);
    return sum;
}

lift_expr redex_retime(struct check_gen *g)
{
    return stream_with(g, any_sum);
}

lift_expr redex_keep(struct check_gen *g)
{
    return stream_with(g, sum_of_values);
}
