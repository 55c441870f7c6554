/* Compares two sizes by their values, at small sizes that fulfil all conditions. */
#include "ir/nat.h"
#include "rules/read/typing.h"

enum {
    MAX_STEPS = 20000, /* limit of evaluated choices of values */
    MAX_ORDER = 12,    /* limit of variables */
    MAX_VALUE = 40,
};

struct grid {
    struct sizes *s;
    struct {
        lift_nat var;
        const char *name;
        int index;
        int64_t value;
    } order[MAX_ORDER]; /* the relevant variables, sizes of the rule first */
    int count;
    struct rule_cond facts[SIZE_MAX_FACTS]; /* the facts about these variables */
    int fact_count;
};

static bool lookup(void *grid, const char *name, int64_t *value)
{
    const struct grid *g = grid;

    for (int i = 0; i < g->count; i++)
        if (g->order[i].name == name) {
            *value = g->order[i].value;
            return true;
        }
    return false;
}

/* Evaluates a size; false if the size has no value. */
static bool eval(struct grid *g, lift_nat n, int64_t *out)
{
    return lift_nat_eval(n, lookup, g, out);
}

static bool holds(struct grid *g, const struct rule_cond *c)
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

static int64_t weigh(void *user, lift_nat var)
{
    (void)user, (void)var;
    return MAX_VALUE;
}

/* True if no value of the size overflows. */
static bool is_small(lift_nat n)
{
    return lift_nat_measure(n, weigh, NULL) < INT64_MAX / 2;
}

static void mark_var(void *grid, const struct lift_var *var)
{
    struct grid *g = grid;
    int index = size_index(g->s, var->nat), at = g->count;

    for (int i = 0; i < g->count; i++)
        if (g->order[i].var == var->nat)
            return;
    if (g->count == MAX_ORDER)
        return;
    for (; at > 0 && g->order[at - 1].index > index; at--)
        g->order[at] = g->order[at - 1];
    g->order[at].var = var->nat;
    g->order[at].name = var->name;
    g->order[at].index = index;
    g->count++;
}

static bool touches(const struct grid *g, const struct rule_cond *c)
{
    for (int i = 0; i < g->count; i++)
        if (lift_nat_has(c->a, g->order[i].var) || lift_nat_has(c->b, g->order[i].var))
            return true;
    return false;
}

/* Adds the facts about the variables so far, and the variables of these facts. Returns
 * false if there are no further facts. */
static bool add_facts(struct grid *g, bool added[SIZE_MAX_FACTS])
{
    int before = g->fact_count;

    for (int i = 0; i < g->s->fact_count; i++) {
        struct rule_cond c = {g->s->facts[i].kind, size_find(g->s, g->s->facts[i].a),
                              size_find(g->s, g->s->facts[i].b)};

        if (added[i] || !touches(g, &c) || !is_small(c.a) || !is_small(c.b))
            continue;
        added[i] = true;
        g->facts[g->fact_count++] = c;
        lift_nat_each_var(c.a, mark_var, g);
        lift_nat_each_var(c.b, mark_var, g);
    }
    return g->fact_count > before;
}

/* Sets the values from the digits of 'step' in the base 'most'; lengths are at least 1.
 * Returns true if the values fulfil the facts. */
static bool choose(struct grid *g, int step, int most)
{
    static const int first[] = {2, 3, 1, 4, 0};

    for (int i = 0; i < g->count; i++, step /= most) {
        int digit = step % most;

        g->order[i].value = digit < 5 ? first[digit] : digit;
        if (g->order[i].index >= RULE_MAX_NATS && g->order[i].value == 0)
            return false;
    }
    for (int i = 0; i < g->fact_count; i++)
        if (!holds(g, &g->facts[i]))
            return false;
    return true;
}

static void describe(struct grid *g, int64_t a, int64_t b, struct lift_str *out)
{
    lift_str_clear(out);
    for (int i = 0; i < g->count; i++) {
        lift_str_add(out, i ? ", " : "");
        size_print(g->s, g->order[i].var, 0, out);
        lift_str_addf(out, " = %lld", (long long)g->order[i].value);
    }
    lift_str_addf(out, " (%lld and %lld)", (long long)a, (long long)b);
}

enum size_verdict size_on_grid(struct sizes *s, lift_nat a, lift_nat b,
                               struct lift_str *sample)
{
    struct grid g = {.s = s};
    bool added[SIZE_MAX_FACTS] = {false}, equal = false, unequal = false;
    int most = MAX_VALUE, steps = MAX_STEPS + 1;

    if (!is_small(a) || !is_small(b))
        return SIZES_EQUAL;
    lift_nat_each_var(a, mark_var, &g);
    lift_nat_each_var(b, mark_var, &g);
    while (add_facts(&g, added))
        ;
    for (; steps > MAX_STEPS && most > 4; most -= steps > MAX_STEPS) {
        steps = 1;
        for (int i = 0; i < g.count && steps <= MAX_STEPS; i++)
            steps *= most;
    }
    for (int i = 0; i < steps && i < MAX_STEPS && !(equal && unequal); i++) {
        int64_t x, y;

        if (!choose(&g, i, most) || !eval(&g, a, &x) || !eval(&g, b, &y))
            continue;
        if (x != y && !unequal)
            describe(&g, x, y, sample);
        equal = equal || x == y;
        unequal = unequal || x != y;
    }
    return !unequal ? SIZES_EQUAL : equal ? SIZES_SOMETIMES : SIZES_DIFFER;
}
