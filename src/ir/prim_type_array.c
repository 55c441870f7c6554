/* The type rules of patterns and of views of arrays. */
#include "ir/prim_type_t.h"

lift_type prim_type_map(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 1);
    lift_type r = xs ? prim_fun_result(c, 0) : NULL;

    return r ? lift_type_array(c->ir, r, xs->len) : NULL;
}

lift_type prim_type_reduce(struct prim_check *c)
{
    lift_type r = prim_arg_array(c, 2) ? prim_fun_result(c, 0) : NULL;

    if (!r)
        return NULL;
    if (r != prim_arg_type(c, 1))
        return prim_expected(c, 0, "a function that returns the type of its accumulator",
                             r);
    return r;
}

lift_type prim_type_iterate(struct prim_check *c)
{
    lift_type r = prim_fun_result(c, 0);

    if (r && r != prim_arg_type(c, 1))
        return prim_expected(c, 0, "a function that returns the type of its argument", r);
    return r;
}

lift_type prim_type_let(struct prim_check *c)
{
    return prim_fun_result(c, 1);
}

lift_type prim_type_zip(struct prim_check *c)
{
    lift_type elems[LIFT_MAX_ARGS];
    lift_type first = prim_arg_array(c, 0);

    if (!first)
        return NULL;
    for (int i = 0; i < c->a->arg_count; i++) {
        lift_type t = prim_arg_array(c, i);

        if (!t)
            return NULL;
        if (t->len != first->len)
            return prim_nat_problem(c, "expects arrays of one length", first->len,
                                    t->len);
        elems[i] = t->elem;
    }
    return lift_type_array(c->ir, lift_type_tuple(c->ir, elems, c->a->arg_count),
                           first->len);
}

lift_type prim_type_unzip(struct prim_check *c)
{
    lift_type arrays[LIFT_MAX_ARGS];
    lift_type xs = prim_arg_array(c, 0);

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_TUPLE)
        return prim_expected(c, 0, "an array of tuples", xs);
    for (int i = 0; i < xs->elem->count; i++)
        arrays[i] = lift_type_array(c->ir, xs->elem->parts[i], xs->len);
    return lift_type_tuple(c->ir, arrays, xs->elem->count);
}

lift_type prim_type_tuple(struct prim_check *c)
{
    lift_type members[LIFT_MAX_ARGS];

    for (int i = 0; i < c->a->arg_count; i++) {
        members[i] = prim_arg_type(c, i);
        if (!lift_type_is_data(members[i]))
            return prim_expected(c, i, "data", members[i]);
    }
    return lift_type_tuple(c->ir, members, c->a->arg_count);
}

lift_type prim_type_get(struct prim_check *c)
{
    lift_type t = prim_arg_type(c, 0);
    int k = c->a->attrs[0];

    if (t->kind != LIFT_TYPE_TUPLE)
        return prim_expected(c, 0, "a tuple", t);
    if (k < 0 || k >= t->count)
        return prim_fail(c, -1, "asks for member %d of a tuple of %d", k, t->count);
    return t->parts[k];
}

lift_type prim_type_at(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);

    return xs ? xs->elem : NULL;
}

lift_type prim_type_split(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);
    lift_nat k = c->a->nats[0];

    return xs ? lift_type_array(c->ir, lift_type_array(c->ir, xs->elem, k),
                                lift_nat_div(xs->len, k))
              : NULL;
}

lift_type prim_type_join(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_ARRAY)
        return prim_expected(c, 0, "an array of arrays", xs);
    return lift_type_array(c->ir, xs->elem->elem, lift_nat_mul(xs->len, xs->elem->len));
}

/* The number of windows. */
static lift_nat windows(lift_nat len, lift_nat size, lift_nat step)
{
    return lift_nat_div(lift_nat_add(lift_nat_sub(len, size), step), step);
}

/* Likewise if the last one is shifted inward. */
static lift_nat shifted_windows(lift_nat len, lift_nat size, lift_nat step)
{
    return lift_nat_add_const(lift_nat_ceil_div(lift_nat_sub(len, size), step), 1);
}

lift_type prim_type_slide(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);

    if (!xs)
        return NULL;
    return lift_type_array(c->ir, lift_type_array(c->ir, xs->elem, c->a->nats[0]),
                           (c->op == LIFT_SLIDE ? windows : shifted_windows)(
                               xs->len, c->a->nats[0], c->a->nats[1]));
}

lift_type prim_type_join_shift(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);
    lift_nat n = c->a->nats[0], rows;

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_ARRAY)
        return prim_expected(c, 0, "an array of arrays", xs);
    if (lift_nat_proves_lt(n, xs->elem->len))
        return prim_nat_problem(c, "has rows longer than the result (row, length)",
                                xs->elem->len, n);
    rows = shifted_windows(n, xs->elem->len, xs->elem->len);
    if (lift_nat_proves_lt(xs->len, rows) || lift_nat_proves_lt(rows, xs->len))
        return prim_nat_problem(c, "expects as many rows as it takes (needed, rows)",
                                rows, xs->len);
    return lift_type_array(c->ir, xs->elem->elem, n);
}

lift_type prim_type_map_seq_slide(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 1);
    lift_type r = xs ? prim_fun_result(c, 0) : NULL;

    if (!r)
        return NULL;
    return lift_type_array(c->ir, r, windows(xs->len, c->a->nats[0], c->a->nats[1]));
}

static lift_type padded(struct prim_check *c, lift_type xs)
{
    lift_nat l = c->a->nats[0], r = c->a->nats[1];

    return lift_type_array(c->ir, xs->elem, lift_nat_add(lift_nat_add(l, xs->len), r));
}

lift_type prim_type_pad(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);

    if (!xs)
        return NULL;
    for (int i = 0; i < 2 && !lift_pad_is_wide((enum lift_pad_kind)c->a->attrs[0]); i++)
        if (lift_nat_proves_lt(xs->len, c->a->nats[i]))
            return prim_nat_problem(c, "is wider than the array (width, length)",
                                    c->a->nats[i], xs->len);
    return padded(c, xs);
}

lift_type prim_type_pad_value(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 1);
    lift_type r = xs ? prim_fun_result(c, 0) : NULL;

    if (r && r != xs->elem)
        return prim_expected(c, 0, "a function that returns an element of the array", r);
    return r ? padded(c, xs) : NULL;
}

lift_type prim_type_pad_stored(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 1);

    if (xs && prim_arg_type(c, 0) != xs->elem)
        return prim_expected(c, 0, "an element of the array", prim_arg_type(c, 0));
    return xs ? padded(c, xs) : NULL;
}

lift_type prim_type_transpose(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_ARRAY)
        return prim_expected(c, 0, "an array of arrays", xs);
    return lift_type_array(c->ir, lift_type_array(c->ir, xs->elem->elem, xs->len),
                           xs->elem->len);
}

lift_type prim_type_reorder(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 1);
    lift_type r = xs ? prim_fun_result(c, 0) : NULL;

    if (r && !lift_type_is_scalar(r, LIFT_I32))
        return prim_expected(c, 0, "a function that returns an index", r);
    return r ? xs : NULL;
}

lift_type prim_type_take(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);
    lift_nat m = c->a->nats[0];

    if (!xs)
        return NULL;
    return lift_type_array(c->ir, xs->elem,
                           c->op == LIFT_TAKE ? m : lift_nat_sub(xs->len, m));
}

lift_type prim_type_concat(struct prim_check *c)
{
    lift_type first = prim_arg_array(c, 0);
    lift_nat len = first ? first->len : NULL;

    for (int i = 1; first && i < c->a->arg_count; i++) {
        lift_type t = prim_arg_array(c, i);

        if (!t)
            return NULL;
        if (t->elem != first->elem)
            return prim_expected(c, i, "arrays of one element type", t);
        len = lift_nat_add(len, t->len);
    }
    return first ? lift_type_array(c->ir, first->elem, len) : NULL;
}

lift_type prim_type_inset(struct prim_check *c)
{
    lift_type border = prim_arg_array(c, 0);
    lift_type xs = border ? prim_arg_array(c, 1) : NULL;
    lift_type t = xs ? padded(c, xs) : NULL;

    if (!t)
        return NULL;
    if (border->elem != xs->elem)
        return prim_expected(c, 1, "border and interior of one element type", xs);
    if (border->len != t->len)
        return prim_nat_problem(c, "expects a border of the length of the result",
                                border->len, t->len);
    return t;
}

lift_type prim_type_inset_box(struct prim_check *c)
{
    lift_type result = prim_arg_type(c, 0), border = result, xs = prim_arg_type(c, 1);
    int d = c->a->attrs[0];

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

lift_type prim_type_array(struct prim_check *c)
{
    lift_type r = prim_fun_result(c, 0);

    return r ? lift_type_array(c->ir, r, c->a->nats[0]) : NULL;
}

lift_type prim_type_same(struct prim_check *c)
{
    lift_type t = prim_arg_type(c, 0);

    return lift_type_is_data(t) ? t : prim_expected(c, 0, "data", t);
}

lift_type prim_type_prefetch(struct prim_check *c)
{
    return prim_arg_array(c, 0);
}

lift_type prim_type_in_place(struct prim_check *c)
{
    lift_type t = prim_type_same(c);

    if (t && prim_arg_type(c, 1) != t)
        return prim_expected(c, 1, "two values of one type", prim_arg_type(c, 1));
    return t;
}

lift_type prim_type_as_vector(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);
    int64_t w, n;

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_SCALAR)
        return prim_expected(c, 0, "an array of scalars", xs);
    if (!lift_nat_is_const(c->a->nats[0], &w) || w < 1 || w > 64)
        return prim_fail(c, -1, "expects a width that is a number from 1 to 64");
    if (lift_nat_is_const(xs->len, &n) && n % w != 0)
        return prim_nat_problem(c, "expects a divisor of the length (width, length)",
                                c->a->nats[0], xs->len);
    return lift_type_array(c->ir, lift_type_vector(c->ir, xs->elem->scalar, (int)w),
                           lift_nat_div(xs->len, c->a->nats[0]));
}

lift_type prim_type_as_scalar(struct prim_check *c)
{
    lift_type xs = prim_arg_array(c, 0);

    if (!xs)
        return NULL;
    if (xs->elem->kind != LIFT_TYPE_VECTOR)
        return prim_expected(c, 0, "an array of vectors", xs);
    return lift_type_array(c->ir, lift_type_scalar(c->ir, xs->elem->scalar),
                           lift_nat_mul_const(xs->len, xs->elem->count));
}
