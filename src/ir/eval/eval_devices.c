/* Parts of a grid, each with elements of the parts beside it. */
#include "ir/cut.h"
#include "ir/eval/eval_core.h"

/* How a grid is cut. */
struct cut {
    int64_t count, before, after;
    bool ring;
    int64_t *begin; /* of each part in the grid, and the end of the last one */
};

static bool has_before(const struct cut *c, int64_t i)
{
    return c->ring || i > 0;
}

static bool has_after(const struct cut *c, int64_t i)
{
    return c->ring || i + 1 < c->count;
}

/* Elements of part 'i', with those beside it. */
static int64_t length(const struct cut *c, int64_t i)
{
    return c->begin[i + 1] - c->begin[i] + (has_before(c, i) ? c->before : 0) +
           (has_after(c, i) ? c->after : 0);
}

static int64_t ghosts(const struct cut *c)
{
    return (c->ring ? c->count : c->count - 1) * (c->before + c->after);
}

static void check_parts(struct eval *ev, const struct cut *c)
{
    int64_t most = c->before > c->after ? c->before : c->after;

    for (int64_t i = 0; i < c->count; i++) {
        int64_t own = c->begin[i + 1] - c->begin[i];

        if (own < 1)
            eval_fail(ev, "part %lld of %lld has no element", (long long)i + 1,
                      (long long)c->count);
        if (own < most && (c->ring || c->count > 1))
            eval_fail(
                ev, "part %lld of %lld has '%lld' elements, and '%lld' are exchanged",
                (long long)i + 1, (long long)c->count, (long long)own, (long long)most);
    }
}

static int64_t *shares_of(struct eval *ev, lift_expr e, const struct lift_value *shares)
{
    int64_t *of = eval_alloc(ev, shares->count, sizeof *of), all = 0;

    for (int64_t i = 0; i < shares->count; i++) {
        of[i] = eval_elem(ev, shares, i).u.integer;
        all += of[i];
        if (of[i] < 1)
            eval_fail(ev, "'%s' with a share of '%lld'", lift_prim_info(e->op)->name,
                      (long long)of[i]);
        if (all > LIFT_MAX_SHARES)
            eval_fail(ev, "'%s' with shares that add up to more than '%d'",
                      lift_prim_info(e->op)->name, LIFT_MAX_SHARES);
    }
    return of;
}

static struct cut cut_of(struct eval *ev, lift_expr e, struct lift_value shares,
                         int64_t n)
{
    struct cut c = {.count = shares.count,
                    .before = eval_nat_arg(ev, e, 0),
                    .after = eval_nat_arg(ev, e, 1)};
    int64_t *of;

    c.ring = (e->op == LIFT_MAP_DEVICE ? e->u.prim.attrs.device.ends
                                       : e->u.prim.attrs.exchange.ends) == LIFT_ENDS_RING;
    if (c.count < 1 || c.count > LIFT_MAX_PARTS)
        eval_fail(ev, "'%s' of '%lld' parts", lift_prim_info(e->op)->name,
                  (long long)c.count);
    of = shares_of(ev, e, &shares);
    c.begin = eval_alloc(ev, c.count + 1, sizeof *c.begin);
    n -= e->op == LIFT_MAP_DEVICE ? ghosts(&c) : 0;
    if (n < 0)
        eval_fail(ev, "'mapDevice' of '%lld' elements", (long long)n);
    lift_share_out(of, (int)c.count, n, c.begin);
    check_parts(ev, &c);
    return c;
}

/* ---- exchange */

/* 'xs' has the place of each element. */
static struct lift_value exchanged_elem(struct eval *ev, const struct lift_lazy *a,
                                        int64_t i)
{
    return eval_elem(ev, &a->x, a->xs[i].u.integer);
}

struct lift_value eval_exchange(struct eval *ev, lift_expr e,
                                const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 1, scope), out;
    struct cut c = cut_of(ev, e, eval_arg(ev, e, 0, scope), x.count);
    int64_t all = eval_add_counts(ev, e, x.count, ghosts(&c)), at = 0;
    struct lift_value *places = eval_alloc(ev, all, sizeof *places);
    struct lift_lazy *a;

    for (int64_t i = 0; i < c.count; i++) {
        int64_t first = c.begin[i] - (has_before(&c, i) ? c.before : 0);

        for (int64_t k = 0; k < length(&c, i); k++)
            places[at++] = lift_value_int((first + k + x.count) % x.count);
    }
    a = eval_lazy(ev, exchanged_elem, all, &out);
    a->x = x;
    a->xs = places;
    return out;
}

/* ---- mapDevice */

/* All that an element of the result needs: it is computed while the length of its part is
 * known. */
struct parts {
    struct cut cut;
    const char *name; /* of the length */
    struct lift_value *made;
};

static struct eval_part enter(struct eval *ev, const struct parts *p, int64_t i)
{
    struct eval_part part = {p->name, length(&p->cut, i), ev->parts};

    for (const struct eval_part *o = ev->parts; o; o = o->outer)
        if (o->name == part.name)
            eval_fail(ev, "'mapDevice' inside of another one of the same dimension");
    return part;
}

static struct lift_value kept_elem(struct eval *ev, const struct lift_lazy *a, int64_t i)
{
    const struct parts *p = a->user;
    const struct lift_value *grid;
    struct eval_part part;
    struct lift_value v;
    int64_t k = 0;

    while (i >= p->cut.begin[k + 1])
        k++;
    part = enter(ev, p, k);
    i += (has_before(&p->cut, k) ? p->cut.before : 0) - p->cut.begin[k];
    grid = a->a >= 0 ? &p->made[k].u.items[a->a] : &p->made[k];
    ev->parts = &part;
    v = eval_force(ev, eval_elem(ev, grid, i), a->home);
    ev->parts = part.outer;
    return v;
}

/* Member 'k' of the result, or the result itself if that is below 0. */
static struct lift_value kept(struct eval *ev, const struct parts *p, int64_t k)
{
    struct lift_value out;
    struct lift_lazy *a = eval_lazy(ev, kept_elem, p->cut.begin[p->cut.count], &out);

    a->user = p;
    a->a = k;
    a->cached = true;
    return out;
}

/* Elements of part 'i' in a grid, or in the members of a tuple. */
static struct lift_value part_of(struct eval *ev, struct lift_value x, int64_t at,
                                 int64_t count)
{
    struct lift_value *items;

    if (x.kind != LIFT_VALUE_TUPLE)
        return eval_slice(ev, x, at, count);
    items = eval_alloc(ev, x.count, sizeof *items);
    for (int64_t k = 0; k < x.count; k++)
        items[k] = eval_slice(ev, x.u.items[k], at, count);
    x.u.items = items;
    return x;
}

static void make_parts(struct eval *ev, lift_expr e, const struct eval_scope *scope,
                       struct lift_value x, struct parts *p)
{
    int64_t n = p->cut.begin[p->cut.count], at = 0;

    for (int64_t i = 0; i < p->cut.count; i++) {
        int64_t first = p->cut.begin[i] - (has_before(&p->cut, i) ? p->cut.before : 0);
        struct eval_part part = enter(ev, p, i);
        struct lift_value args[2];

        args[0] = lift_value_int(n ? (first + n) % n : 0);
        args[1] = part_of(ev, x, at, part.length);
        ev->parts = &part;
        p->made[i] = eval_apply(ev, e->u.prim.args[0], scope, args, 2);
        ev->parts = part.outer;
        at += part.length;
    }
}

struct lift_value eval_map_device(struct eval *ev, lift_expr e,
                                  const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 2, scope), out = {LIFT_VALUE_TUPLE, 0, {0}};
    struct parts *p = eval_alloc(ev, 1, sizeof *p);
    int64_t all = x.kind == LIFT_VALUE_TUPLE ? x.u.items[0].count : x.count;
    struct lift_value *items;

    p->cut = cut_of(ev, e, eval_arg(ev, e, 1, scope), all);
    p->name = lift_part_name(e->u.prim.attrs.device.dim);
    p->made = eval_alloc(ev, p->cut.count, sizeof *p->made);
    make_parts(ev, e, scope, x, p);
    if (e->type->kind == LIFT_TYPE_ARRAY)
        return kept(ev, p, -1);
    out.count = e->type->count;
    items = eval_alloc(ev, out.count, sizeof *items);
    for (int64_t k = 0; k < out.count; k++)
        items[k] = kept(ev, p, k);
    out.u.items = items;
    return out;
}
