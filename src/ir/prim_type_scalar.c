/* The type rules of arithmetic. */
#include "ir/prim_type_t.h"

static bool is_number(lift_type t)
{
    return lift_type_is_value(t) && t->scalar != LIFT_BOOL &&
           !lift_scalar_is_storage(t->scalar);
}

/* All operands of one numeric type. */
lift_type prim_type_numbers(struct prim_check *c)
{
    lift_type t = prim_arg_type(c, 0);

    for (int i = 0; i < c->a->arg_count; i++) {
        if (!is_number(prim_arg_type(c, i)))
            return prim_expected(c, i, "a number", prim_arg_type(c, i));
        if (prim_arg_type(c, i) != t)
            return prim_expected(c, i, "operands of one type", prim_arg_type(c, i));
    }
    return t;
}

lift_type prim_type_ints(struct prim_check *c)
{
    lift_type t = prim_type_numbers(c);

    return !t || t->scalar == LIFT_I32 ? t : prim_expected(c, 0, "integers", t);
}

lift_type prim_type_floats(struct prim_check *c)
{
    lift_type t = prim_type_numbers(c);

    return !t || lift_type_is_float(t) ? t
                                       : prim_expected(c, 0, "floating-point numbers", t);
}

lift_type prim_type_compare(struct prim_check *c)
{
    lift_type t = prim_type_numbers(c);

    if (t && t->kind != LIFT_TYPE_SCALAR)
        return prim_expected(c, 0, "scalars", t);
    return t ? lift_type_scalar(c->ir, LIFT_BOOL) : NULL;
}

lift_type prim_type_logic(struct prim_check *c)
{
    for (int i = 0; i < c->a->arg_count; i++)
        if (!lift_type_is_scalar(prim_arg_type(c, i), LIFT_BOOL))
            return prim_expected(c, i, "a condition", prim_arg_type(c, i));
    return prim_arg_type(c, 0);
}

lift_type prim_type_select(struct prim_check *c)
{
    lift_type t = prim_arg_type(c, 1);

    if (!lift_type_is_scalar(prim_arg_type(c, 0), LIFT_BOOL))
        return prim_expected(c, 0, "a condition", prim_arg_type(c, 0));
    if (!lift_type_is_data(t))
        return prim_expected(c, 1, "data", t);
    if (prim_arg_type(c, 2) != t)
        return prim_expected(c, 2, "two values of one type", prim_arg_type(c, 2));
    return t;
}

lift_type prim_type_convert(struct prim_check *c)
{
    lift_type t = prim_arg_type(c, 0);
    bool stored = lift_type_is_value(t) && lift_scalar_is_storage(t->scalar);
    enum lift_scalar to = c->op == LIFT_TO_F32   ? LIFT_F32
                          : c->op == LIFT_TO_F64 ? LIFT_F64
                                                 : LIFT_I32;

    if (stored && to != LIFT_F32)
        return prim_expected(c, 0, "f32, f64, i32 or bool", t);
    if (t->kind == LIFT_TYPE_VECTOR && t->scalar != LIFT_BOOL)
        return lift_type_vector(c->ir, to, t->count);
    if (t->kind != LIFT_TYPE_SCALAR)
        return prim_expected(c, 0, "a number", t);
    return lift_type_scalar(c->ir, to);
}

lift_type prim_type_store(struct prim_check *c)
{
    lift_type t = prim_arg_type(c, 0);
    enum lift_scalar to = c->op == LIFT_TO_F16 ? LIFT_F16 : LIFT_BF16;

    if (!lift_type_is_value(t) || t->scalar != LIFT_F32)
        return prim_expected(c, 0, "f32", t);
    return t->kind == LIFT_TYPE_VECTOR ? lift_type_vector(c->ir, to, t->count)
                                       : lift_type_scalar(c->ir, to);
}

lift_type prim_type_splat(struct prim_check *c)
{
    lift_type t = prim_arg_type(c, 0);
    int64_t w;

    if (t->kind != LIFT_TYPE_SCALAR || t->scalar == LIFT_BOOL)
        return prim_expected(c, 0, "a number", t);
    if (!lift_nat_is_const(c->a->nats[0], &w) || w < 1 || w > 64)
        return prim_fail(c, -1, "expects a width that is a number from 1 to 64");
    return lift_type_vector(c->ir, t->scalar, (int)w);
}

lift_type prim_type_nat(struct prim_check *c)
{
    return lift_type_scalar(c->ir, LIFT_I32);
}

/* The head of the C definition says the types. */
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
