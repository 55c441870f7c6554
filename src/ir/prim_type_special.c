/* The types that no scheme can express. They depend on an attribute, the number of
 * dimensions, a text, or two numbers. */
#include "ir/prim_type_t.h"

/* The attribute selects the member. */
lift_type prim_type_get(struct prim_check *c)
{
    lift_type t = prim_arg_type(c, 0);
    int k = c->a->attrs.get.k;

    if (t->kind != LIFT_TYPE_TUPLE)
        return prim_expected(c, 0, "a tuple", t);
    if (k < 0 || k >= t->count)
        return prim_fail(c, -1, "asks for member %d of a tuple of %d", k, t->count);
    return t->parts[k];
}

/* The kind limits the width of the sides. */
lift_type prim_type_pad(struct prim_check *c)
{
    lift_type t = prim_type_scheme(c), xs = prim_arg_type(c, 0);

    for (int i = 0; t && i < 2 && !lift_pad_is_wide(c->a->attrs.pad.kind); i++)
        if (lift_nat_proves_lt(xs->len, c->a->nats[i]))
            return prim_nat_problem(c, "is wider than the array (width, length)",
                                    c->a->nats[i], xs->len);
    return t;
}

/* The number of rows follows from their length. */
lift_type prim_type_join_shift(struct prim_check *c)
{
    lift_type t = prim_type_scheme(c), xs = prim_arg_type(c, 0);
    lift_nat n = c->a->nats[0], k, rows;

    if (!t)
        return NULL;
    k = xs->elem->len;
    if (lift_nat_proves_lt(n, k))
        return prim_nat_problem(c, "has rows longer than the result (row, length)", k, n);
    rows = lift_nat_add_const(lift_nat_ceil_div(lift_nat_sub(n, k), k), 1);
    if (lift_nat_proves_lt(xs->len, rows) || lift_nat_proves_lt(rows, xs->len))
        return prim_nat_problem(c, "expects as many rows as it takes (needed, rows)",
                                rows, xs->len);
    return t;
}

/* The attribute gives the number of dimensions. */
lift_type prim_type_inset_box(struct prim_check *c)
{
    lift_type result = prim_arg_type(c, 0), border = result, xs = prim_arg_type(c, 1);
    int d = c->a->attrs.box.dims;

    if (d < 1 || d > LIFT_MAX_NATS)
        return prim_fail(c, -1, "has 1 to %d dimensions, not %d", LIFT_MAX_NATS, d);
    for (int k = 0; k < LIFT_MAX_NATS; k++) {
        lift_nat l = c->a->nats[k];

        if (lift_nat_hi(l) < 0)
            return prim_nat_problem(c, "expects a number >= 0", l, l);
        if (k >= d)
            continue;
        if (border->kind != LIFT_TYPE_ARRAY || xs->kind != LIFT_TYPE_ARRAY)
            return prim_expected(c, -1, "arrays of as many dimensions",
                                 prim_arg_type(c, border->kind == LIFT_TYPE_ARRAY));
        if (lift_nat_proves_lt(border->len, lift_nat_add(l, xs->len)))
            return prim_nat_problem(c, "has a box beyond the border (length, end)",
                                    border->len, lift_nat_add(l, xs->len));
        border = border->elem;
        xs = xs->elem;
    }
    if (border != xs)
        return prim_expected(c, 1, "border and box of one element type", xs);
    return result;
}

bool ir_are_points(lift_type t, lift_type grid)
{
    lift_type corner, weights, s = lift_type_base(grid);
    int64_t d;

    if (!lift_type_is_float(s) || t->kind != LIFT_TYPE_TUPLE || t->count != 2 ||
        lift_type_rank(t->parts[0]) != 2 || lift_type_rank(t->parts[1]) != 3)
        return false;
    corner = t->parts[0]->elem;
    weights = t->parts[1]->elem;
    return lift_type_is_scalar(corner->elem, LIFT_I32) && weights->elem->elem == s &&
           t->parts[0]->len == t->parts[1]->len && corner->len == weights->len &&
           lift_nat_is_const(corner->len, &d) && d == lift_type_rank(grid) &&
           d <= LIFT_MAX_DIMS;
}

/* The points have the dimensions of the grid. */
lift_type prim_type_inject(struct prim_check *c)
{
    lift_type grid = prim_arg_array(c, 0), points = prim_arg_type(c, 1);
    lift_type values = grid ? prim_arg_array(c, 2) : NULL, s;

    if (!values)
        return NULL;
    s = lift_type_base(grid);
    if (!lift_type_is_float(s))
        return prim_expected(c, 0, "a grid of floats", grid);
    if (!ir_are_points(points, grid))
        return prim_expected(c, 1,
                             "points for a grid of d dimensions, ([[i32]d]n, [[[s]q]d]n) "
                             "with s the type of its elements",
                             points);
    if (values->elem != s || values->len != points->parts[0]->len)
        return prim_expected(c, 2, "a value of the grid's type for each point", values);
    return grid;
}

/* A conversion keeps the lanes of a vector. A type of 16 bits is converted from and to
 * f32 only. */
lift_type prim_type_convert(struct prim_check *c)
{
    static const enum lift_scalar results[] = {[LIFT_TO_F32] = LIFT_F32,
                                               [LIFT_TO_F64] = LIFT_F64,
                                               [LIFT_TO_I32] = LIFT_I32,
                                               [LIFT_TO_F16] = LIFT_F16,
                                               [LIFT_TO_BF16] = LIFT_BF16};
    lift_type t = prim_arg_type(c, 0);
    enum lift_scalar to = results[c->op];

    if (!lift_type_is_value(t) || (t->kind == LIFT_TYPE_VECTOR && t->scalar == LIFT_BOOL))
        return prim_expected(c, 0, "a number", t);
    if (lift_scalar_is_storage(to) && t->scalar != LIFT_F32)
        return prim_expected(c, 0, "f32", t);
    if (lift_scalar_is_storage(t->scalar) && to != LIFT_F32)
        return prim_expected(c, 0, "f32, f64, i32 or bool", t);
    return t->kind == LIFT_TYPE_VECTOR ? lift_type_vector(c->ir, to, t->count)
                                       : lift_type_scalar(c->ir, to);
}

/* The head of the C definition gives the types. */
lift_type prim_type_user_fun(struct prim_check *c)
{
    struct lift_user_types h;

    if (!c->a->text || !lift_user_types(c->a->text, &h))
        return prim_fail(c, -1, "expects a definition, \"f32 name(f32 a, ...) { ... }\"");
    if (h.count != c->a->arg_count)
        return prim_fail(c, -1, "calls a function of %d parameter%s with %d", h.count,
                         h.count == 1 ? "" : "s", c->a->arg_count);
    for (int i = 0; i < h.count; i++)
        if (!lift_type_is_scalar(prim_arg_type(c, i), (enum lift_scalar)h.params[i]))
            return prim_expected(c, i, lift_scalar_name((enum lift_scalar)h.params[i]),
                                 prim_arg_type(c, i));
    return lift_type_scalar(c->ir, (enum lift_scalar)h.result);
}
