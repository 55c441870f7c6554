/* Walks over nats: substitution, evaluation, variables. Nats share many parts (a mod
 * names its operand twice), so each atom is visited once. */
#include "base/bug.h"
#include "base/memory.h"
#include "ir/nat/nat_t.h"
#include <stdlib.h>

/* ---- rebuilding ---- */

struct rebuild {
    struct lift_nats *into;
    lift_nat_lookup *lookup;
    void *user;
    struct lift_ptrmap done;
};

static lift_nat rebuild(struct rebuild *r, lift_nat n);

static lift_nat rebuild_var(struct rebuild *r, const struct nat_atom *a)
{
    lift_nat n = r->lookup ? r->lookup(r->user, a->self) : NULL;

    if (n)
        return n;
    if (a->self->pool == r->into)
        return a->self;
    if (a->var_kind == LIFT_VAR_TUNABLE)
        return lift_nat_tunable(r->into, a->name, a->key, a->range.lo, a->range.hi);
    return lift_nat_var(r->into, a->name, a->var_kind, a->range.lo, a->range.hi);
}

static lift_nat rebuild_pair(struct rebuild *r, const struct nat_atom *a)
{
    lift_nat x = rebuild(r, a->a), y = rebuild(r, a->b);

    switch (a->kind) {
    case LIFT_ATOM_DIV:
        return lift_nat_div(x, y);
    case LIFT_ATOM_MIN:
        return lift_nat_min(x, y);
    case LIFT_ATOM_MAX:
        return lift_nat_max(x, y);
    case LIFT_ATOM_VAR:
        break;
    }
    LIFT_BUG("atom of kind %d", (int)a->kind);
}

static lift_nat rebuild_atom(struct rebuild *r, const struct nat_atom *a)
{
    lift_nat n;

    if (a->kind == LIFT_ATOM_VAR)
        return rebuild_var(r, a);
    n = lift_ptrmap_get(&r->done, a);
    if (!n) {
        n = rebuild_pair(r, a);
        lift_ptrmap_put(&r->done, a, (void *)n);
    }
    return n;
}

static lift_nat rebuild(struct rebuild *r, lift_nat n)
{
    lift_nat sum = lift_nat_const(r->into, 0);

    for (int t = 0; t < n->count; t++) {
        const struct nat_mono *m = n->terms[t].mono;
        lift_nat product = lift_nat_const(r->into, n->terms[t].coef);

        for (int f = 0; f < m->count; f++)
            product = lift_nat_mul(product, rebuild_atom(r, m->factors[f]));
        sum = lift_nat_add(sum, product);
    }
    return sum;
}

lift_nat lift_nat_subst(struct lift_nats *into, lift_nat n, lift_nat_lookup *lookup,
                        void *user)
{
    struct rebuild r = {into, lookup, user, {0}};
    const struct nat_atom *var = n->count == 1 && n->terms[0].coef == 1
                                     ? nat_mono_is(n->terms[0].mono, LIFT_ATOM_VAR)
                                     : NULL;
    lift_nat result;

    if (!n->kinds && n->pool == into)
        return n;
    if (var)
        return rebuild_var(&r, var);
    result = rebuild(&r, n);
    lift_ptrmap_fini(&r.done);
    return result;
}

struct replacement {
    lift_nat var, value;
};

static lift_nat replace(void *user, lift_nat var)
{
    const struct replacement *r = user;

    return var == r->var ? r->value : NULL;
}

lift_nat lift_nat_with(lift_nat n, lift_nat var, lift_nat value)
{
    return lift_nat_subst(n->pool, n, replace, &(struct replacement){var, value});
}

lift_nat lift_nat_assume(lift_nat n, const lift_nat *facts, int fact_count)
{
    struct lift_nats *nats = n->pool;
    lift_nat result;

    if (!n->depth || !fact_count)
        return n;
    LIFT_ASSERT(!nats->facts);
    nats->facts = facts;
    nats->fact_count = fact_count;
    result = lift_nat_subst(nats, n, NULL, NULL);
    nats->facts = NULL;
    nats->fact_count = 0;
    return result;
}

/* ---- evaluation ---- */

/* Caches the values of deeply nested atoms only; 'slots' has the index of a value plus 1.
 */
struct eval {
    lift_nat_value *lookup;
    void *user;
    struct lift_ptrmap slots;
    int64_t *values;
    size_t count, cap;
};

enum { REMEMBER_DEPTH = 3 };

static bool eval_nat(struct eval *e, lift_nat n, int64_t *out);

static bool recall(const struct eval *e, const struct nat_atom *a, int64_t *out)
{
    uintptr_t slot = (uintptr_t)lift_ptrmap_get(&e->slots, a);

    if (slot)
        *out = e->values[slot - 1];
    return slot != 0;
}

static bool eval_pair(struct eval *e, const struct nat_atom *a, int64_t *out)
{
    int64_t x, y;

    if (!eval_nat(e, a->a, &x) || !eval_nat(e, a->b, &y))
        return false;
    if (a->kind == LIFT_ATOM_MIN)
        *out = x < y ? x : y;
    else if (a->kind == LIFT_ATOM_MAX)
        *out = x > y ? x : y;
    else if (y < 1)
        return false;
    else
        *out = nat_floor_div(x, y);
    return true;
}

static bool eval_atom(struct eval *e, const struct nat_atom *a, int64_t *out)
{
    if (a->kind == LIFT_ATOM_VAR)
        return e->lookup && e->lookup(e->user, a->name, out);
    if (a->depth < REMEMBER_DEPTH)
        return eval_pair(e, a, out);
    if (recall(e, a, out))
        return true;
    if (!eval_pair(e, a, out))
        return false;
    LIFT_ROOM(e->values, e->count, e->cap);
    e->values[e->count++] = *out;
    lift_ptrmap_put(&e->slots, a, (void *)(uintptr_t)e->count);
    return true;
}

static bool eval_nat(struct eval *e, lift_nat n, int64_t *out)
{
    int64_t sum = 0;

    for (int t = 0; t < n->count; t++) {
        const struct nat_mono *m = n->terms[t].mono;
        int64_t product = n->terms[t].coef, value;

        for (int f = 0; f < m->count; f++) {
            if (!eval_atom(e, m->factors[f], &value))
                return false;
            if (__builtin_mul_overflow(product, value, &product))
                LIFT_BUG("the value of a nat overflows 64 bits");
        }
        if (__builtin_add_overflow(sum, product, &sum))
            LIFT_BUG("the value of a nat overflows 64 bits");
    }
    *out = sum;
    return true;
}

bool lift_nat_eval(lift_nat n, lift_nat_value *lookup, void *user, int64_t *value)
{
    struct eval e = {.lookup = lookup, .user = user};
    bool known = eval_nat(&e, n, value);

    lift_ptrmap_fini(&e.slots);
    free(e.values);
    return known;
}

/* ---- variables ---- */

struct visit {
    lift_nat_visit *call;
    void *user;
    struct lift_ptrmap done;
};

static void visit(struct visit *v, lift_nat n)
{
    for (int t = 0; t < n->count; t++) {
        const struct nat_mono *m = n->terms[t].mono;

        for (int f = 0; f < m->count; f++) {
            const struct nat_atom *a = m->factors[f];

            if (!a->kinds || lift_ptrmap_get(&v->done, a))
                continue;
            lift_ptrmap_put(&v->done, a, (void *)a);
            if (a->kind == LIFT_ATOM_VAR) {
                v->call(v->user, &(struct lift_var){a->self, a->name, a->key, a->var_kind,
                                                    a->range.lo, a->range.hi});
                continue;
            }
            visit(v, a->a);
            visit(v, a->b);
        }
    }
}

void lift_nat_each_var(lift_nat n, lift_nat_visit *call, void *user)
{
    struct visit v = {call, user, {0}};

    visit(&v, n);
    lift_ptrmap_fini(&v.done);
}
