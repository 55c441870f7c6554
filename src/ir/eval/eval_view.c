/* Views: arrays without own elements. An index function selects each element from other
 * arrays. */
#include "ir/eval/eval_core.h"

struct lift_lazy *eval_lazy(struct eval *ev, eval_elem_fn *elem, int64_t count,
                            struct lift_value *out)
{
    struct lift_lazy *a = eval_alloc(ev, 1, sizeof *a);

    LIFT_ASSERT(count >= 0);
    *a = (struct lift_lazy){.elem = elem, .home = ev->here};
    *out = (struct lift_value){.kind = LIFT_VALUE_LAZY, .count = count, .u.lazy = a};
    return a;
}

struct lift_value eval_view(struct eval *ev, eval_elem_fn *elem, int64_t count,
                            struct lift_value x, int64_t a, int64_t b)
{
    struct lift_value out;
    struct lift_lazy *lazy = eval_lazy(ev, elem, count, &out);

    lazy->x = x;
    lazy->a = a;
    lazy->b = b;
    return out;
}

int64_t eval_nat_arg(struct eval *ev, lift_expr e, int slot)
{
    int64_t value = eval_nat(ev, e->u.prim.nats[slot]);

    if (value < 0)
        eval_fail(ev, "'%s' with a negative number '%lld'", lift_prim_info(e->op)->name,
                  (long long)value);
    return value;
}

int64_t eval_add_counts(struct eval *ev, lift_expr e, int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        eval_fail(ev, "'%s' makes too long an array", lift_prim_info(e->op)->name);
    return sum;
}

const struct lift_value *eval_args(struct eval *ev, lift_expr e,
                                   const struct eval_scope *scope)
{
    struct lift_value *xs = eval_alloc(ev, e->arg_count, sizeof *xs);

    for (int i = 0; i < e->arg_count; i++)
        xs[i] = eval_arg(ev, e, i, scope);
    return xs;
}

static struct lift_value slice_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    return eval_elem(ev, &a->x, a->a + i);
}

struct lift_value eval_slice(struct eval *ev, struct lift_value x, int64_t start,
                             int64_t count)
{
    struct lift_value out = {LIFT_VALUE_ARRAY, count, {0}};
    struct lift_lazy *a;

    LIFT_ASSERT(start >= 0 && count >= 0 && start + count <= x.count);
    if (x.kind == LIFT_VALUE_ARRAY) {
        out.u.items = x.u.items + start;
        return out;
    }
    a = eval_lazy(ev, slice_elem, count, &out);
    a->x = x;
    a->a = start;
    if (x.u.lazy->elem == slice_elem) {
        a->x = x.u.lazy->x;
        a->a += x.u.lazy->a;
    }
    return out;
}

static struct lift_value zip_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    struct lift_value *items = eval_alloc(ev, a->a, sizeof *items);
    struct lift_value out = {LIFT_VALUE_TUPLE, a->a, {0}};

    for (int64_t k = 0; k < a->a; k++)
        items[k] = eval_elem(ev, &a->xs[k], i);
    out.u.items = items;
    return out;
}

struct lift_value eval_zip(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    const struct lift_value *xs = eval_args(ev, e, scope);
    struct lift_value out;
    struct lift_lazy *a = eval_lazy(ev, zip_elem, xs[0].count, &out);

    for (int i = 1; i < e->arg_count; i++)
        if (xs[i].count != xs[0].count)
            eval_fail(ev, "'zip' of arrays of '%lld' and '%lld' elements",
                      (long long)xs[0].count, (long long)xs[i].count);
    a->xs = xs;
    a->a = e->arg_count;
    return out;
}

static struct lift_value unzip_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    return eval_elem(ev, &a->x, i).u.items[a->a];
}

struct lift_value eval_unzip(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);
    struct lift_value out = {LIFT_VALUE_TUPLE, e->type->count, {0}};
    struct lift_value *items = eval_alloc(ev, out.count, sizeof *items);

    for (int64_t k = 0; k < out.count; k++)
        items[k] = eval_view(ev, unzip_elem, x.count, x, k, 0);
    out.u.items = items;
    return out;
}

struct lift_value eval_tuple(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    struct lift_value out = {LIFT_VALUE_TUPLE, e->arg_count, {0}};

    out.u.items = eval_args(ev, e, scope);
    return out;
}

struct lift_value eval_get(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);
    int k = e->u.prim.attrs.get.k;

    LIFT_ASSERT(x.kind == LIFT_VALUE_TUPLE && k >= 0 && k < x.count);
    return x.u.items[k];
}

struct lift_value eval_at(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    int64_t i = eval_nat(ev, e->u.prim.nats[0]);
    struct lift_value x = eval_arg(ev, e, 0, scope);

    if (i < 0 || i >= x.count)
        eval_fail(ev, "'at' reads element '%lld' of '%lld'", (long long)i,
                  (long long)x.count);
    return eval_elem(ev, &x, i);
}

static struct lift_value slide_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    return eval_slice(ev, a->x, a->b * i, a->a);
}

struct lift_value eval_split(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    int64_t k = eval_nat_arg(ev, e, 0);
    struct lift_value x = eval_arg(ev, e, 0, scope);

    if (k < 1 || x.count % k)
        eval_fail(ev, "'split' of '%lld' elements by '%lld', which does not divide",
                  (long long)x.count, (long long)k);
    return eval_view(ev, slide_elem, x.count / k, x, k, k);
}

/* The length of a row of 'x', an array of type 't'; 0 if there is no row. A constant
 * length in the type avoids evaluating a row, which may be a view of views. */
static int64_t row_length(struct eval *ev, const struct lift_value *x, lift_type t)
{
    int64_t n;

    if (lift_nat_is_const(t->elem->len, &n) || x->count == 0)
        return x->count ? n : 0;
    return eval_elem(ev, x, 0).count;
}

static struct lift_value join_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    struct lift_value row = eval_elem(ev, &a->x, i / a->a);

    LIFT_ASSERT(row.count == a->a);
    return eval_elem(ev, &row, i % a->a);
}

struct lift_value eval_join(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);
    int64_t m = row_length(ev, &x, e->u.prim.args[0]->type), count;

    if (__builtin_mul_overflow(x.count, m, &count))
        eval_fail(ev, "'join' makes too long an array");
    return eval_view(ev, join_elem, count, x, m, 0);
}

struct lift_value eval_windows(struct eval *ev, lift_expr e, struct lift_value x)
{
    int64_t size = eval_nat_arg(ev, e, 0), step = eval_nat_arg(ev, e, 1);
    const char *name = lift_prim_info(e->op)->name;

    if (size < 1 || step < 1)
        eval_fail(ev, "'%s' with window '%lld' and step '%lld'", name, (long long)size,
                  (long long)step);
    if (size > x.count)
        eval_fail(ev, "'%s' with a window of '%lld' over '%lld' elements", name,
                  (long long)size, (long long)x.count);
    return eval_view(ev, slide_elem, (x.count - size) / step + 1, x, size, step);
}

struct lift_value eval_slide(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    return eval_windows(ev, e, eval_arg(ev, e, 0, scope));
}

static struct lift_value shifted_elem(struct eval *ev, const struct lift_lazy *a,
                                      int64_t i)
{
    int64_t last = a->x.count - a->a;

    return eval_slice(ev, a->x, a->b * i < last ? a->b * i : last, a->a);
}

struct lift_value eval_slide_shift(struct eval *ev, lift_expr e,
                                   const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope), out = eval_windows(ev, e, x);
    int64_t size = out.u.lazy->a, step = out.u.lazy->b;

    return eval_view(ev, shifted_elem, (x.count - size + step - 1) / step + 1, x, size,
                     step);
}

/* Takes an element of two rows from the first row; the second row has an equal
 * element. */
static struct lift_value join_shift_elem(struct eval *ev, const struct lift_lazy *a,
                                         int64_t i)
{
    int64_t row = i / a->a, last = a->b - a->a;
    int64_t start = row * a->a < last ? row * a->a : last;
    struct lift_value x = eval_elem(ev, &a->x, row);

    LIFT_ASSERT(x.count == a->a);
    return eval_elem(ev, &x, i - start);
}

struct lift_value eval_join_shift(struct eval *ev, lift_expr e,
                                  const struct eval_scope *scope)
{
    int64_t n = eval_nat_arg(ev, e, 0);
    struct lift_value x = eval_arg(ev, e, 0, scope);
    int64_t k = row_length(ev, &x, e->u.prim.args[0]->type);

    if (k < 1 || k > n || x.count != (n - 1) / k + 1)
        eval_fail(ev, "'joinShift' of '%lld' rows of '%lld' into '%lld' elements",
                  (long long)x.count, (long long)k, (long long)n);
    return eval_view(ev, join_shift_elem, n, x, k, n);
}

struct lift_value eval_in_place(struct eval *ev, lift_expr e,
                                const struct eval_scope *scope)
{
    return eval_arg(ev, e, 1, scope);
}

static struct lift_value column_elem(struct eval *ev, const struct lift_lazy *a,
                                     int64_t j)
{
    struct lift_value row = eval_elem(ev, &a->x, j);

    LIFT_ASSERT(row.count == a->b);
    return eval_elem(ev, &row, a->a);
}

static struct lift_value transpose_elem(struct eval *ev, const struct lift_lazy *a,
                                        int64_t i)
{
    return eval_view(ev, column_elem, a->x.count, a->x, i, a->a);
}

/* The type gives the length of rows, since the array may have no row. */
struct lift_value eval_transpose(struct eval *ev, lift_expr e,
                                 const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);
    int64_t m = x.count > 0 ? row_length(ev, &x, e->u.prim.args[0]->type)
                            : eval_nat(ev, e->type->len);

    if (m < 0)
        eval_fail(ev, "'transpose' of rows of '%lld' elements", (long long)m);
    return eval_view(ev, transpose_elem, m, x, m, 0);
}

static struct lift_value outside(struct eval *ev, struct lift_value like, int64_t at,
                                 int64_t count);

static struct lift_value outside_elem(struct eval *ev, const struct lift_lazy *a,
                                      int64_t i)
{
    return outside(ev, eval_elem(ev, &a->x, i), a->a, a->b);
}

/* The value at index 'at' outside of 'count' elements, shaped as 'like'. A scalar is an
 * error. An array is a placeholder that fails when one of its scalars is read. */
static struct lift_value outside(struct eval *ev, struct lift_value like, int64_t at,
                                 int64_t count)
{
    if (like.kind != LIFT_VALUE_ARRAY && like.kind != LIFT_VALUE_LAZY)
        eval_fail(ev, "'reorder' reads element '%lld' of '%lld'", (long long)at,
                  (long long)count);
    return eval_view(ev, outside_elem, like.count, like, at, count);
}

static struct lift_value reorder_elem(struct eval *ev, const struct lift_lazy *a,
                                      int64_t i)
{
    struct lift_value index = lift_value_int(eval_int(ev, i, "reorder"));
    struct lift_value from = eval_apply(ev, a->fun, a->scope, &index, 1);

    if (from.u.integer < 0 || from.u.integer >= a->x.count)
        return outside(ev,
                       a->x.count > 0 ? eval_elem(ev, &a->x, 0)
                                      : (struct lift_value){.kind = LIFT_VALUE_NONE},
                       from.u.integer, a->x.count);
    return eval_elem(ev, &a->x, from.u.integer);
}

struct lift_value eval_reorder(struct eval *ev, lift_expr e,
                               const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 1, scope), out;
    struct lift_lazy *a = eval_lazy(ev, reorder_elem, x.count, &out);

    a->x = x;
    a->fun = e->u.prim.args[0];
    a->scope = scope;
    return out;
}

static int64_t part(struct eval *ev, lift_expr e, int64_t n)
{
    int64_t m = eval_nat_arg(ev, e, 0);

    if (m > n)
        eval_fail(ev, "'%s' of '%lld' of '%lld' elements", lift_prim_info(e->op)->name,
                  (long long)m, (long long)n);
    return m;
}

struct lift_value eval_take(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);

    return eval_slice(ev, x, 0, part(ev, e, x.count));
}

struct lift_value eval_drop(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);
    int64_t m = part(ev, e, x.count);

    return eval_slice(ev, x, m, x.count - m);
}

static struct lift_value concat_elem(struct eval *ev, const struct lift_lazy *a,
                                     int64_t i)
{
    const struct lift_value *x = a->xs;

    for (; i >= x->count; x++)
        i -= x->count;
    return eval_elem(ev, x, i);
}

struct lift_value eval_concat(struct eval *ev, lift_expr e,
                              const struct eval_scope *scope)
{
    const struct lift_value *xs = eval_args(ev, e, scope);
    struct lift_value out;
    int64_t count = 0;

    for (int i = 0; i < e->arg_count; i++)
        count = eval_add_counts(ev, e, count, xs[i].count);
    eval_lazy(ev, concat_elem, count, &out)->xs = xs;
    return out;
}

static struct lift_value vector_elem(struct eval *ev, const struct lift_lazy *a,
                                     int64_t i)
{
    struct lift_value out = {LIFT_VALUE_VECTOR, a->a, {0}};
    struct lift_value *lanes = eval_alloc(ev, a->a, sizeof *lanes);

    for (int64_t k = 0; k < a->a; k++)
        lanes[k] = eval_elem(ev, &a->x, a->a * i + k);
    out.u.items = lanes;
    return out;
}

struct lift_value eval_as_vector(struct eval *ev, lift_expr e,
                                 const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);
    int64_t w = e->type->elem->count;

    if (x.count % w)
        eval_fail(ev, "'asVector' of '%lld' elements by '%lld', which does not divide",
                  (long long)x.count, (long long)w);
    return eval_view(ev, vector_elem, x.count / w, x, w, 0);
}

static struct lift_value lane_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    return eval_elem(ev, &a->x, i / a->a).u.items[i % a->a];
}

struct lift_value eval_as_scalar(struct eval *ev, lift_expr e,
                                 const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);
    int64_t w = e->u.prim.args[0]->type->elem->count, count;

    if (__builtin_mul_overflow(x.count, w, &count))
        eval_fail(ev, "'asScalar' makes too long an array");
    return eval_view(ev, lane_elem, count, x, w, 0);
}
