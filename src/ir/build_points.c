/* What a grid is at points off it: a composition of primitives. */
#include "ir/ir_t.h"

/* A point: its corner, its weights, and the element of its box that is in hand. */
struct point {
    struct lift_ir *ir;
    int dims;
    lift_expr corner, weights, element;
    lift_nat width;
};

static lift_expr number(struct lift_ir *ir, int64_t n)
{
    return lift_expr_int(ir, n);
}

/* xs[i], whatever 'i' is. */
static lift_expr pick(struct lift_ir *ir, lift_expr i, lift_expr xs)
{
    lift_expr any = lift_fresh(ir, "i", lift_type_scalar(ir, LIFT_I32));

    return lift_at(ir, 0, lift_call2(ir, LIFT_REORDER, lift_fun(ir, i, any), xs));
}

/* The place of the element in its box along dimension 'a'. */
static lift_expr offset(const struct point *p, int a)
{
    lift_expr o = p->element;

    for (int k = a + 1; k < p->dims; k++)
        o = lift_call2(p->ir, LIFT_DIV, o, ir_size(p->ir, p->width));
    return a ? lift_call2(p->ir, LIFT_MOD, o, ir_size(p->ir, p->width)) : o;
}

static lift_expr weight(const struct point *p)
{
    lift_expr all = NULL;

    for (int a = 0; a < p->dims; a++) {
        lift_expr w = pick(p->ir, offset(p, a), lift_at(p->ir, a, p->weights));

        all = all ? lift_call2(p->ir, LIFT_MUL, all, w) : w;
    }
    return all;
}

/* The corner along dimension 'a' of n elements. One whose box does not reach the grid is
 * moved to where it just does not, so that no index overflows. */
static lift_expr near_corner(const struct point *p, int a, lift_expr n)
{
    lift_expr c = lift_at(p->ir, a, p->corner);
    lift_expr least = lift_call1(p->ir, LIFT_NEG, ir_size(p->ir, p->width));

    return lift_call2(p->ir, LIFT_MAX, least, lift_call2(p->ir, LIFT_MIN, c, n));
}

/* The element of the grid, 'zero' outside. */
static lift_expr element(const struct point *p, lift_expr grid, lift_expr zero)
{
    struct lift_ir *ir = p->ir;
    lift_expr inside = NULL;

    for (int a = 0; a < p->dims; a++) {
        lift_expr n = ir_size(ir, grid->type->len);
        lift_expr i = lift_call2(ir, LIFT_ADD, near_corner(p, a, n), offset(p, a));
        lift_expr last = lift_call2(ir, LIFT_SUB, n, number(ir, 1));
        lift_expr here =
            lift_call2(ir, LIFT_AND, lift_call2(ir, LIFT_LE, number(ir, 0), i),
                       lift_call2(ir, LIFT_LT, i, n));

        inside = inside ? lift_call2(ir, LIFT_AND, inside, here) : here;
        i = lift_call2(ir, LIFT_MAX, number(ir, 0), lift_call2(ir, LIFT_MIN, i, last));
        grid = pick(ir, i, grid);
    }
    return lift_call3(ir, LIFT_SELECT, inside, grid, zero);
}

struct sampled {
    struct lift_ir *ir;
    lift_expr grid;
};

/* The sum over the box of one point. */
static lift_expr sampled(struct lift_ir *ir, void *user, lift_expr point)
{
    lift_expr grid = ((const struct sampled *)user)->grid;
    lift_type s = lift_type_base(grid->type);
    lift_expr zero = lift_expr_float(ir, s->scalar, 0);
    lift_expr o = lift_fresh(ir, "o", lift_type_scalar(ir, LIFT_I32));
    struct point p = {.ir = ir,
                      .dims = lift_type_rank(grid->type),
                      .corner = lift_get(ir, 0, point),
                      .weights = lift_get(ir, 1, point),
                      .element = o};
    lift_nat count = lift_nat_const(lift_ir_nats(ir), 1);
    lift_expr term;

    p.width = p.weights->type->elem->len;
    for (int a = 0; a < p.dims; a++)
        count = lift_nat_mul(count, p.width);
    term = lift_call2(ir, LIFT_MUL, weight(&p), element(&p, grid, zero));
    return lift_reduce(ir, lift_fun_op(ir, LIFT_ADD, s), zero,
                       lift_array(ir, count, lift_fun(ir, term, o)));
}

lift_expr lift_sample(struct lift_ir *ir, lift_expr grid, lift_expr points)
{
    lift_expr zipped;

    if (!grid || !points)
        return NULL;
    if (!ir_are_points(points->type, grid->type))
        return ir_set_error(ir,
                            "expects a grid of floats, and points for its d dimensions, "
                            "([[i32]d]n, [[[s]q]d]n) with s the type of its elements");
    zipped = lift_call2(ir, LIFT_ZIP, lift_get(ir, 0, points), lift_get(ir, 1, points));
    return lift_map(
        ir,
        lift_lambda(ir, "p", zipped->type->elem, sampled, &(struct sampled){ir, grid}),
        zipped);
}
