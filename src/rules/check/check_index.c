/* Random redexes with arrays of index predicates, as in programs whose regions have
 * separate equations. */
#include "rules/check/check_gen.h"
#include "rules/native/regions/regions.h"
#include "rules/nd.h"
#include <limits.h>

/* The indices of a point, and the lengths of the domain. */
struct indices {
    struct check_gen *g;
    int d;
    lift_expr at[LIFT_MAX_DIMS];
    const int64_t *len;
};

/* Draws i, i + 2, 2 * i, n - 1 - i, or i - j. */
static lift_expr index_term(const struct indices *x, int k)
{
    struct lift_ir *ir = x->g->ir;
    lift_expr i = x->at[k], two = lift_expr_int(ir, 2);

    switch (gen_below(x->g, 9)) {
    case 0:
        return lift_call2(ir, LIFT_ADD, i, two);
    case 1:
        return lift_call2(ir, LIFT_MUL, two, i);
    case 2:
        return lift_call2(ir, LIFT_SUB, lift_expr_int(ir, x->len[k] - 1), i);
    case 3:
        return lift_call2(ir, LIFT_SUB, i, x->at[gen_below(x->g, x->d)]);
    default:
        return i;
    }
}

static lift_expr comparison(const struct indices *x)
{
    static const enum lift_op ops[] = {LIFT_LT, LIFT_LE, LIFT_LT,
                                       LIFT_LE, LIFT_EQ, LIFT_NE};
    int k = gen_below(x->g, x->d);
    lift_expr i = index_term(x, k);
    lift_expr n = nd_size(x->g->ir, gen_nat(x->g, gen_between(x->g, -1, (int)x->len[k])));
    bool turned = gen_chance(x->g, 50);

    return lift_call2(x->g->ir, ops[gen_below(x->g, 6)], turned ? n : i, turned ? i : n);
}

static lift_expr condition(const struct indices *x, int depth)
{
    struct lift_ir *ir = x->g->ir;

    if (depth == 0 || gen_chance(x->g, 30))
        return comparison(x);
    if (gen_chance(x->g, 15))
        return lift_call1(ir, LIFT_NOT, condition(x, depth - 1));
    return lift_call2(ir, gen_chance(x->g, 70) ? LIFT_AND : LIFT_OR,
                      condition(x, depth - 1), condition(x, depth - 1));
}

/* Builds (if c then 1 else 0) + ... */
static lift_expr counted(const struct indices *x)
{
    struct lift_ir *ir = x->g->ir;
    lift_expr sum = NULL;

    for (int i = 0; i < 2; i++) {
        lift_expr one = lift_call3(ir, LIFT_SELECT, condition(x, 1), lift_expr_int(ir, 1),
                                   lift_expr_int(ir, 0));

        sum = sum ? lift_call2(ir, LIFT_ADD, sum, one) : one;
    }
    return sum;
}

lift_expr gen_index_array(struct check_gen *g, int d, const int64_t *len)
{
    struct indices x = {.g = g, .d = d, .len = len};
    lift_nat n[LIFT_MAX_DIMS];
    lift_expr body;

    for (int k = 0; k < d; k++) {
        n[k] = gen_nat(g, len[k]);
        x.at[k] = lift_fresh(g->ir, "i", lift_type_scalar(g->ir, LIFT_I32));
    }
    body = gen_chance(g, 70) ? condition(&x, 3) : counted(&x);
    return lift_array_n(g->ir, d, n, lift_expr_abstract(g->ir, x.at, d, body));
}

/* Returns an f32 computed from one member; NULL if the function cannot be built. */
static lift_expr value_of(struct check_gen *g, lift_expr part)
{
    lift_type t = part->type;
    lift_expr f = gen_function(g, &t, 1, gen_f32(g));

    return f ? lift_expr_apply(g->ir, f, &part) : NULL;
}

lift_expr gen_chosen(struct check_gen *g, int d, const lift_expr *members, int count)
{
    struct lift_ir *ir = g->ir;
    lift_expr zip = lift_zip_n(ir, d, members, count), t, c, a, b;

    if (!zip)
        return NULL;
    t = lift_fresh(ir, "t", nd_under(zip->type, d));
    c = lift_get(ir, count - 1, t);
    a = value_of(g, lift_get(ir, 0, t));
    b = value_of(g, lift_get(ir, count - 2, t));
    if (c && lift_type_is_scalar(c->type, LIFT_I32))
        c = lift_call2(ir, LIFT_LT, c, lift_expr_int(ir, gen_between(g, 0, 2)));
    return lift_map_n(ir, d, lift_fun(ir, lift_call3(ir, LIFT_SELECT, c, a, b), t), zip);
}

/* Draws one or two inputs of a domain. The redex may read only a part of each input. */
static int draw_inputs(struct check_gen *g, const struct gen_shape *s,
                       lift_expr members[LIFT_MAX_ARGS])
{
    int count = gen_between(g, 1, 2);

    for (int i = 0; i < count; i++)
        if (!(members[i] = gen_input(g, gen_array(g, gen_f32(g), s->len, s->d))))
            return 0;
    return count;
}

lift_expr redex_index_tests(struct check_gen *g)
{
    struct gen_shape s = gen_shape(g, g->dims, 1, INT_MAX);
    lift_expr members[LIFT_MAX_ARGS];
    int count = draw_inputs(g, &s, members);
    bool part = gen_chance(g, 70);
    struct region r = {gen_below(g, g->dims), NULL, NULL};
    int start = gen_below(g, (int)s.len[r.dim]);

    if (!count)
        return NULL;
    members[count++] = gen_index_array(g, g->dims, s.len);
    r.start = gen_nat(g, start);
    r.count = gen_nat(g, gen_between(g, 1, (int)s.len[r.dim] - start));
    for (int i = 0; part && i < count; i++)
        members[i] = region_of(g->ir, members[i], r);
    return gen_chosen(g, g->dims, members, count);
}
