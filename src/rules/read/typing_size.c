/* Sizes of types: symbolic, with unknown lengths. Two sizes are compared as normal forms,
 * and where that does not tell, by their values (typing_grid.c). */
#include "ir/nat.h"
#include "rules/read/typing.h"
#include <string.h>

/* ---- making */

const struct nat_pat *size_make(struct sizes *s, enum nat_pat_kind kind,
                                const struct nat_pat *a, const struct nat_pat *b)
{
    struct nat_pat *p = LIFT_NEW(s->arena, struct nat_pat);

    p->kind = kind;
    p->a = a;
    p->b = b;
    return p;
}

const struct nat_pat *size_const(struct sizes *s, int64_t value)
{
    struct nat_pat *p = LIFT_NEW(s->arena, struct nat_pat);

    p->kind = NAT_CONST;
    p->value = value;
    return p;
}

/* When there are too many, the last one stands for all that follow: a rule of that size
 * is left to the check. */
const struct nat_pat *size_unknown(struct sizes *s)
{
    struct nat_pat *p = LIFT_NEW(s->arena, struct nat_pat);

    s->count += s->count < SIZE_MAX_UNKNOWN;
    p->kind = NAT_META;
    p->index = RULE_MAX_NATS + s->count - 1;
    return p;
}

static bool is_unknown(const struct nat_pat *p)
{
    return p->kind == NAT_META && p->index >= RULE_MAX_NATS;
}

const struct nat_pat *size_find(const struct sizes *s, const struct nat_pat *p)
{
    while (is_unknown(p) && s->links[p->index - RULE_MAX_NATS])
        p = s->links[p->index - RULE_MAX_NATS];
    return p;
}

void size_bind(struct sizes *s, const struct nat_pat *unknown, const struct nat_pat *size)
{
    s->links[unknown->index - RULE_MAX_NATS] = size;
}

void size_fact(struct sizes *s, enum cond_kind kind, const struct nat_pat *a,
               const struct nat_pat *b)
{
    if (s->fact_count < SIZE_MAX_FACTS)
        s->facts[s->fact_count++] = (struct rule_cond){kind, a, b};
}

/* ---- comparing */

static bool mentions(const struct sizes *s, const struct nat_pat *p, int index)
{
    p = size_find(s, p);
    if (p->kind == NAT_META)
        return p->index == index;
    return (p->a && mentions(s, p->a, index)) || (p->b && mentions(s, p->b, index));
}

static bool same_tree(const struct sizes *s, const struct nat_pat *a,
                      const struct nat_pat *b)
{
    a = size_find(s, a);
    b = size_find(s, b);
    if (a == b)
        return true;
    if (a->kind != b->kind)
        return false;
    if (a->kind == NAT_CONST)
        return a->value == b->value;
    if (a->kind == NAT_META)
        return a->index == b->index;
    return same_tree(s, a->a, b->a) && same_tree(s, a->b, b->b);
}

/* Gives an unknown length, younger than 'rigid', the value 'b'. */
static bool link_to(struct sizes *s, const struct nat_pat *a, const struct nat_pat *b,
                    int rigid)
{
    if (!is_unknown(a) || a->index - RULE_MAX_NATS < rigid || mentions(s, b, a->index))
        return false;
    s->links[a->index - RULE_MAX_NATS] = b;
    return true;
}

void size_unify(struct sizes *s, const struct nat_pat *a, const struct nat_pat *b)
{
    a = size_find(s, a);
    b = size_find(s, b);
    if (!same_tree(s, a, b) && !link_to(s, a, b, 0) && !link_to(s, b, a, 0))
        size_fact(s, COND_EQ, a, b);
}

/* The smallest value that the facts leave to a variable. */
static int64_t least(const struct sizes *s, int index)
{
    int64_t lo = index >= RULE_MAX_NATS;

    for (int i = 0; i < s->fact_count; i++) {
        const struct nat_pat *a = size_find(s, s->facts[i].a);
        const struct nat_pat *b = size_find(s, s->facts[i].b);
        int64_t at = a->value + (s->facts[i].kind == COND_LT);

        if (s->facts[i].kind <= COND_LT && a->kind == NAT_CONST && at > lo &&
            b->kind == NAT_META && b->index == index)
            lo = at;
    }
    return lo;
}

static bool is_taken(const struct sizes *s, const char *name)
{
    for (int i = 0; i < s->names->nat_count; i++)
        if (strcmp(s->names->nats[i], name) == 0)
            return true;
    for (int i = 0; i < s->count; i++)
        if (s->shown[i] && strcmp(s->shown[i], name) == 0)
            return true;
    return false;
}

/* An unknown length without a name gets a letter. */
static const char *name_of(struct sizes *s, int index)
{
    static const char letters[] = "nmpqruvwyzghd";
    int unknown = index - RULE_MAX_NATS;
    char name[2] = "";

    if (unknown < 0)
        return s->names->nats[index];
    for (int i = 0; letters[i] && !s->shown[unknown]; i++) {
        name[0] = letters[i];
        if (!is_taken(s, name))
            s->shown[unknown] = lift_arena_strdup(s->arena, name);
    }
    if (!s->shown[unknown])
        s->shown[unknown] = lift_arena_printf(s->arena, "n%d", unknown);
    return s->shown[unknown];
}

static lift_nat variable(struct sizes *s, struct lift_nats *nats, int index)
{
    enum { MOST = 1 << 20 };
    const char *name = name_of(s, index);
    lift_nat old = lift_nat_find_var(nats, name);

    return old ? old : lift_nat_var(nats, name, LIFT_VAR_META, least(s, index), MOST);
}

static lift_nat combine(enum nat_pat_kind kind, lift_nat a, lift_nat b)
{
    if (kind == NAT_DIV || kind == NAT_MOD || kind == NAT_CEIL_DIV)
        b = lift_nat_max(b, lift_nat_const(lift_nat_pool(b), 1));
    return rule_nat_combine(kind, a, b);
}

/* The normal form. Where a divisor is not known to be positive, it is taken for at least
 * 1: otherwise there is no value to compare. */
static lift_nat normal(struct sizes *s, struct lift_nats *nats, const struct nat_pat *p)
{
    lift_nat a;

    p = size_find(s, p);
    if (p->kind == NAT_CONST)
        return lift_nat_const(nats, p->value);
    if (p->kind == NAT_META)
        return variable(s, nats, p->index);
    a = normal(s, nats, p->a);
    return combine(p->kind, a, normal(s, nats, p->b));
}

/* A bound of the numbers in the normal form. */
static double largest(const struct sizes *s, const struct nat_pat *p)
{
    double a, b;

    p = size_find(s, p);
    if (p->kind == NAT_CONST || p->kind == NAT_META)
        return p->kind == NAT_CONST ? (double)p->value : 1;
    a = largest(s, p->a);
    b = largest(s, p->b);
    return p->kind == NAT_ADD || p->kind == NAT_SUB ? a + b : (a + 1) * (b + 1);
}

bool size_has_form(const struct sizes *s, const struct nat_pat *p)
{
    return largest(s, p) < 1e15;
}

static bool same_form(struct sizes *s, const struct nat_pat *a, const struct nat_pat *b)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_nats *nats = lift_nats_create(arena);
    bool same = size_has_form(s, a) && size_has_form(s, b) &&
                normal(s, nats, a) == normal(s, nats, b);

    lift_nats_fini(nats);
    return same;
}

/* ---- with the facts */

/* Lengths that have a value for the time of one comparison. */
struct assumed {
    int unknown[SIZE_MAX_FACTS], count;
};

static bool assume(struct sizes *s, struct assumed *a, const struct nat_pat *p,
                   const struct nat_pat *value)
{
    p = size_find(s, p);
    if (!link_to(s, p, value, 0))
        return false;
    a->unknown[a->count++] = p->index - RULE_MAX_NATS;
    return true;
}

/* A length that is divided by d is d times another, one that is equal to a size is that
 * size. */
static void assume_fact(struct sizes *s, struct assumed *a, const struct rule_cond *c)
{
    if (c->kind == COND_DIVIDES)
        assume(s, a, c->b, size_make(s, NAT_MUL, c->a, size_unknown(s)));
    else if (c->kind == COND_EQ && !assume(s, a, c->a, c->b))
        assume(s, a, c->b, c->a);
}

static bool same_by_facts(struct sizes *s, const struct nat_pat *a,
                          const struct nat_pat *b)
{
    struct assumed assumed = {.count = 0};
    int before = s->count;
    bool same;

    for (int i = 0; i < s->fact_count; i++)
        assume_fact(s, &assumed, &s->facts[i]);
    same = assumed.count > 0 && same_form(s, a, b);
    for (int i = 0; i < assumed.count; i++)
        s->links[assumed.unknown[i]] = NULL;
    for (int i = before; i < s->count; i++)
        s->shown[i] = NULL;
    s->count = before;
    return same;
}

enum size_verdict size_compare(struct sizes *s, const struct nat_pat *a,
                               const struct nat_pat *b, struct lift_str *sample)
{
    a = size_find(s, a);
    b = size_find(s, b);
    if (same_tree(s, a, b) || link_to(s, a, b, s->rigid) || link_to(s, b, a, s->rigid) ||
        same_form(s, a, b) || same_by_facts(s, a, b))
        return SIZES_EQUAL;
    return size_on_grid(s, a, b, sample);
}

/* ---- printing */

void size_print(struct sizes *s, const struct nat_pat *p, int parent,
                struct lift_str *out)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_nats *nats = lift_nats_create(arena);

    if (size_has_form(s, p))
        lift_nat_print(normal(s, nats, p), parent, out);
    else
        lift_str_add(out, "(...)");
    lift_nats_fini(nats);
}
