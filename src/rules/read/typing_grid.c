/* Two sizes compared by their values: at small sizes that fulfil all conditions, found by
 * a search that gives one variable after the other a value and gives up early. */
#include "ir/nat.h"
#include "rules/read/typing.h"

enum {
    MAX_STEPS = 6000, /* values tried in all */
    MAX_ORDER = 24,   /* variables */
    MAX_VALUE = 40,
};

struct grid {
    struct sizes *s;
    const struct nat_pat *a, *b;
    int order[MAX_ORDER]; /* the variables that matter */
    int count;
    int last[SIZE_MAX_FACTS]; /* the step after which a fact can be tested; -1: never */
    int64_t values[SIZE_MAX_VARS];
    bool marked[SIZE_MAX_VARS];
    int64_t most;
    int steps;
    bool equal, unequal; /* seen so far */
    struct lift_str *sample;
};

/* ---- values */

static bool divide(enum nat_pat_kind kind, int64_t a, int64_t b, int64_t *out)
{
    int64_t q;

    if (b < 1)
        return false;
    q = a / b - (a % b < 0);
    if (kind == NAT_DIV)
        *out = q;
    else
        *out = kind == NAT_MOD ? a - q * b : -(-a / b - (-a % b < 0));
    return true;
}

/* False if it has no value. */
static bool eval(const struct grid *g, const struct nat_pat *p, int64_t *out)
{
    int64_t a, b;

    p = size_find(g->s, p);
    if (p->kind == NAT_CONST || p->kind == NAT_META) {
        *out = p->kind == NAT_CONST ? p->value : g->values[p->index];
        return true;
    }
    if (!eval(g, p->a, &a) || !eval(g, p->b, &b))
        return false;
    switch (p->kind) {
    case NAT_ADD:
        return !__builtin_add_overflow(a, b, out);
    case NAT_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case NAT_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case NAT_MIN:
        *out = a < b ? a : b;
        return true;
    case NAT_MAX:
        *out = a > b ? a : b;
        return true;
    default:
        return divide(p->kind, a, b, out);
    }
}

static bool holds(const struct grid *g, const struct rule_cond *c)
{
    int64_t a, b;

    if (!eval(g, c->a, &a) || !eval(g, c->b, &b))
        return false;
    switch (c->kind) {
    case COND_LE:
        return a <= b;
    case COND_LT:
        return a < b;
    case COND_EQ:
        return a == b;
    case COND_NE:
        return a != b;
    case COND_DIVIDES:
        return a >= 1 && b % a == 0;
    }
    return false;
}

/* ---- variables */

static bool touches(const struct grid *g, const struct nat_pat *p)
{
    p = size_find(g->s, p);
    if (p->kind == NAT_META)
        return g->marked[p->index];
    return (p->a && touches(g, p->a)) || (p->b && touches(g, p->b));
}

/* True if there are new ones. Values go beyond the constants of the rule. */
static bool mark(struct grid *g, const struct nat_pat *p)
{
    bool found = false;

    p = size_find(g->s, p);
    if (p->kind == NAT_CONST && p->value > g->most - 4 && p->value <= MAX_VALUE - 4)
        g->most = p->value + 4;
    if (p->kind == NAT_META) {
        found = !g->marked[p->index];
        g->marked[p->index] = true;
    }
    if (p->a)
        found = mark(g, p->a) || found;
    if (p->b)
        found = mark(g, p->b) || found;
    return found;
}

/* The variables of both sizes, and those that facts tie to them. */
static void find_variables(struct grid *g)
{
    bool more = true;

    mark(g, g->a);
    mark(g, g->b);
    while (more) {
        more = false;
        for (int i = 0; i < g->s->fact_count; i++) {
            const struct rule_cond *c = &g->s->facts[i];

            if (!touches(g, c->a) && !touches(g, c->b))
                continue;
            more = mark(g, c->a) || more;
            more = mark(g, c->b) || more;
        }
    }
    for (int i = 0; i < SIZE_MAX_VARS && g->count < MAX_ORDER; i++)
        if (g->marked[i])
            g->order[g->count++] = i;
}

static int last_of(const struct grid *g, const struct nat_pat *p)
{
    int a, b;

    p = size_find(g->s, p);
    if (p->kind == NAT_META) {
        for (int i = 0; i < g->count; i++)
            if (g->order[i] == p->index)
                return i;
        return MAX_ORDER;
    }
    a = p->a ? last_of(g, p->a) : 0;
    b = p->b ? last_of(g, p->b) : 0;
    return a > b ? a : b;
}

/* ---- the search */

static void describe(struct grid *g)
{
    int64_t a = 0, b = 0;

    lift_str_clear(g->sample);
    for (int i = 0; i < g->count; i++) {
        struct nat_pat p = {.kind = NAT_META, .index = g->order[i]};

        lift_str_add(g->sample, i ? ", " : "");
        size_print(g->s, &p, 0, g->sample);
        lift_str_addf(g->sample, " = %lld", (long long)g->values[g->order[i]]);
    }
    eval(g, g->a, &a);
    eval(g, g->b, &b);
    lift_str_addf(g->sample, " (%lld and %lld)", (long long)a, (long long)b);
}

static void compare(struct grid *g)
{
    int64_t a, b;

    if (!eval(g, g->a, &a) || !eval(g, g->b, &b))
        return;
    if (a == b) {
        g->equal = true;
    } else if (!g->unequal) {
        g->unequal = true;
        describe(g);
    }
}

static bool facts_hold(const struct grid *g, int step)
{
    for (int i = 0; i < g->s->fact_count; i++)
        if (g->last[i] == step && !holds(g, &g->s->facts[i]))
            return false;
    return true;
}

/* Sizes of the rule from 0, lengths from 1; those that are special come late. */
static void search(struct grid *g, int step)
{
    static const int first[] = {2, 3, 1, 4, 0};
    int64_t *value;

    if (step == g->count) {
        compare(g);
        return;
    }
    value = &g->values[g->order[step]];
    for (int i = 0; i <= g->most && g->steps < MAX_STEPS; i++) {
        if (g->equal && g->unequal)
            return;
        *value = i < 5 ? first[i] : i;
        g->steps++;
        if ((*value > 0 || g->order[step] < RULE_MAX_NATS) && facts_hold(g, step))
            search(g, step + 1);
    }
}

enum size_verdict size_on_grid(struct sizes *s, const struct nat_pat *a,
                               const struct nat_pat *b, struct lift_str *sample)
{
    static const int most[] = {40, 40, 24, 14, 10};
    struct grid g = {.s = s, .a = a, .b = b, .sample = sample};

    find_variables(&g);
    if (g.most < most[g.count < 5 ? g.count : 4])
        g.most = most[g.count < 5 ? g.count : 4];
    for (int i = 0; i < s->fact_count; i++) {
        int x = last_of(&g, s->facts[i].a), y = last_of(&g, s->facts[i].b);

        g.last[i] = x > y ? x : y;
    }
    search(&g, 0);
    if (!g.unequal)
        return SIZES_EQUAL;
    return g.equal ? SIZES_SOMETIMES : SIZES_DIFFER;
}
