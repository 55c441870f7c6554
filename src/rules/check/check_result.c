/* Random results of programs: views, maps, and what puts them together. */
#include "rules/check/check_gen.h"

enum { DEEP = 2 };

static lift_expr result(struct check_gen *g, int depth);

/* A view of an array. */
static lift_expr view(struct check_gen *g, lift_expr xs)
{
    int n = (int)gen_len(xs->type);

    switch (gen_below(g, 6)) {
    case 0:
        return lift_pad(g->ir, gen_nat(g, gen_below(g, 2)), gen_nat(g, 1),
                        (enum lift_pad_kind)gen_below(g, 3), xs);
    case 1:
        return lift_slide(g->ir, gen_nat(g, gen_between(g, 1, n)),
                          gen_nat(g, gen_between(g, 1, 2)), xs);
    case 2:
        return lift_call2(g->ir, LIFT_REORDER, gen_index_function(g, n), xs);
    case 3:
        return lift_call1(
            g->ir, xs->type->elem->kind == LIFT_TYPE_TUPLE ? LIFT_UNZIP : LIFT_TRANSPOSE,
            xs);
    case 4:
        return lift_call_nat(g->ir, LIFT_SPLIT, gen_nat(g, n % 2 ? n : 2), xs);
    default:
        return lift_call_nat(g->ir, gen_chance(g, 50) ? LIFT_TAKE : LIFT_DROP,
                             gen_nat(g, gen_below(g, n) + 1), xs);
    }
}

/* An array of the type of 'xs': itself, a function of its elements, or another input. */
static lift_expr alike(struct check_gen *g, lift_expr xs)
{
    lift_type elem = xs->type->elem;
    lift_expr f;

    if (gen_chance(g, 30))
        return gen_input(g, xs->type);
    f = gen_chance(g, 60) ? gen_function(g, &elem, 1, elem) : NULL;
    return f ? lift_map(g->ir, f, xs) : xs;
}

/* One of two; of tuples of arrays now and then. */
static lift_expr choice(struct check_gen *g, lift_expr xs)
{
    lift_expr sides[2], c = gen_input(g, gen_f32(g));

    c = lift_call2(g->ir, LIFT_LT, c, lift_expr_float(g->ir, LIFT_F32, 0));
    for (int i = 0; i < 2; i++)
        sides[i] = alike(g, xs);
    if (gen_chance(g, 30))
        for (int i = 0; i < 2; i++)
            sides[i] = lift_call2(g->ir, LIFT_TUPLE, alike(g, xs), sides[i]);
    return lift_call3(g->ir, LIFT_SELECT, c, sides[0], sides[1]);
}

/* A member of a tuple of arrays, alone. */
static lift_expr of_pairs(struct check_gen *g, lift_expr xs)
{
    lift_expr pairs = lift_call2(g->ir, LIFT_ZIP, xs, alike(g, xs));

    return lift_get(g->ir, gen_below(g, 2), lift_call1(g->ir, LIFT_UNZIP, pairs));
}

static lift_expr named(struct check_gen *g, lift_expr xs)
{
    lift_expr value = view(g, xs), y;

    if (!value)
        return NULL;
    y = lift_fresh(g->ir, "y", value->type);
    return lift_let(g->ir, value,
                    lift_fun(g->ir, lift_call2(g->ir, LIFT_TUPLE, y, xs), y));
}

static lift_expr generated(struct check_gen *g)
{
    lift_type i32 = lift_type_scalar(g->ir, LIFT_I32);

    return lift_array(g->ir, gen_nat(g, gen_between(g, 1, 5)),
                      gen_function(g, &i32, 1, NULL));
}

static lift_expr result(struct check_gen *g, int depth)
{
    lift_expr xs = gen_input(g, gen_type(g, gen_between(g, 1, 2)));

    if (!xs)
        return NULL;
    switch (gen_below(g, depth > 0 ? 8 : 5)) {
    case 0:
        return xs;
    case 1:
        return view(g, xs);
    case 2:
        return generated(g);
    case 3:
        return of_pairs(g, xs);
    case 4:
        return choice(g, xs);
    case 5:
        return named(g, xs);
    case 6:
        return lift_call2(g->ir, LIFT_CONCAT, alike(g, xs), alike(g, xs));
    default:
        return lift_call2(g->ir, LIFT_TUPLE, result(g, depth - 1), result(g, depth - 1));
    }
}

lift_expr redex_result(struct check_gen *g)
{
    return result(g, DEEP);
}
