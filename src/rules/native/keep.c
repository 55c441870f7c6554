/* Values of single planes of a stream. The function may compute a value from each of
 * several planes of its window. These values become a separate stream, which is kept with
 * the window.
 *
 *     mapSeqSlide(fun(w => F(map(g, w), w)), n, s, x)
 *   = mapSeqSlide(fun(w => F(map(second, w), map(first, w))), n, s, zip(x, V))
 *     V = map(fun(p => toPrivate(g(p))), x)
 *
 * If the function reads no value of the last l planes, V is
 *
 *     pad(l, 0, any, map(fun(p => toPrivate(g(p))), take(len(x) - l, x)))
 *
 * and the function reads V l positions later. Each value is then computed just before its
 * first use.
 *
 * If x is a zip, V becomes an additional member of the zip. A view between map and window
 * is part of g: a part of the window, or a member of its planes. */
#include "base/number.h"
#include "rules/native/natives.h"
#include "rules/native/retime.h"
#include "rules/nd.h"

struct keeping {
    struct lift_ir *ir;
    lift_expr xs, w;                 /* the stream, and its window */
    lift_expr plane;                 /* a variable for an element of the stream */
    lift_expr values[LIFT_MAX_ARGS]; /* the kept values, computed from 'plane' */
    lift_expr uses[LIFT_MAX_ARGS];   /* arrays of these values in the function */
    int use_value[LIFT_MAX_ARGS];
    int value_count, use_count;
    int members;  /* number of members of the stream, excluding the values */
    bool several; /* keep only values that the function reads from several planes */
    int64_t lag;  /* distance from the newest plane to the plane of the newest value */
};

/* Returns the element of an array over the window, computed from 'plane'. NULL if 'e' is
 * not an array over the planes of the window. */
static lift_expr of_plane(struct keeping *k, lift_expr e)
{
    lift_expr x;

    if (e == k->w)
        return k->plane;
    if (lift_expr_is(e, LIFT_TAKE) || lift_expr_is(e, LIFT_DROP))
        return of_plane(k, e->u.prim.args[0]);
    if (!lift_expr_is(e, LIFT_MAP))
        return NULL;
    x = of_plane(k, e->u.prim.args[1]);
    return x ? lift_expr_apply(k->ir, e->u.prim.args[0], &x) : NULL;
}

static int value_number(struct keeping *k, lift_expr value)
{
    for (int i = 0; i < k->value_count; i++)
        if (k->values[i] == value)
            return i;
    if (k->members + k->value_count == LIFT_MAX_ARGS)
        return -1;
    k->values[k->value_count] = value;
    return k->value_count++;
}

static bool note_use(struct keeping *k, lift_expr e)
{
    lift_expr value = lift_expr_is(e, LIFT_MAP) && !e->loose ? of_plane(k, e) : NULL;
    int i;

    if (!value || value->type->kind != LIFT_TYPE_SCALAR || nd_is_view(value) ||
        nd_count(value, k->w, 1) || k->use_count == LIFT_MAX_ARGS)
        return false;
    i = value_number(k, value);
    if (i < 0)
        return false;
    k->uses[k->use_count] = e;
    k->use_value[k->use_count++] = i;
    return true;
}

static bool find_uses(void *keeping, lift_expr e)
{
    return !note_use(keeping, e);
}

static lift_nat number(struct keeping *k, int64_t value)
{
    return lift_nat_const(lift_ir_nats(k->ir), value);
}

/* Returns the stream of one value, delayed by 'lag' planes. */
static lift_expr stream_of_values(struct keeping *k, lift_expr value)
{
    lift_expr xs = k->xs, kept = lift_call1(k->ir, LIFT_TO_PRIVATE, value);

    if (k->lag)
        xs = lift_call_nat(k->ir, LIFT_TAKE, lift_nat_add_const(xs->type->len, -k->lag),
                           xs);
    xs = lift_map(k->ir, lift_fun(k->ir, kept, k->plane), xs);
    return k->lag ? lift_pad(k->ir, number(k, k->lag), number(k, 0), LIFT_PAD_ANY, xs)
                  : xs;
}

/* Zips the stream with the values. */
static lift_expr with_values(struct keeping *k)
{
    lift_expr all[LIFT_MAX_ARGS] = {k->xs};
    bool zipped = lift_expr_is(k->xs, LIFT_ZIP);

    for (int i = 0; zipped && i < k->members; i++)
        all[i] = k->xs->u.prim.args[i];
    for (int i = 0; i < k->value_count; i++)
        all[k->members + i] = stream_of_values(k, k->values[i]);
    return lift_call(k->ir, LIFT_ZIP, all, k->members + k->value_count);
}

/* Returns member 'i' of the planes of 'v', in the range of the window that 'e' covers. */
static lift_expr kept_of(struct keeping *k, lift_expr e, int i, lift_expr v)
{
    if (e == k->w) {
        v = nd_map_get(k->ir, i, v);
        if (!k->lag)
            return v;
        return lift_pad(k->ir, number(k, 0), number(k, k->lag), LIFT_PAD_ANY,
                        lift_call_nat(k->ir, LIFT_DROP, number(k, k->lag), v));
    }
    if (lift_expr_is(e, LIFT_MAP))
        return kept_of(k, e->u.prim.args[1], i, v);
    return lift_call_nat(k->ir, e->op, e->u.prim.nats[0],
                         kept_of(k, e->u.prim.args[0], i, v));
}

/* Returns a plane without its kept values. */
static lift_expr without_values(struct lift_ir *ir, void *user, lift_expr q)
{
    const struct keeping *k = user;
    lift_expr members[LIFT_MAX_ARGS];

    if (!lift_expr_is(k->xs, LIFT_ZIP))
        return lift_get(ir, 0, q);
    for (int i = 0; i < k->members; i++)
        members[i] = lift_get(ir, i, q);
    return lift_call(ir, LIFT_TUPLE, members, k->members);
}

/* Replaces remaining uses of the old window in 'e' by the window 'v' of the new stream.
 */
static lift_expr of_new_window(struct keeping *k, lift_expr e, lift_expr v)
{
    lift_type plane = v->type->elem;
    int64_t len = 0;

    lift_nat_is_const(v->type->len, &len);
    for (int i = 0; lift_expr_is(k->xs, LIFT_ZIP) && i < k->members; i++) {
        for (int64_t at = 0; at < len; at++)
            e = nd_replace(k->ir, e, lift_get(k->ir, i, lift_at(k->ir, at, k->w)),
                           lift_get(k->ir, i, lift_at(k->ir, at, v)));
        e = nd_replace(k->ir, e, nd_map_get(k->ir, i, k->w), nd_map_get(k->ir, i, v));
    }
    return nd_replace(
        k->ir, e, k->w,
        lift_map(k->ir, lift_lambda(k->ir, "q", plane, without_values, k), v));
}

struct made {
    lift_expr xs, v, body; /* the stream, its window, and the body of the function */
};

/* Makes the new stream, window and body; false on a type error. */
static bool make(struct keeping *k, lift_nat size, lift_expr body, struct made *m)
{
    m->xs = with_values(k);
    if (!m->xs)
        return false;
    m->v = lift_fresh(k->ir, "w", lift_type_array(k->ir, m->xs->type->elem, size));
    for (int i = 0; i < k->use_count; i++)
        body = nd_replace(k->ir, body, k->uses[i],
                          kept_of(k, k->uses[i], k->members + k->use_value[i], m->v));
    m->body = of_new_window(k, body, m->v);
    return m->body != NULL;
}

/* For each value: the planes of the window 'v' from which the function reads the value,
 * one bit each. */
struct value_reads {
    const struct keeping *k;
    lift_expr v;
    uint64_t planes[LIFT_MAX_ARGS];
};

/* Records the reads in a term in normal form. */
static bool note_value(void *value_reads, lift_expr e)
{
    struct value_reads *r = value_reads;
    bool member = lift_expr_is(e, LIFT_GET) && lift_expr_is(e->u.prim.args[0], LIFT_AT) &&
                  e->u.prim.args[0]->u.prim.args[0] == r->v;
    int64_t at;

    if (member && lift_nat_is_const(e->u.prim.args[0]->u.prim.nats[0], &at)) {
        if (e->u.prim.attrs.get.k >= r->k->members)
            r->planes[e->u.prim.attrs.get.k - r->k->members] |= (uint64_t)1 << at;
        return false;
    }
    for (int i = 0; e == r->v && i < r->k->value_count; i++)
        r->planes[i] = UINT64_MAX;
    return e != r->v;
}

/* Finds the reads of all values; false if the analysis fails. */
static bool find_reads(struct keeping *k, const struct made *m, struct value_reads *r)
{
    lift_expr normal = retime_normal(k->ir, m->body);
    int64_t size;

    *r = (struct value_reads){.k = k, .v = m->v};
    if (!normal || !lift_nat_is_const(m->v->type->len, &size) || size > 63)
        return false;
    lift_expr_each(normal, note_value, r);
    return true;
}

/* Returns the delay of the values, in planes. The delay is equal for all values, so that
 * one step computes their common subexpressions. */
static int64_t lag_of(const struct value_reads *r)
{
    uint64_t planes = 0;
    int64_t size = 0, lag = 0;

    lift_nat_is_const(r->v->type->len, &size);
    for (int i = 0; i < r->k->value_count; i++)
        planes |= r->planes[i];
    while (planes && !(planes >> (size - 1 - lag) & 1))
        lag++;
    return lag;
}

/* Drops values that the function reads from only one plane. */
static void drop_single(struct keeping *k, struct value_reads *r)
{
    int number[LIFT_MAX_ARGS], values = 0, uses = 0;

    for (int i = 0; i < k->value_count; i++) {
        number[i] = __builtin_popcountll(r->planes[i]) > 1 ? values : -1;
        if (number[i] < 0)
            continue;
        k->values[values] = k->values[i];
        r->planes[values++] = r->planes[i];
    }
    for (int i = 0; i < k->use_count; i++)
        if (number[k->use_value[i]] >= 0) {
            k->uses[uses] = k->uses[i];
            k->use_value[uses++] = number[k->use_value[i]];
        }
    k->value_count = values;
    k->use_count = uses;
}

static void emit(struct keeping *k, struct rule_redex *redex, lift_expr body)
{
    struct lift_prim_args a;
    struct value_reads r;
    struct made m;

    lift_expr_args(redex->at, &a);
    if (!make(k, a.nats[0], body, &m))
        return;
    if (!find_reads(k, &m, &r)) {
        if (k->several)
            return;
    } else {
        if (k->several)
            drop_single(k, &r);
        k->lag = lag_of(&r);
        if (k->value_count == 0 || !make(k, a.nats[0], body, &m))
            return;
    }
    a.args[0] = lift_fun(k->ir, m.body, m.v);
    a.args[1] = m.xs;
    redex_emit(redex, lift_make(k->ir, LIFT_MAP_SEQ_SLIDE, &a));
}

static void keep(struct rule_redex *redex, bool several)
{
    lift_expr f = redex->at->u.prim.args[0], body;
    struct keeping k = {
        .ir = redex->ir, .xs = redex->at->u.prim.args[1], .several = several};

    if (f->loose || !lift_nat_is(redex->at->u.prim.nats[1], 1))
        return;
    k.members = lift_expr_is(k.xs, LIFT_ZIP) ? k.xs->arg_count : 1;
    k.w = lift_fresh(k.ir, "w", f->type->parts[0]);
    k.plane = lift_fresh(k.ir, "p", k.w->type->elem);
    body = lift_expr_apply(k.ir, f, &k.w);
    lift_expr_each(body, find_uses, &k);
    if (k.value_count)
        emit(&k, redex, body);
}

void rule_keep(struct rule_redex *redex)
{
    keep(redex, false);
}

void rule_keep_across(struct rule_redex *redex)
{
    keep(redex, true);
}
