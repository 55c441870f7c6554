/* 'inset': a grid inside the border of another grid. */
#include "ir/eval/eval_core.h"

static struct lift_value inset_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    int64_t at = i - a->a;

    if (at >= 0 && at < a->x.count)
        return eval_elem(ev, &a->x, at);
    return eval_elem(ev, &a->xs[0], i);
}

struct lift_value eval_inset(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    const struct lift_value *xs = eval_args(ev, e, scope);
    struct lift_value out;

    eval_padded(ev, e, inset_elem, xs[1], &out)->xs = xs;
    if (out.count != xs[0].count)
        eval_fail(ev, "'inset' of '%lld' elements in a border of '%lld'",
                  (long long)out.count, (long long)xs[0].count);
    return out;
}

/* A box of 'dims' dimensions; first[d] is its first index in dimension d. */
struct box {
    int dims;
    const int64_t *first;
};

static struct lift_value box_in(struct eval *ev, const struct box *box,
                                const struct lift_value *border,
                                const struct lift_value *x);

/* A row of the border, or a row that contains a row of the box. */
static struct lift_value box_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    const struct box *box = a->user;
    struct lift_value row = eval_elem(ev, &a->xs[0], i), x;
    struct box inner = {box->dims - 1, box->first + 1};
    int64_t at = i - box->first[0];

    if (at < 0 || at >= a->x.count)
        return row;
    x = eval_elem(ev, &a->x, at);
    return inner.dims ? box_in(ev, &inner, &row, &x) : x;
}

static struct lift_value box_in(struct eval *ev, const struct box *box,
                                const struct lift_value *border,
                                const struct lift_value *x)
{
    struct lift_value *kept = eval_alloc(ev, 1, sizeof *kept), out;
    struct lift_lazy *a = eval_lazy(ev, box_elem, border->count, &out);
    struct box *own = eval_alloc(ev, 1, sizeof *own);

    if (box->first[0] > border->count - x->count)
        eval_fail(ev, "'insetBox' of '%lld' elements at '%lld' in a border of '%lld'",
                  (long long)x->count, (long long)box->first[0],
                  (long long)border->count);
    *kept = *border;
    *own = *box;
    a->x = *x;
    a->xs = kept;
    a->user = own;
    return out;
}

struct lift_value eval_inset_box(struct eval *ev, lift_expr e,
                                 const struct eval_scope *scope)
{
    int64_t *first = eval_alloc(ev, LIFT_MAX_NATS, sizeof *first);
    const struct lift_value *xs = eval_args(ev, e, scope);

    for (int k = 0; k < LIFT_MAX_NATS; k++)
        first[k] = eval_nat_arg(ev, e, k);
    return box_in(ev, &(struct box){e->u.prim.attrs.box.dims, first}, &xs[0], &xs[1]);
}
