/* Converts values from outside to values of a type. */
#include "ir/eval/eval_core.h"

static struct lift_value adopt_scalar(struct eval *ev, struct lift_value v,
                                      enum lift_scalar scalar, const char *what,
                                      const char *name)
{
    static const enum lift_value_kind kinds[] = {
        [LIFT_F32] = LIFT_VALUE_FLOAT, [LIFT_F64] = LIFT_VALUE_FLOAT,
        [LIFT_I32] = LIFT_VALUE_INT,   [LIFT_BOOL] = LIFT_VALUE_BOOL,
        [LIFT_F16] = LIFT_VALUE_FLOAT, [LIFT_BF16] = LIFT_VALUE_FLOAT,
    };

    if (v.kind != kinds[scalar])
        eval_fail(ev, "%s '%s' has a value of another kind where its type says '%s'",
                  what, name, lift_scalar_name(scalar));
    if (v.kind == LIFT_VALUE_FLOAT)
        v.u.number = eval_round(ev, scalar, v.u.number);
    if (v.kind == LIFT_VALUE_INT)
        v.u.integer = eval_int(ev, v.u.integer, name);
    return v;
}

/* Converts the items of a vector, tuple or array from outside. Each item has its own
 * element type. */
static struct lift_value adopt_items(struct eval *ev, struct lift_value v, lift_type t,
                                     const char *what, const char *name)
{
    struct lift_value *items = eval_alloc(ev, v.count, sizeof *items);

    for (int64_t i = 0; i < v.count; i++)
        items[i] = t->kind == LIFT_TYPE_VECTOR
                       ? adopt_scalar(ev, v.u.items[i], t->scalar, what, name)
                       : eval_adopt(ev, v.u.items[i],
                                    t->kind == LIFT_TYPE_TUPLE ? t->parts[i] : t->elem,
                                    what, name);
    v.u.items = items;
    return v;
}

struct lift_value eval_adopt(struct eval *ev, struct lift_value v, lift_type t,
                             const char *what, const char *name)
{
    static const enum lift_value_kind kinds[] = {
        [LIFT_TYPE_VECTOR] = LIFT_VALUE_VECTOR,
        [LIFT_TYPE_TUPLE] = LIFT_VALUE_TUPLE,
        [LIFT_TYPE_ARRAY] = LIFT_VALUE_ARRAY,
    };
    int64_t count;

    if (t->kind == LIFT_TYPE_SCALAR)
        return adopt_scalar(ev, v, t->scalar, what, name);
    LIFT_ASSERT(t->kind != LIFT_TYPE_FUN);
    if (v.kind != kinds[t->kind])
        eval_fail(ev, "%s '%s' has a value that does not fit its type", what, name);
    count = t->kind == LIFT_TYPE_ARRAY ? eval_nat(ev, t->len) : t->count;
    if (v.count != count)
        eval_fail(ev, "%s '%s' has '%lld' items where its type says '%lld'", what, name,
                  (long long)v.count, (long long)count);
    return adopt_items(ev, v, t, what, name);
}
