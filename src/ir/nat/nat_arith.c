/* Sums and products of nats, and division of polynomials. */
#include "base/bug.h"
#include "ir/nat/nat_t.h"

int64_t nat_gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;

    while (y) {
        uint64_t t = x % y;

        x = y;
        y = t;
    }
    return x > INT64_MAX ? 1 : (int64_t)x; /* 2^63 is no int64_t */
}

static bool push_sum(struct nat_sum *out, int64_t a, int64_t b, const struct nat_mono *m)
{
    int64_t c;

    if (__builtin_add_overflow(a, b, &c))
        return false;
    if (c)
        nat_sum_push(out, c, m);
    return true;
}

/* A merge: multiplication by a mono keeps the order of 'y'. */
bool nat_madd(struct lift_nats *nats, struct nat_sum *out, struct nat_view x,
              struct nat_view y, struct nat_term cm)
{
    int i = 0;

    for (int j = 0; j < y.count; j++) {
        const struct nat_mono *m = nat_mono_mul(nats, y.terms[j].mono, cm.mono);
        int64_t c;
        int order = -1;

        if (__builtin_mul_overflow(y.terms[j].coef, cm.coef, &c))
            return false;
        while (i < x.count && (order = nat_mono_compare(x.terms[i].mono, m)) < 0) {
            nat_sum_push(out, x.terms[i].coef, x.terms[i].mono);
            i++;
        }
        if (i < x.count && order == 0) {
            if (!push_sum(out, x.terms[i++].coef, c, m))
                return false;
        } else if (c) {
            nat_sum_push(out, c, m);
        }
    }
    for (; i < x.count; i++)
        nat_sum_push(out, x.terms[i].coef, x.terms[i].mono);
    return true;
}

lift_nat nat_try_madd(lift_nat x, lift_nat y, int64_t c, const struct nat_mono *m)
{
    struct nat_sum out;
    lift_nat n = NULL;

    nat_sum_init(&out);
    if (nat_madd(x->pool, &out, nat_view(x), nat_view(y), (struct nat_term){c, m}))
        n = nat_intern(x->pool, nat_sum_view(&out));
    nat_sum_fini(&out);
    return n;
}

lift_nat nat_must(lift_nat n)
{
    if (!n)
        LIFT_BUG("a nat overflows 64 bits");
    return n;
}

lift_nat nat_try_sub(lift_nat x, lift_nat y)
{
    return nat_try_madd(x, y, -1, x->pool->one);
}

lift_nat lift_nat_add_const(lift_nat a, int64_t c)
{
    struct nat_term t = {c, a->pool->one};
    struct nat_sum out;
    lift_nat n = NULL;

    if (!c)
        return a;
    nat_sum_init(&out);
    if (nat_madd(a->pool, &out, nat_view(a), (struct nat_view){&t, 1},
                 (struct nat_term){1, a->pool->one}))
        n = nat_intern(a->pool, nat_sum_view(&out));
    nat_sum_fini(&out);
    return nat_must(n);
}

lift_nat lift_nat_add(lift_nat a, lift_nat b)
{
    if (!a->count)
        return b;
    if (!b->count)
        return a;
    return nat_must(nat_try_madd(a, b, 1, a->pool->one));
}

lift_nat lift_nat_sub(lift_nat a, lift_nat b)
{
    if (a == b)
        return lift_nat_const(a->pool, 0);
    return b->count ? nat_must(nat_try_sub(a, b)) : a;
}

lift_nat lift_nat_mul_const(lift_nat a, int64_t c)
{
    lift_nat zero = lift_nat_const(a->pool, 0);

    if (c == 1)
        return a;
    return c ? nat_must(nat_try_madd(zero, a, c, a->pool->one)) : zero;
}

/* Multiplies row by row. */
static lift_nat mul_rows(lift_nat a, lift_nat b)
{
    struct lift_nats *nats = a->pool;
    struct nat_sum acc[2];
    lift_nat n = NULL;
    bool fits = true;
    int now = 0;

    nat_sum_init(&acc[0]);
    nat_sum_init(&acc[1]);
    for (int i = 0; fits && i < a->count; i++, now = !now) {
        acc[!now].count = 0;
        fits =
            nat_madd(nats, &acc[!now], nat_sum_view(&acc[now]), nat_view(b), a->terms[i]);
    }
    if (fits)
        n = nat_intern(nats, nat_sum_view(&acc[now]));
    nat_sum_fini(&acc[0]);
    nat_sum_fini(&acc[1]);
    return n;
}

lift_nat nat_try_mul(lift_nat a, lift_nat b)
{
    if (a->count > b->count)
        return nat_try_mul(b, a);
    if (a->count == 0)
        return a;
    if (a->count > 1)
        return mul_rows(a, b);
    if (lift_nat_is(a, 1))
        return b;
    return nat_try_madd(lift_nat_const(a->pool, 0), b, a->terms[0].coef,
                        a->terms[0].mono);
}

lift_nat lift_nat_mul(lift_nat a, lift_nat b)
{
    return nat_must(nat_try_mul(a, b));
}

struct nat_term nat_content(lift_nat n)
{
    struct nat_term c = {0, n->pool->one};

    for (int i = 0; i < n->count; i++) {
        c.coef = nat_gcd(c.coef, n->terms[i].coef);
        c.mono = i ? nat_mono_gcd(n->pool, c.mono, n->terms[i].mono) : n->terms[i].mono;
    }
    return c;
}

lift_nat nat_quot_term(lift_nat n, struct nat_term by)
{
    struct nat_sum out;
    lift_nat result = NULL;
    bool whole = true;

    if (by.coef == 1 && !by.mono->count)
        return n;
    nat_sum_init(&out);
    for (int i = 0; whole && i < n->count; i++) {
        const struct nat_mono *m = nat_mono_quot(n->pool, n->terms[i].mono, by.mono);

        whole = m && n->terms[i].coef % by.coef == 0;
        if (whole)
            nat_sum_push(&out, n->terms[i].coef / by.coef, m);
    }
    if (whole)
        result = nat_intern(n->pool, nat_sum_view(&out));
    nat_sum_fini(&out);
    return result;
}

/* ---- division of polynomials ---- */

/* The quotient of 't' by 'lead', with a remainder in 0 .. |lead| - 1; 0 if the mono is
 * not a multiple. */
static struct nat_term lead_quot(struct lift_nats *nats, struct nat_term t,
                                 struct nat_term lead)
{
    const struct nat_mono *m = nat_mono_quot(nats, t.mono, lead.mono);
    int64_t c;

    if (!m || lead.coef == INT64_MIN || t.coef == INT64_MIN)
        return (struct nat_term){0, nats->one};
    c = lead.coef > 0 ? nat_floor_div(t.coef, lead.coef)
                      : -nat_floor_div(t.coef, -lead.coef);
    return (struct nat_term){c, m};
}

/* Divides each term of 'x' by a divisor of one term. The remainders lie in 0 .. |lead| -
 * 1; intermediate products may wrap. */
static void reduce_by_term(lift_nat x, struct nat_term lead, lift_nat *q, lift_nat *r)
{
    struct nat_sum quot, rest;

    nat_sum_init(&quot);
    nat_sum_init(&rest);
    for (int i = 0; i < x->count; i++) {
        struct nat_term t = x->terms[i], k = lead_quot(x->pool, t, lead);
        int64_t left =
            (int64_t)((uint64_t)t.coef - (uint64_t)k.coef * (uint64_t)lead.coef);

        if (k.coef)
            nat_sum_push(&quot, k.coef, k.mono);
        if (left)
            nat_sum_push(&rest, left, t.mono);
    }
    *q = quot.count ? nat_intern(x->pool, nat_sum_view(&quot))
                    : lift_nat_const(x->pool, 0);
    *r = quot.count ? nat_intern(x->pool, nat_sum_view(&rest)) : x;
    nat_sum_fini(&quot);
    nat_sum_fini(&rest);
}

/* The walk visits each term once: subtracting k * d changes only later terms of the
 * order. */
static bool reduce_by_sum(lift_nat x, lift_nat d, lift_nat *q, lift_nat *r)
{
    struct lift_nats *nats = x->pool;
    lift_nat unit = lift_nat_const(nats, 1), quot = lift_nat_const(nats, 0), rest = x;

    for (int i = 0; i < rest->count;) {
        struct nat_term k = lead_quot(nats, rest->terms[i], d->terms[0]);

        if (!k.coef) {
            i++;
            continue;
        }
        quot = nat_try_madd(quot, unit, k.coef, k.mono);
        rest = quot ? nat_try_madd(rest, d, -k.coef, k.mono) : NULL;
        if (!rest)
            return false;
    }
    *q = quot;
    *r = rest;
    return true;
}

bool nat_reduce(lift_nat x, lift_nat d, lift_nat *q, lift_nat *r)
{
    if (d->count == 0)
        return false;
    if (d->count > 1)
        return reduce_by_sum(x, d, q, r);
    reduce_by_term(x, d->terms[0], q, r);
    return true;
}
