/* Products of atoms: their order, interning and arithmetic. */
#include "base/bug.h"
#include "ir/nat/nat_t.h"
#include <string.h>

static int atom_compare(const struct nat_atom *a, const struct nat_atom *b)
{
    int c;

    if (a == b)
        return 0;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == LIFT_ATOM_VAR) {
        c = strcmp(a->key, b->key);
        return c ? c : strcmp(a->name, b->name);
    }
    c = lift_nat_compare(a->a, b->a);
    return c ? c : lift_nat_compare(a->b, b->b);
}

int nat_mono_compare(const struct nat_mono *a, const struct nat_mono *b)
{
    if (a == b)
        return 0;
    for (int i = 0; i < a->count && i < b->count; i++) {
        int c = atom_compare(a->factors[i], b->factors[i]);

        if (c)
            return c;
    }
    return (a->count < b->count) - (a->count > b->count);
}

struct mono_key {
    const struct nat_atom *const *factors;
    int count;
};

static bool mono_equal(const void *entry, const void *key)
{
    const struct nat_mono *m = entry;
    const struct mono_key *k = key;

    return m->count == k->count &&
           !memcmp(m->factors, k->factors, (size_t)k->count * sizeof *k->factors);
}

/* Multiplies the ranges of the factors; an even power is not negative. */
static struct nat_range mono_range(const struct nat_mono *m)
{
    struct nat_range all = {1, 1};

    for (int i = 0, j; i < m->count; i = j) {
        struct nat_range power = {1, 1};

        for (j = i; j < m->count && m->factors[j] == m->factors[i]; j++)
            power = nat_range_mul(power, m->factors[i]->range);
        if ((j - i) % 2 == 0 && power.lo < 0)
            power.lo = 0;
        all = nat_range_mul(all, power);
    }
    return all;
}

static const struct nat_mono *mono_new(struct lift_nats *nats, struct mono_key k)
{
    struct nat_mono *m =
        lift_arena_alloc(nats->arena, sizeof *m + (size_t)k.count * sizeof *m->factors);

    memcpy(m->factors, k.factors, (size_t)k.count * sizeof *m->factors);
    m->count = k.count;
    m->hash = nats->one->hash;
    for (int i = 0; i < k.count; i++) {
        const struct nat_atom *a = k.factors[i];

        m->hash = lift_hash_combine(m->hash, a->hash);
        m->vars |= a->vars;
        m->kinds |= a->kinds;
        m->depth = a->depth > m->depth ? a->depth : m->depth;
    }
    m->range = mono_range(m);
    return m;
}

const struct nat_mono *nat_mono_of_atom(struct lift_nats *nats,
                                        const struct nat_atom *atom)
{
    return mono_new(nats, (struct mono_key){&atom, 1});
}

static const struct nat_mono *mono_intern(struct lift_nats *nats, struct mono_key k)
{
    const struct nat_mono *m;
    uint64_t h = (uint64_t)k.count;

    if (!k.count)
        return nats->one;
    if (k.count == 1 && k.factors[0]->mono)
        return k.factors[0]->mono;
    for (int i = 0; i < k.count; i++)
        h = nat_mix(h, k.factors[i]->hash.lo);
    m = lift_table_find(&nats->monos, h, &k, mono_equal);
    if (!m) {
        m = mono_new(nats, k);
        lift_table_insert(&nats->monos, h, (void *)m);
    }
    return m;
}

enum { MAX_FACTORS = 64 };

const struct nat_mono *nat_mono_mul(struct lift_nats *nats, const struct nat_mono *a,
                                    const struct nat_mono *b)
{
    const struct nat_atom *out[MAX_FACTORS];
    int i = 0, j = 0, n = 0;

    if (!a->count || !b->count)
        return a->count ? a : b;
    if (a->count + b->count > MAX_FACTORS)
        LIFT_BUG("a nat of degree %d", a->count + b->count);
    while (i < a->count || j < b->count) {
        bool left = j == b->count ||
                    (i < a->count && atom_compare(a->factors[i], b->factors[j]) <= 0);

        out[n++] = left ? a->factors[i++] : b->factors[j++];
    }
    return mono_intern(nats, (struct mono_key){out, n});
}

const struct nat_mono *nat_mono_quot(struct lift_nats *nats, const struct nat_mono *a,
                                     const struct nat_mono *b)
{
    const struct nat_atom *out[MAX_FACTORS];
    int j = 0, n = 0;

    if (!b->count)
        return a;
    if (b->count > a->count)
        return NULL;
    for (int i = 0; i < a->count; i++) {
        if (j < b->count && a->factors[i] == b->factors[j])
            j++;
        else
            out[n++] = a->factors[i];
    }
    return j == b->count ? mono_intern(nats, (struct mono_key){out, n}) : NULL;
}

const struct nat_mono *nat_mono_gcd(struct lift_nats *nats, const struct nat_mono *a,
                                    const struct nat_mono *b)
{
    const struct nat_atom *out[MAX_FACTORS];
    int i = 0, j = 0, n = 0;

    if (a == b)
        return a;
    while (i < a->count && j < b->count) {
        int c = atom_compare(a->factors[i], b->factors[j]);

        if (!c)
            out[n++] = a->factors[i];
        i += c <= 0;
        j += c >= 0;
    }
    return mono_intern(nats, (struct mono_key){out, n});
}

const struct nat_mono *nat_mono_at_least(struct lift_nats *nats, const struct nat_mono *m,
                                         int64_t lo)
{
    const struct nat_atom *out[MAX_FACTORS];
    int n = 0;

    for (int i = 0; i < m->count; i++)
        if (m->factors[i]->range.lo >= lo)
            out[n++] = m->factors[i];
    return mono_intern(nats, (struct mono_key){out, n});
}

const struct nat_atom *nat_mono_is(const struct nat_mono *m, enum lift_atom_kind kind)
{
    return m->count == 1 && m->factors[0]->kind == kind ? m->factors[0] : NULL;
}
