/* Proofs about nats from their bounds and from given facts. */
#include "ir/nat/nat_t.h"

struct proof {
    const lift_nat *facts;
    int fact_count, budget;
};

static bool prove(struct proof *p, lift_nat n, int depth);

/* True if the term may be negative. */
static bool harms(struct nat_term t)
{
    return t.coef < 0 || t.mono->range.lo < 0;
}

/* True if term 'i' of the fact is no constant, or 'm' times the fact shares another term
 * with 'n'. Otherwise the subtraction only replaces the cancelled term by other terms. */
static bool is_worth(lift_nat n, lift_nat fact, int i, const struct nat_mono *m)
{
    if (fact->terms[i].mono->count)
        return true;
    for (int k = 0; k < fact->count; k++) {
        const struct nat_mono *other = nat_mono_mul(n->pool, fact->terms[k].mono, m);

        for (int t = 0; k != i && t < n->count; t++)
            if (n->terms[t].mono == other)
                return true;
    }
    return false;
}

/* Subtracts a non-negative multiple of the fact that cancels term 't' of 'n'. */
static bool prove_without(struct proof *p, lift_nat n, struct nat_term t, lift_nat fact,
                          int depth)
{
    for (int i = 0; i < fact->count; i++) {
        struct nat_term f = fact->terms[i];
        const struct nat_mono *m = nat_mono_quot(n->pool, t.mono, f.mono);
        lift_nat rest;

        if (!m || m->range.lo < 0 || (t.coef < 0) != (f.coef < 0) ||
            !is_worth(n, fact, i, m) || --p->budget < 0)
            continue;
        rest = nat_try_madd(n, fact, t.coef / f.coef ? -(t.coef / f.coef) : -1, m);
        if (rest && prove(p, rest, depth - 1))
            return true;
    }
    return false;
}

static bool prove(struct proof *p, lift_nat n, int depth)
{
    if (nat_range(n).lo >= 0)
        return true;
    if (depth <= 0)
        return false;
    for (int f = 0; f < p->fact_count; f++)
        for (int i = 0; p->budget > 0 && (p->facts[f]->vars & n->vars) && i < n->count;
             i++)
            if (harms(n->terms[i]) &&
                prove_without(p, n, n->terms[i], p->facts[f], depth))
                return true;
    return false;
}

/* The gcd of all terms except the constant; 0 if there are none. */
static int64_t step_of(lift_nat n)
{
    int64_t step = 0;

    for (int i = 0; i < n->count && step != 1; i++)
        if (n->terms[i].mono->count)
            step = nat_gcd(step, n->terms[i].coef);
    return step;
}

lift_nat lift_nat_tight(lift_nat n)
{
    int64_t step = step_of(n);

    for (int i = 0; step > 1 && i < n->count; i++)
        if (!n->terms[i].mono->count)
            return lift_nat_add_const(n, -nat_floor_mod(n->terms[i].coef, step));
    return n;
}

lift_nat lift_nat_least(lift_nat n)
{
    int64_t step = step_of(n);

    if (step <= 1)
        return n;
    return nat_quot_term(lift_nat_tight(n), (struct nat_term){step, n->pool->one});
}

enum { PROOF_DEPTH = 4, PROOF_BUDGET = 64 };

/* Starts with short proofs: most need one fact or two. */
bool lift_nat_proves_ge0(lift_nat n, const lift_nat *facts, int fact_count)
{
    struct proof p = {facts, fact_count, PROOF_BUDGET};

    if (nat_range(n).lo >= 0)
        return true;
    n = fact_count ? lift_nat_tight(n) : n;
    for (int depth = 1; fact_count && depth <= PROOF_DEPTH && p.budget > 0; depth++)
        if (prove(&p, n, depth))
            return true;
    return false;
}

bool nat_proves_ge0(lift_nat n)
{
    return lift_nat_proves_ge0(n, n->pool->facts, n->pool->fact_count);
}

bool lift_nat_proves_le(lift_nat a, lift_nat b)
{
    lift_nat diff = nat_try_sub(b, a);

    return diff && nat_range(diff).lo >= 0;
}

bool lift_nat_proves_lt(lift_nat a, lift_nat b)
{
    lift_nat diff = nat_try_sub(b, a);

    return diff && nat_range(diff).lo >= 1;
}

bool lift_nat_proves_divides(lift_nat d, lift_nat n)
{
    lift_nat q, r, back;

    if (nat_reduce(n, d, &q, &r) && !r->count)
        return true;
    if (nat_range(d).lo < 1)
        return false;
    back = nat_try_mul(d, lift_nat_div(n, d));
    return back && back == n;
}
