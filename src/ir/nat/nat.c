/* The normal form.
 *
 * A nat is a sum of terms 'coef * mono' with coef != 0. A mono is a product of atoms in
 * ascending order, powers by repetition. Terms are in the lexical order of polynomials.
 * Of two monos, the mono with the smaller atom at the first difference is first, and a
 * longer mono precedes its prefix. So the constant is last, and multiplication by a mono
 * keeps the order. Atoms are ordered by kind, name and operands, never by address.
 *
 * div(x, d), nat_div.c: let c be the leading coefficient of d. Monos of x that the
 * leading mono of d divides have coefficients in 0 .. |c| - 1. No common factor of x and
 * d is left. Neither the ranges nor a split of d into factors decide the value. A div
 * inside x with coefficient 1 has been joined: div(div(x, a) + y, b) = div(x + a*y,
 * a*b).
 *
 * min and max, nat_min.c: nested minima are one list, and so are nested maxima. No
 * operand is known to be redundant because of another operand. A common addend is pulled
 * out: for each mono the least of its coefficients (for the constant of a max: the
 * greatest). The common factor is pulled out next. The list is sorted and nested to the
 * right.
 *
 * Termination. Sums and products are merges. A div step removes terms of x (the leading
 * mono decreases), divides d by a factor, or replaces an atom. The new atoms have less
 * depth. A div step replaces atoms of x only if d has one term, so that d adds no atoms
 * to x. The measure is the atoms of x by depth, then the size of d. A min step shortens
 * its list of operands. */
#include "base/bug.h"
#include "base/memory.h"
#include "ir/nat/nat_t.h"
#include <stdlib.h>
#include <string.h>

struct lift_nats *lift_nats_create(struct lift_arena *arena)
{
    struct lift_nats *nats = LIFT_NEW(arena, struct lift_nats);
    struct nat_mono *one = LIFT_NEW(arena, struct nat_mono);

    nats->arena = arena;
    one->hash = lift_hash_text("1");
    one->range = (struct nat_range){1, 1};
    nats->one = one;
    return nats;
}

void lift_nats_fini(struct lift_nats *nats)
{
    lift_table_fini(&nats->nats);
    lift_table_fini(&nats->monos);
    lift_table_fini(&nats->atoms);
}

/* ---- sums under construction ---- */

void nat_sum_init(struct nat_sum *s)
{
    s->terms = s->local;
    s->count = 0;
    s->cap = NAT_LOCAL_TERMS;
}

void nat_sum_fini(struct nat_sum *s)
{
    if (s->terms != s->local)
        free(s->terms);
}

static void sum_grow(struct nat_sum *s)
{
    struct nat_term *terms = lift_resize(NULL, 2 * (size_t)s->cap, sizeof *terms);

    memcpy(terms, s->terms, (size_t)s->count * sizeof *terms);
    nat_sum_fini(s);
    s->terms = terms;
    s->cap *= 2;
}

void nat_sum_push(struct nat_sum *s, int64_t coef, const struct nat_mono *mono)
{
    if (s->count == s->cap)
        sum_grow(s);
    s->terms[s->count++] = (struct nat_term){coef, mono};
}

/* Across pools, hashes identify equal subterms. Without hashes, a walk through shared
 * subterms would take exponential time. */
int lift_nat_compare(lift_nat a, lift_nat b)
{
    if (a == b)
        return 0;
    if (a->pool != b->pool && lift_hash_equal(lift_nat_hash(a), lift_nat_hash(b)))
        return 0;
    for (int i = 0; i < a->count && i < b->count; i++) {
        int c = nat_mono_compare(a->terms[i].mono, b->terms[i].mono);

        if (c)
            return c;
        if (a->terms[i].coef != b->terms[i].coef)
            return a->terms[i].coef < b->terms[i].coef ? -1 : 1;
    }
    return (a->count < b->count) - (a->count > b->count);
}

/* ---- nats ---- */

static bool nat_equal(const void *entry, const void *key)
{
    lift_nat n = entry;
    const struct nat_view *v = key;

    if (n->count != v->count)
        return false;
    for (int i = 0; i < v->count; i++)
        if (n->terms[i].coef != v->terms[i].coef || n->terms[i].mono != v->terms[i].mono)
            return false;
    return true;
}

static lift_nat nat_new(struct lift_nats *nats, struct nat_view v)
{
    struct lift_nat_node *n =
        lift_arena_alloc(nats->arena, sizeof *n + (size_t)v.count * sizeof *n->terms);

    n->pool = nats;
    n->count = v.count;
    for (int i = 0; i < v.count; i++) {
        const struct nat_mono *m = v.terms[i].mono;

        n->terms[i] = v.terms[i];
        n->vars |= m->vars;
        n->kinds |= m->kinds;
        n->depth = m->depth > n->depth ? m->depth : n->depth;
    }
    return n;
}

lift_nat nat_intern(struct lift_nats *nats, struct nat_view v)
{
    uint64_t h = (uint64_t)v.count;
    lift_nat n;

    for (int i = 0; i < v.count; i++)
        h = nat_mix(nat_mix(h, v.terms[i].mono->hash.lo), (uint64_t)v.terms[i].coef);
    n = lift_table_find(&nats->nats, h, &v, nat_equal);
    if (!n) {
        n = nat_new(nats, v);
        lift_table_insert(&nats->nats, h, (void *)n);
    }
    return n;
}

static lift_nat intern_const(struct lift_nats *nats, int64_t value)
{
    struct nat_term t = {value, nats->one};

    return nat_intern(nats, (struct nat_view){&t, value != 0});
}

lift_nat lift_nat_const(struct lift_nats *nats, int64_t value)
{
    lift_nat *known;

    if (value < NAT_FIRST_CONST || value >= NAT_FIRST_CONST + NAT_CONSTS)
        return intern_const(nats, value);
    known = &nats->consts[value - NAT_FIRST_CONST];
    if (!*known)
        *known = intern_const(nats, value);
    return *known;
}

/* ---- atoms ---- */

static bool atom_equal(const void *entry, const void *key)
{
    const struct nat_atom *a = entry, *k = key;

    if (a->kind != k->kind)
        return false;
    if (a->kind == LIFT_ATOM_VAR)
        return !strcmp(a->key, k->key) && !strcmp(a->name, k->name);
    return a->a == k->a && a->b == k->b;
}

static uint64_t atom_key(const struct nat_atom *k)
{
    if (k->kind == LIFT_ATOM_VAR)
        return lift_hash_text(k->key).lo;
    return nat_mix(nat_mix((uint64_t)k->kind, lift_nat_hash(k->a).lo),
                   lift_nat_hash(k->b).lo);
}

/* 'key' is complete except for the cached mono and self. */
static const struct nat_atom *atom_insert(struct lift_nats *nats, uint64_t h,
                                          const struct nat_atom *key)
{
    struct nat_atom *atom = lift_arena_copy(nats->arena, key, sizeof *key);
    struct nat_term t = {1, NULL};

    t.mono = atom->mono = nat_mono_of_atom(nats, atom);
    lift_table_insert(&nats->atoms, h, atom);
    atom->self = nat_intern(nats, (struct nat_view){&t, 1});
    return atom;
}

lift_nat nat_intern_atom(struct lift_nats *nats, enum lift_atom_kind kind, lift_nat a,
                         lift_nat b)
{
    struct nat_atom key = {.kind = kind, .a = a, .b = b};
    uint64_t h = atom_key(&key);
    const struct nat_atom *atom = lift_table_find(&nats->atoms, h, &key, atom_equal);

    if (atom)
        return atom->self;
    key.hash = lift_hash_add_int(lift_hash_combine(lift_nat_hash(a), lift_nat_hash(b)),
                                 (int64_t)kind);
    key.vars = a->vars | b->vars;
    key.kinds = a->kinds | b->kinds;
    key.depth = (a->depth > b->depth ? a->depth : b->depth) + 1;
    key.range = nat_atom_range(&key);
    return atom_insert(nats, h, &key)->self;
}

/* 'var' has name, key, kind and range. */
static lift_nat intern_var(struct lift_nats *nats, struct nat_atom var)
{
    uint64_t h = atom_key(&var);
    const struct nat_atom *known = lift_table_find(&nats->atoms, h, &var, atom_equal);

    if (known) {
        if (known->var_kind != var.var_kind || known->range.lo != var.range.lo ||
            known->range.hi != var.range.hi)
            LIFT_BUG("variable '%s' declared twice with different kind or range",
                     var.name);
        return known->self;
    }
    if (var.range.lo > var.range.hi)
        LIFT_BUG("variable '%s' has an empty range", var.name);
    var.name = lift_arena_strdup(nats->arena, var.name);
    var.key = lift_arena_strdup(nats->arena, var.key);
    var.hash = lift_hash_text(var.key);
    var.vars = (uint64_t)1 << var.hash.hi % 64;
    var.kinds = 1u << var.var_kind;
    return atom_insert(nats, h, &var)->self;
}

lift_nat lift_nat_var(struct lift_nats *nats, const char *name, enum lift_var_kind kind,
                      int64_t lo, int64_t hi)
{
    return intern_var(nats, (struct nat_atom){.kind = LIFT_ATOM_VAR,
                                              .name = name,
                                              .key = name,
                                              .var_kind = kind,
                                              .range = {lo, hi}});
}

lift_nat lift_nat_tunable(struct lift_nats *nats, const char *name, const char *key,
                          int64_t lo, int64_t hi)
{
    return intern_var(nats, (struct nat_atom){.kind = LIFT_ATOM_VAR,
                                              .name = name,
                                              .key = key,
                                              .var_kind = LIFT_VAR_TUNABLE,
                                              .range = {lo, hi}});
}

lift_nat lift_nat_find_var(struct lift_nats *nats, const char *name)
{
    struct nat_atom key = {.kind = LIFT_ATOM_VAR, .name = name, .key = name};
    const struct nat_atom *known =
        lift_table_find(&nats->atoms, atom_key(&key), &key, atom_equal);

    return known ? known->self : NULL;
}

/* ---- queries ---- */

struct lift_nats *lift_nat_pool(lift_nat n)
{
    return n->pool;
}

bool lift_nat_is_const(lift_nat n, int64_t *value)
{
    if (n->count > 1 || (n->count == 1 && n->terms[0].mono->count))
        return false;
    if (value)
        *value = n->count ? n->terms[0].coef : 0;
    return true;
}

bool lift_nat_is(lift_nat n, int64_t value)
{
    int64_t v;

    return lift_nat_is_const(n, &v) && v == value;
}

const char *lift_nat_is_var(lift_nat n, enum lift_var_kind *kind)
{
    const struct nat_atom *a;

    if (n->count != 1 || n->terms[0].coef != 1)
        return NULL;
    a = nat_mono_is(n->terms[0].mono, LIFT_ATOM_VAR);
    if (a && kind)
        *kind = a->var_kind;
    return a ? a->name : NULL;
}

const char *lift_nat_key(lift_nat var)
{
    const struct nat_atom *a =
        var->count == 1 ? nat_mono_is(var->terms[0].mono, LIFT_ATOM_VAR) : NULL;

    LIFT_ASSERT(a);
    return a->key;
}

int64_t lift_nat_lo(lift_nat n)
{
    return nat_range(n).lo;
}

int64_t lift_nat_hi(lift_nat n)
{
    return nat_range(n).hi;
}

struct search {
    lift_nat var;
    bool found;
};

static void look(void *user, const struct lift_var *var)
{
    struct search *s = user;

    s->found |= var->nat == s->var;
}

bool lift_nat_has(lift_nat n, lift_nat var)
{
    struct search s = {var, false};

    lift_nat_each_var(n, look, &s);
    return s.found;
}

bool lift_nat_mentions(lift_nat n, enum lift_var_kind kind)
{
    return n->kinds >> kind & 1;
}

struct nat_range nat_range_slow(lift_nat n)
{
    struct lift_nat_node *cache = (struct lift_nat_node *)n;

    cache->range = nat_bounds(n->pool, nat_view(n));
    cache->ranged = true;
    return n->range;
}

struct lift_hash lift_nat_hash(lift_nat n)
{
    struct lift_nat_node *cache = (struct lift_nat_node *)n;

    if (n->hashed)
        return n->hash;
    cache->hash = n->pool->one->hash;
    for (int i = 0; i < n->count; i++)
        cache->hash = lift_hash_combine(lift_hash_add_int(n->hash, n->terms[i].coef),
                                        n->terms[i].mono->hash);
    cache->hashed = true;
    return n->hash;
}

int lift_nat_term_count(lift_nat n)
{
    return n->count;
}

int64_t lift_nat_term(lift_nat n, int term, int *factor_count)
{
    LIFT_ASSERT(term >= 0 && term < n->count);
    if (factor_count)
        *factor_count = n->terms[term].mono->count;
    return n->terms[term].coef;
}

struct lift_atom lift_nat_factor(lift_nat n, int term, int factor)
{
    const struct nat_atom *a;

    LIFT_ASSERT(term >= 0 && term < n->count);
    LIFT_ASSERT(factor >= 0 && factor < n->terms[term].mono->count);
    a = n->terms[term].mono->factors[factor];
    return (struct lift_atom){a->kind, a->name, a->a, a->b};
}
