/* Values added to a grid at points off the grid. */
#include "ir/eval/eval_core.h"

/* The values 'xs' of a row. POINTS and VALUES are common to all rows. From PRODUCTS on,
 * each point has the product of its weights for the indices so far. The product is no
 * float if these indices are outside the point's box. */
enum { POINTS, VALUES, PRODUCTS };

static struct lift_value weighted(struct eval *ev, struct lift_value product,
                                  struct lift_value weight, bool first,
                                  enum lift_scalar scalar)
{
    double w = first ? weight.u.number : product.u.number * weight.u.number;

    return lift_value_float(eval_round(ev, scalar, w));
}

/* The products after one more index 'i', along dimension 'dim'. */
static void narrow(struct eval *ev, const struct lift_lazy *a, int64_t i, int64_t dim,
                   struct lift_value *products)
{
    const struct lift_value *points = a->xs[POINTS].u.items;

    for (int64_t p = 0; p < a->xs[VALUES].count; p++) {
        struct lift_value product = a->xs[PRODUCTS + p], corner, weights;
        int64_t at;

        products[p] = lift_value_bool(false);
        if (product.kind != LIFT_VALUE_FLOAT)
            continue;
        corner = eval_elem(ev, &points[0], p);
        weights = eval_elem(ev, &points[1], p);
        weights = eval_elem(ev, &weights, dim);
        at = i - eval_elem(ev, &corner, dim).u.integer;
        if (at >= 0 && at < weights.count)
            products[p] = weighted(ev, product, eval_elem(ev, &weights, at), dim == 0,
                                   (enum lift_scalar)a->b);
    }
}

/* 'a' is the dimension of the index, 'b' the scalar type, 'x' the grid. */
static struct lift_value inject_elem(struct eval *ev, const struct lift_lazy *a,
                                     int64_t i)
{
    struct lift_value x = eval_elem(ev, &a->x, i), out;
    int64_t n = a->xs[VALUES].count;
    struct lift_value *xs = eval_alloc(ev, PRODUCTS + n, sizeof *xs);
    struct lift_lazy *row;

    xs[POINTS] = a->xs[POINTS];
    xs[VALUES] = a->xs[VALUES];
    narrow(ev, a, i, a->a, xs + PRODUCTS);
    if (x.kind != LIFT_VALUE_FLOAT) {
        row = eval_lazy(ev, inject_elem, x.count, &out);
        row->x = x;
        row->xs = xs;
        row->a = a->a + 1;
        row->b = a->b;
        return out;
    }
    for (int64_t p = 0; p < n; p++)
        if (xs[PRODUCTS + p].kind == LIFT_VALUE_FLOAT) {
            double v = eval_elem(ev, &a->xs[VALUES], p).u.number;
            enum lift_scalar scalar = (enum lift_scalar)a->b;

            v = eval_round(ev, scalar, xs[PRODUCTS + p].u.number * v);
            x = lift_value_float(eval_round(ev, scalar, x.u.number + v));
        }
    return x;
}

struct lift_value eval_inject(struct eval *ev, lift_expr e,
                              const struct eval_scope *scope)
{
    struct lift_value values = eval_arg(ev, e, 2, scope), out;
    struct lift_value *xs = eval_alloc(ev, PRODUCTS + values.count, sizeof *xs);
    struct lift_value x = eval_arg(ev, e, 0, scope);
    struct lift_lazy *a = eval_lazy(ev, inject_elem, x.count, &out);

    xs[POINTS] = eval_arg(ev, e, 1, scope);
    xs[VALUES] = values;
    for (int64_t p = 0; p < values.count; p++)
        xs[PRODUCTS + p] = lift_value_float(1);
    a->x = x;
    a->xs = xs;
    a->b = (int64_t)lift_type_base(e->type)->scalar;
    return out;
}
