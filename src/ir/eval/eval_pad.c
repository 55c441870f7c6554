/* Arrays with additional elements on either side. */
#include "ir/eval/eval_core.h"
#include <math.h>

struct lift_lazy *eval_padded(struct eval *ev, lift_expr e, eval_elem_fn *elem,
                              struct lift_value x, struct lift_value *out)
{
    int64_t l = eval_nat_arg(ev, e, 0), r = eval_nat_arg(ev, e, 1);
    int64_t count = eval_add_counts(ev, e, eval_add_counts(ev, e, l, x.count), r);
    struct lift_lazy *a = eval_lazy(ev, elem, count, out);

    a->x = x;
    a->a = l;
    return a;
}

static struct lift_value clamp_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    int64_t n = a->x.count, at = i - a->a;

    return eval_elem(ev, &a->x, at < 0 ? 0 : at < n ? at : n - 1);
}

static struct lift_value mirror_elem(struct eval *ev, const struct lift_lazy *a,
                                     int64_t i)
{
    int64_t n = a->x.count, at = i - a->a;

    return eval_elem(ev, &a->x, at < 0 ? -1 - at : at < n ? at : 2 * n - 1 - at);
}

static struct lift_value wrap_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    int64_t n = a->x.count, at = i - a->a;

    return eval_elem(ev, &a->x, at < 0 ? at + n : at < n ? at : at - n);
}

/* A value that marks dependent results: NaN, or a number that no array holds. */
static struct lift_value unknown_scalar(enum lift_scalar scalar)
{
    return scalar == LIFT_BOOL  ? lift_value_bool(true)
           : scalar == LIFT_I32 ? lift_value_int(-7777777)
                                : lift_value_float(NAN);
}

static struct lift_value unknown(struct eval *ev, lift_type t)
{
    struct lift_value v = {LIFT_VALUE_VECTOR, t->count, {0}}, *items;

    if (t->kind == LIFT_TYPE_SCALAR)
        return unknown_scalar(t->scalar);
    if (t->kind == LIFT_TYPE_ARRAY)
        v = (struct lift_value){LIFT_VALUE_ARRAY, eval_nat(ev, t->len), {0}};
    else if (t->kind == LIFT_TYPE_TUPLE)
        v.kind = LIFT_VALUE_TUPLE;
    items = eval_alloc(ev, v.count, sizeof *items);
    for (int64_t i = 0; i < v.count; i++)
        items[i] = t->kind == LIFT_TYPE_ARRAY   ? unknown(ev, t->elem)
                   : t->kind == LIFT_TYPE_TUPLE ? unknown(ev, t->parts[i])
                                                : unknown_scalar(t->scalar);
    v.u.items = items;
    return v;
}

/* The padding value of type 't', cached by type. Inside a part, lengths vary, so the
 * value is not cached. */
static const struct lift_value *outside_of(struct eval *ev, lift_type t)
{
    struct lift_value *known = ev->parts ? NULL : lift_ptrmap_get(&ev->unknowns, t);
    struct eval_region *outer = ev->here;

    if (known)
        return known;
    ev->here = ev->parts ? outer : ev->root;
    known = eval_alloc(ev, 1, sizeof *known);
    *known = unknown(ev, t);
    ev->here = outer;
    if (!ev->parts)
        lift_ptrmap_put(&ev->unknowns, t, known);
    return known;
}

static struct lift_value any_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    int64_t n = a->x.count, at = i - a->a;

    return at >= 0 && at < n ? eval_elem(ev, &a->x, at) : a->xs[0];
}

static void check_pad(struct eval *ev, enum lift_pad_kind kind, int64_t most, int64_t n)
{
    if (lift_pad_is_wide(kind) && n == 0 && most > 0)
        eval_fail(ev, "'pad' of an empty array has no border to repeat");
    if (!lift_pad_is_wide(kind) && most > n)
        eval_fail(ev, "'pad' by '%lld' is more than the array's '%lld' elements",
                  (long long)most, (long long)n);
}

struct lift_value eval_pad(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    static eval_elem_fn *const elems[] = {
        [LIFT_PAD_CLAMP] = clamp_elem,
        [LIFT_PAD_MIRROR] = mirror_elem,
        [LIFT_PAD_WRAP] = wrap_elem,
        [LIFT_PAD_ANY] = any_elem,
    };
    enum lift_pad_kind kind = e->u.prim.attrs.pad.kind;
    int64_t l = eval_nat_arg(ev, e, 0), r = eval_nat_arg(ev, e, 1);
    struct lift_value x = eval_arg(ev, e, 0, scope), out;
    struct lift_lazy *a;

    check_pad(ev, kind, l > r ? l : r, x.count);
    a = eval_padded(ev, e, elems[kind], x, &out);
    if (kind == LIFT_PAD_ANY)
        a->xs = outside_of(ev, e->type->elem);
    return out;
}

static struct lift_value pad_value_elem(struct eval *ev, const struct lift_lazy *a,
                                        int64_t i)
{
    int64_t n = a->x.count, at = i - a->a;
    struct lift_value args[2];

    if (at >= 0 && at < n)
        return eval_elem(ev, &a->x, at);
    args[0] = lift_value_int(eval_int(ev, at, "padValue"));
    args[1] = lift_value_int(eval_int(ev, n, "padValue"));
    return eval_apply(ev, a->fun, a->scope, args, 2);
}

struct lift_value eval_pad_value(struct eval *ev, lift_expr e,
                                 const struct eval_scope *scope)
{
    struct lift_value out;
    struct lift_lazy *a =
        eval_padded(ev, e, pad_value_elem, eval_arg(ev, e, 1, scope), &out);

    a->fun = e->u.prim.args[0];
    a->scope = scope;
    return out;
}

struct lift_value eval_pad_stored(struct eval *ev, lift_expr e,
                                  const struct eval_scope *scope)
{
    struct lift_value *around = eval_alloc(ev, 1, sizeof *around), out;

    *around = eval_arg(ev, e, 0, scope);
    eval_padded(ev, e, any_elem, eval_arg(ev, e, 1, scope), &out)->xs = around;
    return out;
}
