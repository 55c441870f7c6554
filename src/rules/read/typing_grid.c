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
    lift_nat a, b;
    struct rule_cond facts[SIZE_MAX_FACTS];
    int fact_count;
    int last[SIZE_MAX_FACTS]; /* the step after which a fact can be tested; -1: never */
    struct {
        lift_nat var;
        const char *name;
        int index;
        int64_t value;
    } order[MAX_ORDER]; /* the variables that matter */
    int count;
    int64_t most;
    int steps;
    bool equal, unequal; /* seen so far */
    struct lift_str *sample;
};

/* ---- values */

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

/* False if it has no value. */
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

/* ---- variables */

static int64_t weigh(void *user, lift_nat var)
{
    (void)user, (void)var;
    return MAX_VALUE;
}

/* Whether no value of it overflows. */
static bool is_small(lift_nat n)
{
    return lift_nat_measure(n, weigh, NULL) < INT64_MAX / 2;
}

static int place_of(const struct grid *g, lift_nat var)
{
    int i = 0;

    while (i < g->count && g->order[i].var != var)
        i++;
    return i;
}

/* Sizes of the rule come first. */
static void mark_var(void *grid, const struct lift_var *var)
{
    struct grid *g = grid;
    int index = size_index(g->s, var->nat), at = g->count;

    if (place_of(g, var->nat) < g->count || g->count == MAX_ORDER)
        return;
    for (; at > 0 && g->order[at - 1].index > index; at--)
        g->order[at] = g->order[at - 1];
    g->order[at].var = var->nat;
    g->order[at].name = var->name;
    g->order[at].index = index;
    g->count++;
}

/* Values go beyond the constants of the rule. */
static void mark_number(void *grid, int64_t number)
{
    struct grid *g = grid;

    if (number > g->most - 4 && number <= MAX_VALUE - 4)
        g->most = number + 4;
}

static void mark(struct grid *g, lift_nat n)
{
    lift_nat_each_var(n, mark_var, g);
    lift_nat_each_number(n, mark_number, g);
}

struct last {
    const struct grid *g;
    int place;    /* of the last variable */
    bool touched; /* one is among those that matter */
};

static void meet(void *user, const struct lift_var *var)
{
    struct last *l = user;
    int place = place_of(l->g, var->nat);

    l->touched = l->touched || place < l->g->count;
    l->place = place > l->place ? place : l->place;
}

static struct last last_of(const struct grid *g, const struct rule_cond *c)
{
    struct last l = {.g = g};

    lift_nat_each_var(c->a, meet, &l);
    lift_nat_each_var(c->b, meet, &l);
    return l;
}

/* The variables of both sizes, and those that facts tie to them. */
static void find_variables(struct grid *g)
{
    int before = -1;

    mark(g, g->a);
    mark(g, g->b);
    while (before < g->count) {
        before = g->count;
        for (int i = 0; i < g->fact_count; i++)
            if (last_of(g, &g->facts[i]).touched) {
                mark(g, g->facts[i].a);
                mark(g, g->facts[i].b);
            }
    }
}

/* ---- the search */

static void describe(struct grid *g)
{
    int64_t a = 0, b = 0;

    lift_str_clear(g->sample);
    for (int i = 0; i < g->count; i++) {
        lift_str_add(g->sample, i ? ", " : "");
        size_print(g->s, g->order[i].var, 0, g->sample);
        lift_str_addf(g->sample, " = %lld", (long long)g->order[i].value);
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

static bool facts_hold(struct grid *g, int step)
{
    for (int i = 0; i < g->fact_count; i++)
        if (g->last[i] == step && !holds(g, &g->facts[i]))
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
    value = &g->order[step].value;
    for (int i = 0; i <= g->most && g->steps < MAX_STEPS; i++) {
        if (g->equal && g->unequal)
            return;
        *value = i < 5 ? first[i] : i;
        g->steps++;
        if ((*value > 0 || g->order[step].index < RULE_MAX_NATS) && facts_hold(g, step))
            search(g, step + 1);
    }
}

enum size_verdict size_on_grid(struct sizes *s, lift_nat a, lift_nat b,
                               struct lift_str *sample)
{
    static const int most[] = {40, 40, 24, 14, 10};
    struct grid g = {.s = s, .a = a, .b = b, .sample = sample};

    if (!is_small(a) || !is_small(b))
        return SIZES_EQUAL;
    for (int i = 0; i < s->fact_count; i++) {
        struct rule_cond c = {s->facts[i].kind, size_find(s, s->facts[i].a),
                              size_find(s, s->facts[i].b)};

        if (is_small(c.a) && is_small(c.b))
            g.facts[g.fact_count++] = c;
    }
    find_variables(&g);
    if (g.most < most[g.count < 5 ? g.count : 4])
        g.most = most[g.count < 5 ? g.count : 4];
    for (int i = 0; i < g.fact_count; i++) {
        struct last l = last_of(&g, &g.facts[i]);

        g.last[i] = l.place < g.count ? l.place : -1;
    }
    search(&g, 0);
    if (!g.unequal)
        return SIZES_EQUAL;
    return g.equal ? SIZES_SOMETIMES : SIZES_DIFFER;
}
