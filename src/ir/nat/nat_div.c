/* Division: see the normal form in nat.c. */
#include "ir/nat/nat_t.h"

/* True if k * d <= x < (k + 1) * d for all values of the variables. */
static bool holds(lift_nat x, lift_nat d, int64_t k)
{
    struct lift_nats *nats = x->pool;
    lift_nat low = nat_try_madd(x, d, -k, nats->one), high, gap;

    if (!low)
        return false;
    high = nat_try_sub(d, low);
    gap = high ? nat_try_sub(high, lift_nat_const(nats, 1)) : NULL;
    return gap && nat_proves_ge0(low) && nat_proves_ge0(gap);
}

/* Tests each quotient within the ranges, or at most three near 0 if there are more. */
static bool decide_value(lift_nat x, lift_nat d, int64_t *k)
{
    struct nat_range q = nat_range_div(nat_range(x), nat_range(d));

    *k = q.lo;
    if (q.lo == q.hi)
        return true;
    if (lift_nat_is_const(d, NULL) && !x->pool->fact_count)
        return false;
    if (q.lo < -1 || q.lo > 1)
        q.lo = -1;
    if (q.hi > q.lo + 2)
        q.hi = q.lo + 2;
    for (*k = q.lo; *k <= q.hi; ++*k)
        if (holds(x, d, *k))
            return true;
    return false;
}

/* The coefficient in -d/2 .. d/2 with the remainder of 'c'. */
static int64_t centred(int64_t c, int64_t d)
{
    c = nat_floor_mod(c, d);
    return c > d - c ? c - d : c;
}

/* The coefficient at which div(y, e) cancels against y, if 'x' contains the leading term
 * of y; otherwise 0. */
static int64_t cancelling(lift_nat x, const struct nat_atom *div, int64_t d)
{
    lift_nat y;
    int64_t e, c;

    if (!div || !div->a->count || !lift_nat_is_const(div->b, &e))
        return 0;
    y = div->a;
    for (int i = 0; i < x->count; i++) {
        c = centred(x->terms[i].coef, d);
        if (x->terms[i].mono == y->terms[0].mono && c % y->terms[0].coef == 0 &&
            !__builtin_mul_overflow(-(c / y->terms[0].coef), e, &c))
            return c;
    }
    return 0;
}

/* x = d * q + r, where r has the narrowest range of all equivalent remainders: its
 * coefficients are near 0, or near cancellation. */
static bool centre(lift_nat x, int64_t d, lift_nat *q, lift_nat *r)
{
    struct lift_nats *nats = x->pool;
    struct nat_sum quot, rest;
    bool fits = true;

    nat_sum_init(&quot);
    nat_sum_init(&rest);
    for (int i = 0; fits && i < x->count; i++) {
        struct nat_term t = x->terms[i];
        int64_t near = cancelling(x, nat_mono_is(t.mono, LIFT_ATOM_DIV), d), c, gap;

        fits = !__builtin_sub_overflow(t.coef, near, &c) &&
               !__builtin_add_overflow(near, centred(c, d), &c) &&
               !__builtin_sub_overflow(t.coef, c, &gap);
        if (fits && gap)
            nat_sum_push(&quot, gap / d, t.mono);
        if (fits && c)
            nat_sum_push(&rest, c, t.mono);
    }
    if (fits) {
        *q = nat_intern(nats, nat_sum_view(&quot));
        *r = nat_intern(nats, nat_sum_view(&rest));
    }
    nat_sum_fini(&quot);
    nat_sum_fini(&rest);
    return fits;
}

static bool decide_centred(lift_nat x, int64_t d, lift_nat *value)
{
    lift_nat q, r;
    int64_t k;

    if (!centre(x, d, &q, &r) || !q->count ||
        !decide_value(r, lift_nat_const(x->pool, d), &k))
        return false;
    *value = lift_nat_add_const(q, k);
    return true;
}

/* Decides whether the quotient is a sum without a new div. 'x' is already reduced by
 * 'd'. */
static bool decide(lift_nat x, lift_nat d, lift_nat *value)
{
    int64_t k, c;

    if (!x->count) {
        *value = x;
        return true;
    }
    if (decide_value(x, d, &k)) {
        *value = lift_nat_const(x->pool, k);
        return true;
    }
    return lift_nat_is_const(d, &c) && decide_centred(x, c, value);
}

/* floor(n / g), if the result needs no new div. */
static lift_nat quot_decided(lift_nat n, lift_nat g)
{
    lift_nat q, r, value;

    if (!nat_reduce(n, g, &q, &r) || !decide(r, g, &value))
        return NULL;
    return nat_try_madd(q, value, 1, n->pool->one);
}

/* d = g * d': div(x, d) = div(div(x, g), d'), if div(x, g) needs no new div. */
static lift_nat cancel_by(lift_nat x, lift_nat d, struct nat_term g)
{
    lift_nat zero = lift_nat_const(x->pool, 0), one = lift_nat_const(x->pool, 1);
    lift_nat factor = nat_try_madd(zero, one, g.coef, g.mono);
    lift_nat inner = quot_decided(x, factor);

    return inner ? lift_nat_div(inner, nat_quot_term(d, g)) : NULL;
}

/* Cancels the gcd of a term of 'x' and of all terms of 'd', for the first term of 'x'
 * that permits this. Only factors that are at least 1 may be cancelled. */
static lift_nat cancel(lift_nat x, lift_nat d)
{
    struct nat_term all = nat_content(d);
    lift_nat result = NULL;

    all.mono = nat_mono_at_least(x->pool, all.mono, 1);
    for (int i = 0; !result && i < x->count; i++) {
        struct nat_term t = x->terms[i], g;

        g.coef = nat_gcd(t.coef, all.coef);
        g.mono = nat_mono_gcd(x->pool, t.mono, all.mono);
        if (t.mono->count && (g.coef > 1 || g.mono->count))
            result = cancel_by(x, d, g);
    }
    return result;
}

/* Simplifies by div(div(y, a) + z, d) = div(y + a*z, a*d), for a and d of one term. */
static lift_nat flatten(lift_nat x, lift_nat d)
{
    if (d->count != 1)
        return NULL;
    for (int i = 0; i < x->count; i++) {
        const struct nat_atom *in = nat_mono_is(x->terms[i].mono, LIFT_ATOM_DIV);
        struct nat_term a;
        lift_nat z, y, all;

        if (!in || x->terms[i].coef != 1 || in->b->count != 1)
            continue;
        a = in->b->terms[0];
        z = nat_try_sub(x, in->self);
        y = z ? nat_try_madd(in->a, z, a.coef, a.mono) : NULL;
        all = nat_try_mul(d, in->b);
        return y && all ? lift_nat_div(y, all) : NULL;
    }
    return NULL;
}

lift_nat lift_nat_div(lift_nat x, lift_nat d)
{
    lift_nat q, r, rest;

    if (lift_nat_is(d, 1))
        return x;
    if (nat_range(d).hi < 1)
        return nat_intern_atom(x->pool, LIFT_ATOM_DIV, x, d);
    if (!nat_reduce(x, d, &q, &r)) {
        q = lift_nat_const(x->pool, 0);
        r = x;
    }
    if (!decide(r, d, &rest)) {
        rest = cancel(r, d);
        rest = rest ? rest : flatten(r, d);
        rest = rest ? rest : nat_intern_atom(x->pool, LIFT_ATOM_DIV, r, d);
    }
    return lift_nat_add(q, rest);
}

lift_nat lift_nat_mod(lift_nat a, lift_nat b)
{
    return lift_nat_sub(a, lift_nat_mul(b, lift_nat_div(a, b)));
}

lift_nat lift_nat_ceil_div(lift_nat a, lift_nat b)
{
    return lift_nat_div(lift_nat_add_const(lift_nat_add(a, b), -1), b);
}
