/* Sizes of types: symbolic, with unknown lengths. Two sizes are equal if their normal
 * forms are equal, or if a fact equates them. Otherwise typing_grid.c compares their
 * values. */
#include "ir/nat.h"
#include "rules/read/typing.h"
#include <string.h>

/* ---- making sizes */

lift_nat size_make(struct sizes *s, char op, lift_nat a, lift_nat b)
{
    lift_nat n = lift_nat_combine(op, a, b);

    return n ? n : size_unknown(s);
}

/* Makes an unknown length, whose name is '#' and two digits. Above the limit, all unknown
 * lengths share the last name; only the check covers such large rules. */
lift_nat size_unknown(struct sizes *s)
{
    int i = s->count < SIZE_MAX_UNKNOWN ? s->count++ : SIZE_MAX_UNKNOWN - 1;
    char name[] = {'#', (char)('0' + i / 64), (char)('0' + i % 64), '\0'};

    return lift_nat_var(s->nats, name, LIFT_VAR_META, LIFT_NAT_MIN, LIFT_NAT_MAX);
}

int size_index(const struct sizes *s, lift_nat var)
{
    const char *name = lift_nat_is_var(var, NULL);

    return name && name[0] == '#' ? RULE_MAX_NATS + (name[1] - '0') * 64 + name[2] - '0'
                                  : rule_size_index(s->names, var);
}

/* Returns the value of an unknown length; NULL if 'var' has no value, or is not an
 * unknown length. */
static lift_nat link_of(const struct sizes *s, lift_nat var)
{
    int unknown = size_index(s, var) - RULE_MAX_NATS;

    return unknown >= 0 ? s->links[unknown] : NULL;
}

struct weighing {
    const struct sizes *s;
    bool linked; /* a variable has a value */
};

static int64_t weigh(void *weighing, lift_nat var)
{
    struct weighing *w = weighing;
    lift_nat link = link_of(w->s, var);

    w->linked = w->linked || link;
    return link ? lift_nat_measure(link, weigh, w) : 2;
}

static lift_nat through(void *sizes, lift_nat var)
{
    lift_nat link = link_of(sizes, var);

    return link ? size_find(sizes, link) : NULL;
}

lift_nat size_find(struct sizes *s, lift_nat n)
{
    struct weighing w = {.s = s};

    return lift_nat_measure(n, weigh, &w) <= LIFT_NAT_MOST && w.linked
               ? lift_nat_subst(s->nats, n, through, s)
               : n;
}

void size_fact(struct sizes *s, enum cond_kind kind, lift_nat a, lift_nat b)
{
    if (s->fact_count < SIZE_MAX_FACTS)
        s->facts[s->fact_count++] = (struct rule_cond){kind, a, b};
}

/* ---- comparing sizes */

/* Gives the unknown length 'a' the value 'b', if 'a' is not below 'rigid' and 'b' does
 * not contain 'a'. Both are results of size_find. */
static bool link_to(struct sizes *s, lift_nat a, lift_nat b, int rigid)
{
    if (size_index(s, a) < RULE_MAX_NATS + rigid || lift_nat_has(b, a))
        return false;
    s->links[size_index(s, a) - RULE_MAX_NATS] = b;
    return true;
}

void size_unify(struct sizes *s, lift_nat a, lift_nat b)
{
    a = size_find(s, a);
    b = size_find(s, b);
    if (a != b && !link_to(s, a, b, 0) && !link_to(s, b, a, 0))
        size_fact(s, COND_EQ, a, b);
}

/* Returns the smallest value of a variable that the facts allow. */
static int64_t least(struct sizes *s, lift_nat var)
{
    int64_t lo = size_index(s, var) >= RULE_MAX_NATS, at;

    for (int i = 0; i < s->fact_count; i++)
        if (s->facts[i].kind <= COND_LT && lift_nat_is_const(s->facts[i].a, &at) &&
            size_find(s, s->facts[i].b) == var) {
            at += s->facts[i].kind == COND_LT;
            lo = at > lo ? at : lo;
        }
    return lo;
}

static bool is_taken(const struct sizes *s, const char *name)
{
    for (int i = 0; i < s->names->nat_count; i++)
        if (strcmp(s->names->nats[i].name, name) == 0)
            return true;
    for (int i = 0; i < s->count; i++)
        if (s->shown[i] && strcmp(s->shown[i], name) == 0)
            return true;
    return false;
}

/* Returns the name of a size. An unknown length without a name gets a letter. */
static const char *name_of(struct sizes *s, int index)
{
    static const char letters[] = "nmpqruvwyzghd";
    int unknown = index - RULE_MAX_NATS;
    char name[2] = "";

    if (unknown < 0)
        return s->names->nats[index].name;
    for (int i = 0; letters[i] && !s->shown[unknown]; i++) {
        name[0] = letters[i];
        if (!is_taken(s, name))
            s->shown[unknown] = lift_arena_strdup(s->arena, name);
    }
    if (!s->shown[unknown])
        s->shown[unknown] = lift_arena_printf(s->arena, "n%d", unknown);
    return s->shown[unknown];
}

struct named {
    struct sizes *s;
    struct lift_nats *into;
};

static lift_nat named_as(void *user, lift_nat var)
{
    enum { MOST = 1 << 20 };
    const struct named *x = user;
    const char *name = name_of(x->s, size_index(x->s, var));
    lift_nat old = lift_nat_find_var(x->into, name);

    return old ? old : lift_nat_var(x->into, name, LIFT_VAR_META, least(x->s, var), MOST);
}

/* Returns the normal form with variables whose bounds follow from the facts. */
static lift_nat normal(struct sizes *s, struct lift_nats *nats, lift_nat n)
{
    return lift_nat_subst(nats, size_find(s, n), named_as, &(struct named){s, nats});
}

/* True if an equation among the facts has the difference of 'a' and 'b'. */
static bool is_fact(struct sizes *s, lift_nat a, lift_nat b)
{
    lift_nat gap = lift_nat_combine('-', a, b), back = lift_nat_combine('-', b, a);

    for (int i = 0; gap && back && i < s->fact_count; i++) {
        lift_nat c = size_find(s, s->facts[i].a), d = size_find(s, s->facts[i].b), known;

        known = s->facts[i].kind == COND_EQ ? lift_nat_combine('-', c, d) : NULL;
        if (known && (known == gap || known == back))
            return true;
    }
    return false;
}

enum size_verdict size_compare(struct sizes *s, lift_nat a, lift_nat b,
                               struct lift_str *sample)
{
    a = size_find(s, a);
    b = size_find(s, b);
    if (a == b || link_to(s, a, b, s->rigid) || link_to(s, b, a, s->rigid) ||
        is_fact(s, a, b))
        return SIZES_EQUAL;
    return size_on_grid(s, a, b, sample);
}

/* ---- printing */

void size_print(struct sizes *s, lift_nat n, int parent, struct lift_str *out)
{
    LIFT_OWNED(lift_arena) *arena = NULL;
    struct lift_nats *nats;

    n = size_find(s, n);
    if (lift_nat_is_var(n, NULL)) {
        lift_str_add(out, name_of(s, size_index(s, n)));
        return;
    }
    if (lift_nat_measure(n, weigh, &(struct weighing){.s = s}) > LIFT_NAT_MOST) {
        lift_str_add(out, "(...)");
        return;
    }
    arena = lift_arena_create();
    nats = lift_nats_create(arena);
    lift_nat_print(normal(s, nats, n), parent, out);
    lift_nats_fini(nats);
}
