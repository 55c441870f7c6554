/* Bounds of nats by interval arithmetic.
 *
 * The sum of the intervals of the terms is exact if every variable occurs once.
 * Otherwise one atom at a time is eliminated from the sum, the deepest first:
 *
 *   - div(y, d) is in [(y - d + 1) / d, y / d] and can cancel against y, so that
 *     x - d * div(x, d) has the bounds 0 .. d - 1.
 *   - min and max are equal to an operand, and at most (at least) each operand.
 *   - If the sum is linear in an atom of several terms, the extremes of the sum are at
 *     the bounds of the atom.
 *
 * Each elimination adds only atoms of less depth; a budget limits the work. */
#include "ir/nat/nat_t.h"

typedef __int128 wide;

static const wide INF = (wide)1 << 125;

/* ---- intervals ---- */

static wide wide_lo(struct nat_range a)
{
    return a.lo == LIFT_NAT_MIN ? -INF : a.lo;
}

static wide wide_hi(struct nat_range a)
{
    return a.hi == LIFT_NAT_MAX ? INF : a.hi;
}

static int64_t clamp(wide v)
{
    return v < INT64_MIN ? INT64_MIN : v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static struct nat_range narrow(wide lo, wide hi)
{
    return (struct nat_range){clamp(lo), clamp(hi)};
}

static wide wide_min(wide a, wide b)
{
    return a < b ? a : b;
}

static wide wide_max(wide a, wide b)
{
    return a > b ? a : b;
}

static wide wide_mul(wide a, wide b)
{
    if (!a || !b)
        return 0;
    if (a <= -INF || a >= INF || b <= -INF || b >= INF)
        return (a < 0) == (b < 0) ? INF : -INF;
    return a * b;
}

/* Requires b >= 1. */
static wide wide_div(wide a, wide b)
{
    if (a <= -INF || a >= INF)
        return a;
    if (b >= INF)
        return a < 0 ? -1 : 0;
    return a / b - (a % b < 0);
}

struct nat_range nat_range_add(struct nat_range a, struct nat_range b)
{
    return narrow(wide_lo(a) + wide_lo(b), wide_hi(a) + wide_hi(b));
}

struct nat_range nat_range_mul(struct nat_range a, struct nat_range b)
{
    wide p = wide_mul(wide_lo(a), wide_lo(b)), q = wide_mul(wide_lo(a), wide_hi(b));
    wide r = wide_mul(wide_hi(a), wide_lo(b)), s = wide_mul(wide_hi(a), wide_hi(b));

    return narrow(wide_min(wide_min(p, q), wide_min(r, s)),
                  wide_max(wide_max(p, q), wide_max(r, s)));
}

struct nat_range nat_range_scale(struct nat_range a, int64_t c)
{
    wide p = wide_mul(wide_lo(a), c), q = wide_mul(wide_hi(a), c);

    return narrow(wide_min(p, q), wide_max(p, q));
}

/* Requires a divisor of at least 1; other quotients have no value. */
struct nat_range nat_range_div(struct nat_range a, struct nat_range b)
{
    wide small = wide_max(wide_lo(b), 1), large = wide_max(wide_hi(b), 1);
    wide lo = wide_lo(a), hi = wide_hi(a);

    return narrow(wide_div(lo, lo < 0 ? small : large),
                  wide_div(hi, hi < 0 ? large : small));
}

static struct nat_range join(struct nat_range a, struct nat_range b)
{
    return (struct nat_range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* The intersection of two ranges of one number. If the intersection is empty, the number
 * has no value, and the result is 'a'. */
static struct nat_range meet(struct nat_range a, struct nat_range b)
{
    struct nat_range c = {a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};

    return c.lo <= c.hi ? c : a;
}

static struct nat_range least(struct nat_range a, struct nat_range b)
{
    return (struct nat_range){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

static struct nat_range greatest(struct nat_range a, struct nat_range b)
{
    return (struct nat_range){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

struct nat_range nat_atom_range(const struct nat_atom *atom)
{
    switch (atom->kind) {
    case LIFT_ATOM_DIV:
        return nat_range_div(nat_range(atom->a), nat_range(atom->b));
    case LIFT_ATOM_MIN:
        return least(nat_range(atom->a), nat_range(atom->b));
    case LIFT_ATOM_MAX:
        return greatest(nat_range(atom->a), nat_range(atom->b));
    case LIFT_ATOM_VAR:
        break;
    }
    return atom->range;
}

/* ---- bounds of a sum ---- */

/* The elimination of one atom: sum = part * atom + rest, where 'part' does not contain
 * the atom. */
struct split {
    struct lift_nats *nats;
    const struct nat_atom *atom;
    struct nat_sum part, rest;
    int *budget;
};

static struct nat_range bounds(struct lift_nats *nats, struct nat_view v, int *budget);

static struct nat_range sign_of(struct split *s)
{
    return bounds(s->nats, nat_sum_view(&s->part), s->budget);
}

static bool split_init(struct split *s, struct nat_view v)
{
    const struct nat_mono *self = s->atom->mono;

    nat_sum_init(&s->part);
    nat_sum_init(&s->rest);
    for (int i = 0; i < v.count; i++) {
        const struct nat_mono *m = nat_mono_quot(s->nats, v.terms[i].mono, self);

        if (!m)
            nat_sum_push(&s->rest, v.terms[i].coef, v.terms[i].mono);
        else if (nat_mono_quot(s->nats, m, self))
            return false;
        else
            nat_sum_push(&s->part, v.terms[i].coef, m);
    }
    return true;
}

static void split_fini(struct split *s)
{
    nat_sum_fini(&s->part);
    nat_sum_fini(&s->rest);
}

/* out = scale * x + by * y, for sums; false on overflow. */
static bool combine(struct lift_nats *nats, struct nat_sum *out, struct nat_view x,
                    int64_t scale, struct nat_view by, struct nat_view y)
{
    struct nat_sum acc[2];
    struct nat_view from = x;
    bool fits = true;

    nat_sum_init(&acc[0]);
    nat_sum_init(&acc[1]);
    if (scale != 1 || !by.count) {
        struct nat_sum *to = by.count ? &acc[1] : out;

        fits = nat_madd(nats, to, (struct nat_view){NULL, 0}, x,
                        (struct nat_term){scale, nats->one});
        from = nat_sum_view(to);
    }
    for (int i = 0; fits && i < by.count; i++) {
        struct nat_sum *to = i + 1 < by.count ? &acc[i % 2] : out;

        to->count = 0;
        fits = nat_madd(nats, to, from, y, by.terms[i]);
        from = nat_sum_view(to);
    }
    nat_sum_fini(&acc[0]);
    nat_sum_fini(&acc[1]);
    return fits;
}

/* Bounds of scale * rest + by * y; no bounds on overflow. */
static struct nat_range bounds_of(struct split *s, int64_t scale, struct nat_view by,
                                  struct nat_view y)
{
    struct nat_range r = {LIFT_NAT_MIN, LIFT_NAT_MAX};
    struct nat_sum out;

    nat_sum_init(&out);
    if (combine(s->nats, &out, nat_sum_view(&s->rest), scale, by, y))
        r = bounds(s->nats, nat_sum_view(&out), s->budget);
    nat_sum_fini(&out);
    return r;
}

/* Bounds of the sum, computed from 'scale' times the sum, where scale * part = by * d.
 * The div becomes by * (y - m), with m in 0 .. d - 1. */
static struct nat_range relax_scaled(struct split *s, int64_t scale, lift_nat by,
                                     lift_nat y, lift_nat d)
{
    lift_nat less = nat_try_sub(d, lift_nat_const(s->nats, 1));
    lift_nat low = less ? nat_try_sub(y, less) : NULL; /* y - (d - 1) */
    struct nat_range r, t, all = {LIFT_NAT_MIN, LIFT_NAT_MAX};
    int64_t k;

    if (!low)
        return all;
    r = bounds_of(s, scale, nat_view(by), nat_view(y));
    if (lift_nat_is_const(by, &k) && lift_nat_is_const(less, NULL))
        t = nat_range_add(r, nat_range_scale(nat_range(less), -k));
    else
        t = bounds_of(s, scale, nat_view(by), nat_view(low));
    if (nat_range(by).lo >= 0)
        r.lo = t.lo;
    else
        r.hi = t.hi;
    return narrow(-wide_div(-wide_lo(r), scale), wide_div(wide_hi(r), scale));
}

/* Finds the least scale with scale * part = by * d, where d is a number. */
static bool relax_by_const(struct split *s, int64_t d, struct nat_range *out)
{
    lift_nat part = nat_intern(s->nats, nat_sum_view(&s->part));
    int64_t g = nat_gcd(nat_content(part).coef, d);
    lift_nat by = nat_quot_term(part, (struct nat_term){g, s->nats->one});

    if (nat_range(by).lo < 0 && nat_range(by).hi > 0)
        return false;
    *out = relax_scaled(s, d / g, by, s->atom->a, s->atom->b);
    return true;
}

/* The common factor of 'part' and 'd', if at least 1. */
static struct nat_term shared(lift_nat part, lift_nat d)
{
    struct nat_term a = nat_content(part), b = nat_content(d);

    a.coef = nat_gcd(a.coef, b.coef);
    a.mono = nat_mono_at_least(d->pool, nat_mono_gcd(d->pool, a.mono, b.mono), 1);
    return a;
}

/* part = by * d. Otherwise d = a * c and part = by * c, with div(y, d) = div(div(y, a),
 * c). */
static bool relax_by_sum(struct split *s, struct nat_range *out)
{
    lift_nat part = nat_intern(s->nats, nat_sum_view(&s->part)), y = s->atom->a;
    lift_nat d = s->atom->b, by, rest;

    if (!nat_reduce(part, d, &by, &rest) || rest->count) {
        struct nat_term c = shared(part, d);

        if (d->count > 1 || !c.coef || (c.coef == 1 && !c.mono->count))
            return false;
        by = nat_quot_term(part, c);
        y = lift_nat_div(y, nat_quot_term(d, c));
        d = nat_try_madd(lift_nat_const(s->nats, 0), lift_nat_const(s->nats, 1), c.coef,
                         c.mono);
    }
    if (nat_range(by).lo < 0 && nat_range(by).hi > 0)
        return false;
    *out = relax_scaled(s, 1, by, y, d);
    return true;
}

static bool relax_div(struct split *s, struct nat_range *out)
{
    lift_nat d = s->atom->b;
    int64_t c;

    if (nat_range(d).hi < 1)
        return false;
    return lift_nat_is_const(d, &c) ? relax_by_const(s, c, out) : relax_by_sum(s, out);
}

static bool relax_minmax(struct split *s, struct nat_range *out)
{
    struct nat_view part = nat_sum_view(&s->part);
    struct nat_range a = bounds_of(s, 1, part, nat_view(s->atom->a));
    struct nat_range b = bounds_of(s, 1, part, nat_view(s->atom->b));
    struct nat_range sign = sign_of(s);
    bool min = s->atom->kind == LIFT_ATOM_MIN;

    if (sign.lo >= 0)
        *out = min ? least(a, b) : greatest(a, b);
    else if (sign.hi <= 0)
        *out = min ? greatest(a, b) : least(a, b);
    else
        *out = join(a, b);
    return true;
}

static struct nat_range at_value(struct split *s, int64_t value)
{
    struct nat_term t = {value, s->nats->one};

    if (value == LIFT_NAT_MIN || value == LIFT_NAT_MAX)
        return (struct nat_range){LIFT_NAT_MIN, LIFT_NAT_MAX};
    return bounds_of(s, 1, nat_sum_view(&s->part), (struct nat_view){&t, value != 0});
}

/* The sum is linear in the atom, so its extremes are at the ends of the atom's range. */
static bool relax_ends(struct split *s, struct nat_range *out)
{
    struct nat_range a, b, sign;

    if (s->part.count < 2)
        return false;
    sign = sign_of(s);
    a = at_value(s, s->atom->range.lo);
    b = at_value(s, s->atom->range.hi);
    if (sign.lo >= 0)
        *out = (struct nat_range){a.lo, b.hi};
    else if (sign.hi <= 0)
        *out = (struct nat_range){b.lo, a.hi};
    else
        *out = join(a, b);
    return true;
}

static bool relax(struct lift_nats *nats, const struct nat_atom *atom, bool ends,
                  struct nat_view v, int *budget, struct nat_range *out)
{
    LIFT_SCOPED(split) s = {.nats = nats, .atom = atom, .budget = budget};
    bool done = split_init(&s, v);

    if (done && ends)
        done = relax_ends(&s, out);
    else if (done)
        done = atom->kind == LIFT_ATOM_DIV ? relax_div(&s, out) : relax_minmax(&s, out);
    return done;
}

/* Collects at most MAX_ATOMS different atoms, the deepest first. */
enum { MAX_ATOMS = 24 };

static int collect(struct nat_view v, const struct nat_atom *out[MAX_ATOMS])
{
    int n = 0;

    for (int t = 0; t < v.count; t++) {
        for (int f = 0; f < v.terms[t].mono->count; f++) {
            const struct nat_atom *a = v.terms[t].mono->factors[f];
            int i = 0, at;

            while (i < n && out[i] != a)
                i++;
            if (i < n || n == MAX_ATOMS)
                continue;
            for (at = n++; at > 0 && out[at - 1]->depth < a->depth; at--)
                out[at] = out[at - 1];
            out[at] = a;
        }
    }
    return n;
}

/* True if the atom shares no variable with the rest of the sum, so varies
 * independently. */
static bool is_apart(struct nat_view v, const struct nat_atom *atom)
{
    for (int t = 0; t < v.count; t++) {
        const struct nat_mono *m = v.terms[t].mono;

        if (!(m->vars & atom->vars))
            continue;
        for (int f = 0; f < m->count; f++)
            if (m->factors[f] != atom && (m->factors[f]->vars & atom->vars))
                return false;
    }
    return true;
}

/* True if every variable is in one term only, and there are no products. */
static bool is_simple(struct nat_view v)
{
    uint64_t seen = 0;

    for (int i = 0; i < v.count; i++) {
        const struct nat_mono *m = v.terms[i].mono;

        if (m->count > 1 || (m->depth && (seen & m->vars)))
            return false;
        seen |= m->vars;
    }
    return true;
}

/* The budget counts terms. Small sums get the best bounds of this method, large sums
 * rough bounds. */
enum { BOUNDS_BUDGET = 160 };

static struct nat_range bounds(struct lift_nats *nats, struct nat_view v, int *budget)
{
    const struct nat_atom *atoms[MAX_ATOMS];
    struct nat_range r = {0, 0}, better;
    int count;

    for (int i = 0; i < v.count; i++)
        r = nat_range_add(r, nat_range_scale(v.terms[i].mono->range, v.terms[i].coef));

    if (is_simple(v) || *budget < 0)
        return r;
    *budget -= v.count;
    count = collect(v, atoms);
    for (int i = 0; i < count && atoms[i]->depth; i++)
        if (!is_apart(v, atoms[i]) && relax(nats, atoms[i], false, v, budget, &better))
            return meet(r, better);
    for (int i = 0; i < count; i++)
        if (relax(nats, atoms[i], true, v, budget, &better))
            return meet(r, better);
    return r;
}

/* A nat caches its bounds, so they must not depend on the current facts. */
struct nat_range nat_bounds(struct lift_nats *nats, struct nat_view v)
{
    int budget = BOUNDS_BUDGET, fact_count = nats->fact_count;
    struct nat_range r;

    nats->fact_count = 0;
    r = bounds(nats, v, &budget);
    nats->fact_count = fact_count;
    return r;
}
