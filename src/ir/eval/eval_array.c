/* Functions on arrays. A map computes an element on first use. The map caches elements
 * that its function computes, and elements that are arrays, since several of their
 * elements are read. Moved numbers are not cached: a new lookup is cheaper. */
#include "ir/eval/eval_core.h"

static bool computes(struct eval *ev, lift_expr e);

static bool op_computes(enum lift_op op)
{
    if (lift_prim_info(op)->level == LIFT_LEVEL_SCALAR)
        return op != LIFT_NAT && op != LIFT_SPLAT;
    return lift_op_is_reduce(op) || op == LIFT_ITERATE;
}

/* Ignores the function of a reorder, which is index arithmetic. */
static bool children_compute(struct eval *ev, lift_expr e)
{
    int first = lift_expr_is(e, LIFT_REORDER) ? 1 : 0;

    for (int i = first; i < lift_expr_child_count(e); i++)
        if (computes(ev, lift_expr_child(e, i)))
            return true;
    return false;
}

static bool computes(struct eval *ev, lift_expr e)
{
    static char yes, no;
    void *known = lift_ptrmap_get(&ev->costs, e);

    eval_check_depth(ev);
    if (!known) {
        bool does = e->kind == LIFT_EXPR_PRIM && op_computes(e->op);

        known = does || children_compute(ev, e) ? &yes : &no;
        lift_ptrmap_put(&ev->costs, e, known);
    }
    return known == &yes;
}

static bool is_flat(lift_type t)
{
    if (t->kind == LIFT_TYPE_TUPLE)
        for (int i = 0; i < t->count; i++)
            if (!is_flat(t->parts[i]))
                return false;
    return t->kind != LIFT_TYPE_ARRAY;
}

/* The array of 'count' elements that 'elem' computes by the function of 'e' in slot 0. */
static struct lift_lazy *lazy_fun(struct eval *ev, eval_elem_fn *elem, int64_t count,
                                  lift_expr e, struct lift_value *out)
{
    struct lift_lazy *a = eval_lazy(ev, elem, count, out);

    a->fun = e->u.prim.args[0];
    a->flat = is_flat(e->type->elem);
    a->cached = !a->flat || computes(ev, a->fun);
    return a;
}

static struct lift_value map_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    struct lift_value x = eval_elem(ev, &a->x, i);

    return eval_apply(ev, a->fun, a->scope, &x, 1);
}

static struct lift_value map_over(struct eval *ev, lift_expr e,
                                  const struct eval_scope *scope, struct lift_value x)
{
    struct lift_value out;
    struct lift_lazy *a = lazy_fun(ev, map_elem, x.count, e, &out);

    a->scope = scope;
    a->x = x;
    return out;
}

struct lift_value eval_map(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    return map_over(ev, e, scope, eval_arg(ev, e, 1, scope));
}

struct lift_value eval_map_seq_slide(struct eval *ev, lift_expr e,
                                     const struct eval_scope *scope)
{
    return map_over(ev, e, scope, eval_windows(ev, e, eval_arg(ev, e, 1, scope)));
}

static struct lift_value array_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    struct lift_value index = lift_value_int(eval_int(ev, i, "array"));

    return eval_apply(ev, a->fun, a->scope, &index, 1);
}

struct lift_value eval_array(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    int64_t n = eval_nat(ev, e->u.prim.nats[0]);
    struct lift_value out;

    if (n < 0)
        eval_fail(ev, "'array' of '%lld' elements", (long long)n);
    lazy_fun(ev, array_elem, n, e, &out)->scope = scope;
    return out;
}

/* A value that each step replaces. Only the last value is kept, fully computed, so that
 * steps do not nest. */
struct fold {
    lift_expr fun;
    const struct eval_scope *scope;
    struct lift_value state;
    struct eval_region *home; /* the region of 'state' */
};

static void fold_step(struct eval *ev, struct fold *f, const struct lift_value *xs,
                      int64_t i)
{
    struct eval_region *outer = ev->here, *home = eval_region_open(&ev->regions);
    struct lift_value args[2] = {f->state};

    ev->here = eval_region_open(&ev->regions);
    if (xs)
        args[1] = eval_elem(ev, xs, i);
    f->state = eval_force(ev, eval_apply(ev, f->fun, f->scope, args, xs ? 2 : 1), home);
    eval_region_close(&ev->regions, ev->here);
    eval_region_close(&ev->regions, f->home);
    f->home = home;
    ev->here = outer;
}

static struct lift_value fold(struct eval *ev, struct fold *f,
                              const struct lift_value *xs, int64_t steps)
{
    struct lift_value out;

    f->home = eval_region_open(&ev->regions);
    for (int64_t i = 0; i < steps; i++)
        fold_step(ev, f, xs, i);
    out = steps > 0 ? eval_force(ev, f->state, ev->here) : f->state;
    eval_region_close(&ev->regions, f->home);
    return out;
}

struct lift_value eval_reduce(struct eval *ev, lift_expr e,
                              const struct eval_scope *scope)
{
    struct lift_value xs = eval_arg(ev, e, 2, scope);
    struct fold f = {e->u.prim.args[0], scope, eval_arg(ev, e, 1, scope), NULL};

    return fold(ev, &f, &xs, xs.count);
}

struct lift_value eval_iterate(struct eval *ev, lift_expr e,
                               const struct eval_scope *scope)
{
    int64_t m = eval_nat(ev, e->u.prim.nats[0]);
    struct fold f = {e->u.prim.args[0], scope, eval_arg(ev, e, 1, scope), NULL};

    if (m < 0)
        eval_fail(ev, "'iterate' of '%lld' steps", (long long)m);
    return fold(ev, &f, NULL, m);
}

struct lift_value eval_let(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    struct lift_value value = eval_arg(ev, e, 0, scope);

    return eval_apply(ev, e->u.prim.args[1], scope, &value, 1);
}

/* Storage primitives do not change the value. */
struct lift_value eval_identity(struct eval *ev, lift_expr e,
                                const struct eval_scope *scope)
{
    return eval_arg(ev, e, 0, scope);
}

static struct lift_value kept(struct eval *ev, struct lift_value v, lift_type t);

static struct lift_value kept_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    return kept(ev, eval_elem(ev, &a->x, i), a->user);
}

/* An array whose elements are cached, so that views evaluate each element once. */
static struct lift_value kept(struct eval *ev, struct lift_value v, lift_type t)
{
    struct lift_lazy *a;
    struct lift_value x = v;

    if (v.kind != LIFT_VALUE_LAZY || v.u.lazy->cached)
        return v;
    a = eval_lazy(ev, kept_elem, x.count, &v);
    a->x = x;
    a->user = t->elem;
    a->flat = is_flat(t->elem);
    a->cached = true;
    return v;
}

/* Stored values are read several times, so their elements are cached. */
struct lift_value eval_stored(struct eval *ev, lift_expr e,
                              const struct eval_scope *scope)
{
    return kept(ev, eval_arg(ev, e, 0, scope), e->type);
}
