/* Interpolation of a grid at points between its elements, and injection at such points,
 * as compositions of other primitives. */
#include "ir/ir_t.h"

/* A point: its corner, its weights, and the offset of the current element of its box. */
struct point {
    struct lift_ir *ir;
    int dims;
    lift_expr corner, weights, offset[LIFT_MAX_DIMS];
    lift_nat width;
};

static lift_expr number(struct lift_ir *ir, int64_t n)
{
    return lift_expr_int(ir, n);
}

/* Builds xs[i] for any i32 expression 'i'. */
static lift_expr pick(struct lift_ir *ir, lift_expr i, lift_expr xs)
{
    lift_expr any = lift_fresh(ir, "i", lift_type_scalar(ir, LIFT_I32));

    return lift_at(ir, 0, lift_call2(ir, LIFT_REORDER, lift_fun(ir, i, any), xs));
}

static lift_expr weight(const struct point *p)
{
    lift_expr all = NULL;

    for (int a = 0; a < p->dims; a++) {
        lift_expr w = pick(p->ir, p->offset[a], lift_at(p->ir, a, p->weights));

        all = all ? lift_call2(p->ir, LIFT_MUL, all, w) : w;
    }
    return all;
}

/* The corner along dimension 'a' of n elements. A box outside the grid moves directly
 * next to the grid, so that no index overflows. */
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
        lift_expr i = lift_call2(ir, LIFT_ADD, near_corner(p, a, n), p->offset[a]);
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

/* Adds the elements of the box from dimension 'a' on to 'sum', the last index fastest.
 * Each dimension has a separate loop: gcc 12 with AVX2 miscompiles loads under
 * conditions on quotients and remainders of a single index. */
static lift_expr add_box(struct point *p, int a, lift_expr sum, lift_expr grid)
{
    struct lift_ir *ir = p->ir;
    lift_type i32 = lift_type_scalar(ir, LIFT_I32);
    lift_expr i = lift_fresh(ir, "i", i32), o = lift_fresh(ir, "o", i32);
    lift_expr acc = lift_fresh(ir, "sum", sum->type);
    lift_expr zero = lift_expr_float(ir, sum->type->scalar, 0), more;

    p->offset[a] = o;
    if (a + 1 < p->dims)
        more = add_box(p, a + 1, acc, grid);
    else
        more = lift_call2(ir, LIFT_ADD, acc,
                          lift_call2(ir, LIFT_MUL, weight(p), element(p, grid, zero)));
    return lift_reduce(ir, lift_fun2(ir, more, acc, o), sum,
                       lift_array(ir, p->width, lift_fun(ir, i, i)));
}

/* ---- injection into an element */

/* i - q < c <= i; the subtraction cannot overflow for any corner. */
static lift_expr is_covered(const struct point *p, const lift_expr *index)
{
    struct lift_ir *ir = p->ir;
    lift_expr width = ir_size(ir, p->width), all = NULL;

    for (int a = 0; a < p->dims; a++) {
        lift_expr c = lift_at(ir, a, p->corner);
        lift_expr below = lift_call2(ir, LIFT_SUB, index[a], width);
        lift_expr here = lift_call2(ir, LIFT_AND, lift_call2(ir, LIFT_LT, below, c),
                                    lift_call2(ir, LIFT_LE, c, index[a]));

        all = all ? lift_call2(ir, LIFT_AND, all, here) : here;
    }
    return all;
}

lift_expr lift_inject_list(struct lift_ir *ir, lift_expr inject)
{
    lift_expr points = lift_expr_arg(inject, 1);

    return lift_call3(ir, LIFT_ZIP, lift_get(ir, 0, points), lift_get(ir, 1, points),
                      lift_expr_arg(inject, 2));
}

lift_expr lift_inject_step(struct lift_ir *ir, lift_expr sum, lift_expr point,
                           const lift_expr *index)
{
    struct point p = {
        .ir = ir, .corner = lift_get(ir, 0, point), .weights = lift_get(ir, 1, point)};
    lift_expr last, more;
    int64_t dims = 0;

    lift_nat_is_const(p.corner->type->len, &dims);
    p.dims = (int)dims;
    p.width = p.weights->type->elem->len;
    last = lift_call2(ir, LIFT_SUB, ir_size(ir, p.width), number(ir, 1));
    for (int a = 0; a < p.dims; a++) {
        lift_expr o = lift_call2(ir, LIFT_SUB, index[a], lift_at(ir, a, p.corner));

        p.offset[a] =
            lift_call2(ir, LIFT_MAX, number(ir, 0), lift_call2(ir, LIFT_MIN, o, last));
    }
    more = lift_call2(ir, LIFT_MUL, weight(&p), lift_get(ir, 2, point));
    more = lift_call2(ir, LIFT_ADD, sum, more);
    return lift_call3(ir, LIFT_SELECT, is_covered(&p, index), more, sum);
}

/* ---- samples */

struct sampled {
    struct lift_ir *ir;
    lift_expr grid;
};

/* The sum over the box of one point. */
static lift_expr sampled(struct lift_ir *ir, void *user, lift_expr point)
{
    lift_expr grid = ((const struct sampled *)user)->grid;
    lift_type s = lift_type_base(grid->type);
    struct point p = {.ir = ir,
                      .dims = lift_type_rank(grid->type),
                      .corner = lift_get(ir, 0, point),
                      .weights = lift_get(ir, 1, point)};

    p.width = p.weights->type->elem->len;
    return add_box(&p, 0, lift_expr_float(ir, s->scalar, 0), grid);
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
