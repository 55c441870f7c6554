/* Minima and maxima: see the normal form in nat.c. */
#include "ir/nat/nat_t.h"
#include <string.h>

enum { MAX_OPERANDS = 8 };

struct list {
    enum lift_atom_kind kind;
    lift_nat items[MAX_OPERANDS];
    int count;
};

/* ---- gathering nested operands ---- */

/* The inner atom if term 'i' of 'n' is the product of an atom of this kind and a
 * non-negative factor. */
static const struct nat_atom *inner(lift_nat n, enum lift_atom_kind kind, int i,
                                    const struct nat_mono **by)
{
    const struct nat_mono *m = n->terms[i].mono;

    for (int f = 0; n->terms[i].coef > 0 && f < m->count; f++) {
        if (m->factors[f]->kind != kind)
            continue;
        *by = nat_mono_quot(n->pool, m, m->factors[f]->mono);
        if ((*by)->range.lo >= 0)
            return m->factors[f];
    }
    return NULL;
}

static bool gather(struct list *l, lift_nat n);

/* n = c * by * atom + rest: one operand from each side of the atom. */
static bool gather_sides(struct list *l, lift_nat n, const struct nat_atom *atom,
                         int64_t c, const struct nat_mono *by)
{
    lift_nat rest = nat_try_madd(n, atom->self, -c, by);
    lift_nat a = rest ? nat_try_madd(rest, atom->a, c, by) : NULL;
    lift_nat b = rest ? nat_try_madd(rest, atom->b, c, by) : NULL;

    return a && b && gather(l, a) && gather(l, b);
}

/* Adds the operands of 'n'; false if there are too many. */
static bool gather(struct list *l, lift_nat n)
{
    const struct nat_mono *by;

    for (int i = 0; i < n->count; i++) {
        const struct nat_atom *atom = inner(n, l->kind, i, &by);

        if (atom)
            return gather_sides(l, n, atom, n->terms[i].coef, by);
    }
    for (int i = 0; i < l->count; i++)
        if (l->items[i] == n)
            return true;
    if (l->count == MAX_OPERANDS)
        return false;
    l->items[l->count++] = n;
    return true;
}

/* ---- redundant operands ---- */

/* Proves a <= b. The proof divides the difference by its common factor, so that the
 * result is independent of factors pulled out of the list. */
static bool below(lift_nat a, lift_nat b)
{
    lift_nat diff = nat_try_sub(b, a);
    struct nat_term c;

    if (!diff)
        return false;
    if (nat_proves_ge0(diff))
        return true;
    c = nat_content(diff);
    c.mono = nat_mono_at_least(a->pool, c.mono, 0);
    return (c.coef > 1 || c.mono->count) && nat_proves_ge0(nat_quot_term(diff, c));
}

static bool beats(enum lift_atom_kind kind, lift_nat a, lift_nat b)
{
    return kind == LIFT_ATOM_MIN ? below(a, b) : below(b, a);
}

static void drop(struct list *l, int at)
{
    for (int i = at; i + 1 < l->count; i++)
        l->items[i] = l->items[i + 1];
    l->count--;
}

static void eliminate(struct list *l)
{
    for (int i = 0; i < l->count; i++) {
        for (int j = i + 1; j < l->count;) {
            if (beats(l->kind, l->items[i], l->items[j])) {
                drop(l, j);
            } else if (beats(l->kind, l->items[j], l->items[i])) {
                l->items[i] = l->items[j];
                drop(l, j);
                j = i + 1;
            } else {
                j++;
            }
        }
    }
}

static void sort(struct list *l)
{
    for (int i = 1; i < l->count; i++) {
        lift_nat n = l->items[i];
        int at = i;

        for (; at > 0 && lift_nat_compare(l->items[at - 1], n) > 0; at--)
            l->items[at] = l->items[at - 1];
        l->items[at] = n;
    }
}

/* ---- common terms of all operands ---- */

/* The first mono at or after the positions 'at'; NULL at the end. */
static const struct nat_mono *next_mono(const struct list *l, const int *at)
{
    const struct nat_mono *first = NULL;

    for (int i = 0; i < l->count; i++) {
        lift_nat n = l->items[i];

        if (at[i] < n->count &&
            (!first || nat_mono_compare(n->terms[at[i]].mono, first) < 0))
            first = n->terms[at[i]].mono;
    }
    return first;
}

/* The search finds the addend mono by mono; 'nested' marks operands that keep a div, min
 * or max. */
struct common {
    const struct list *list;
    int at[MAX_OPERANDS];
    bool nested[MAX_OPERANDS], any_nested;
};

static int64_t coef_at(const struct common *c, const struct nat_mono *m, int i)
{
    lift_nat n = c->list->items[i];

    return c->at[i] < n->count && n->terms[c->at[i]].mono == m ? n->terms[c->at[i]].coef
                                                               : 0;
}

static int64_t least_coef(const struct common *c, const struct nat_mono *m)
{
    int64_t least = coef_at(c, m, 0);

    for (int i = 1; i < c->list->count; i++) {
        int64_t mine = coef_at(c, m, i);

        least = mine < least ? mine : least;
    }
    return least;
}

/* The common constant: of a max the greatest, of a min the least. Nested operands of a
 * min have precedence, so that a clamp, min(max(i - 1, 0), n - 1), stays unchanged. */
static int64_t common_constant(const struct common *c, const struct nat_mono *one)
{
    bool max = c->list->kind == LIFT_ATOM_MAX, found = false;
    int64_t best = 0;

    for (int i = 0; i < c->list->count; i++) {
        int64_t mine = coef_at(c, one, i);

        if (!max && c->any_nested && !c->nested[i])
            continue;
        if (!found || (max ? mine > best : mine < best))
            best = mine;
        found = true;
    }
    return best;
}

static void step_over(struct common *c, const struct nat_mono *m, int64_t pulled)
{
    for (int i = 0; i < c->list->count; i++) {
        lift_nat n = c->list->items[i];

        if (m->depth && coef_at(c, m, i) != pulled)
            c->nested[i] = c->any_nested = true;
        c->at[i] += c->at[i] < n->count && n->terms[c->at[i]].mono == m;
    }
}

static lift_nat common_addend(struct lift_nats *nats, const struct list *l)
{
    struct common c = {.list = l};
    const struct nat_mono *m;
    struct nat_sum sum;
    lift_nat n;

    nat_sum_init(&sum);
    while ((m = next_mono(l, c.at))) {
        int64_t coef = m->count ? least_coef(&c, m) : common_constant(&c, m);

        if (coef)
            nat_sum_push(&sum, coef, m);
        step_over(&c, m, coef);
    }
    n = nat_intern(nats, nat_sum_view(&sum));
    nat_sum_fini(&sum);
    return n;
}

static bool subtract(struct list *l, lift_nat n)
{
    struct list out = *l;

    for (int i = 0; i < l->count; i++)
        if (!(out.items[i] = nat_try_sub(l->items[i], n)))
            return false;
    *l = out;
    return true;
}

/* The greatest non-negative common factor of all operands. The nat 0 has every factor. */
static struct nat_term common_factor(const struct list *l)
{
    struct lift_nats *nats = l->items[0]->pool;
    struct nat_term all = {0, nats->one};

    for (int i = 0; i < l->count; i++) {
        struct nat_term c = nat_content(l->items[i]);

        if (!c.coef)
            continue;
        all.mono = all.coef ? nat_mono_gcd(nats, all.mono, c.mono) : c.mono;
        all.coef = nat_gcd(all.coef, c.coef);
    }
    all.mono = nat_mono_at_least(nats, all.mono, 0);
    return all;
}

/* Moves the common addend of all operands to 'addend'. */
static bool shift(struct list *l, lift_nat *addend)
{
    lift_nat n = common_addend((*addend)->pool, l), sum;

    if (!n->count)
        return true;
    sum = nat_try_madd(*addend, n, 1, n->pool->one);
    if (!sum || !subtract(l, n))
        return false;
    *addend = sum;
    return true;
}

static lift_nat build(struct list l);

static lift_nat nest(struct list l)
{
    lift_nat first;

    sort(&l);
    first = l.items[0];
    drop(&l, 0);
    return nat_intern_atom(first->pool, l.kind, first, build(l));
}

/* The nat of a list, sorted and nested to the right. Removing a factor with variables
 * lowers the degree of the terms, and may reveal another common addend. Hence the
 * recursion. */
static lift_nat build(struct list l)
{
    lift_nat addend = lift_nat_const(l.items[0]->pool, 0), n;
    struct nat_term factor;

    if (l.count == 1)
        return l.items[0];
    shift(&l, &addend);
    factor = common_factor(&l);
    for (int i = 0; i < l.count; i++)
        l.items[i] = nat_quot_term(l.items[i], factor);
    n = factor.mono->count ? build(l) : nest(l);
    return nat_must(nat_try_madd(addend, n, factor.coef, factor.mono));
}

/* Repeats shift and gather: a shift can expose a nested min, and its operands can have a
 * new common addend. Each round removes the outermost atoms. Returns false if the list
 * becomes too long. */
static bool expand(struct list *l, lift_nat *addend)
{
    for (;;) {
        struct list next = {.kind = l->kind};

        if (!shift(l, addend))
            return false;
        for (int i = 0; i < l->count; i++)
            if (!gather(&next, l->items[i]))
                return false;
        if (next.count == l->count &&
            !memcmp(next.items, l->items, (size_t)l->count * sizeof *l->items))
            return true;
        *l = next;
    }
}

static lift_nat minmax(enum lift_atom_kind kind, lift_nat a, lift_nat b)
{
    struct list flat = {kind, {a, b}, 2}, l = flat;
    lift_nat zero = lift_nat_const(a->pool, 0), addend = zero;

    if (a == b)
        return a;
    if (!expand(&l, &addend)) {
        l = flat;
        addend = zero;
    }
    eliminate(&l);
    return nat_must(nat_try_madd(addend, build(l), 1, a->pool->one));
}

lift_nat lift_nat_min(lift_nat a, lift_nat b)
{
    return minmax(LIFT_ATOM_MIN, a, b);
}

lift_nat lift_nat_max(lift_nat a, lift_nat b)
{
    return minmax(LIFT_ATOM_MAX, a, b);
}
