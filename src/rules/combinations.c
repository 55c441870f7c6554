/* Counts combinations of options by dynamic programming over the decisions. The needs of
 * an option relate two decisions, or several decisions if the need has alternatives in
 * several. The number of completions depends only on the options of earlier decisions to
 * which a later decision is related. A table stores the number for each choice of these
 * options. */
#include "rules/combinations.h"
#include "base/memory.h"
#include "base/table.h"
#include "rules/rule_t.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STATES = 200000, /* limit of counted states: about half a second */
    ESTIMATE_DRAWS = 200000,
    MOST_DRAWS = 100000 /* draws until a configuration fits */
};

/* The options of the first 'taken' decisions. The option of a decision to which no later
 * decision is related is 0. */
struct state {
    struct lift_configuration configuration;
    int taken;
    double ways; /* the number of completions */
};

struct lift_combinations {
    const struct lift_rules *rules;
    struct lift_arena *arena;
    int decisions;
    uint32_t allowed[LIFT_MAX_DECISIONS]; /* allowed options, bit by index */
    /* For each option of a decision: the options of another decision that fit this
     * option. */
    uint32_t (*fits)[LIFT_MAX_OPTIONS][LIFT_MAX_DECISIONS];
    /* Options whose needs have alternatives in several decisions. 'last' is the last
     * decision that the need or the option belongs to. */
    struct joint {
        const struct lift_option *option;
        const struct lift_need *need;
        int last;
    } * joint;
    int joint_count, joint_cap;
    uint64_t related[LIFT_MAX_DECISIONS]; /* earlier decisions that this decision is
                                             related to, bit by index */
    uint64_t live[LIFT_MAX_DECISIONS +
                  1]; /* earlier decisions to which this or a later decision is related */
    struct lift_table states;
    bool counted;
    double count, error;
};

/* ---- relations */

static void relate_several(struct lift_combinations *c, const struct lift_option *o,
                           const struct lift_need *need)
{
    int n = lift_need_alternatives(need), last = o->decision->index;

    for (int k = 0; k < n; k++)
        last = need[k].decision->index > last ? need[k].decision->index : last;
    LIFT_ARENA_ROOM(c->arena, c->joint, c->joint_count, c->joint_cap);
    c->joint[c->joint_count++] = (struct joint){o, need, last};
    c->related[last] |= UINT64_C(1) << o->decision->index;
    for (int k = 0; k < n; k++)
        c->related[last] |= UINT64_C(1) << need[k].decision->index;
    c->related[last] &= ~(UINT64_C(1) << last);
}

static void relate(struct lift_combinations *c, int i, int a)
{
    const struct lift_option *o = c->rules->decisions[i]->options[a];

    for (int k = 0; k < o->need_count; k += lift_need_alternatives(&o->needs[k])) {
        int j = o->needs[k].decision->index;

        if (o->needs[k].or_next) {
            relate_several(c, o, &o->needs[k]);
            continue;
        }
        c->fits[i][a][j] &= o->needs[k].options;
        for (int b = 0; b < LIFT_MAX_OPTIONS; b++)
            if (j != i && !(o->needs[k].options >> b & 1))
                c->fits[j][b][i] &= ~(UINT32_C(1) << a);
        if (j < i)
            c->related[i] |= UINT64_C(1) << j;
        else if (j > i)
            c->related[j] |= UINT64_C(1) << i;
        else if (!(o->needs[k].options >> a & 1))
            c->allowed[i] &= ~(UINT32_C(1) << a);
    }
}

static bool is_for(const struct lift_option *o, unsigned device, bool relaxed)
{
    LIFT_SCOPED(lift_str) why = {0};

    return lift_option_is_for(o, device, relaxed, &why);
}

static void find_relations(struct lift_combinations *c, unsigned device, bool relaxed)
{
    memset(c->fits, 0xff, sizeof *c->fits * LIFT_MAX_DECISIONS);
    for (int i = 0; i < c->decisions; i++)
        for (int a = 0; a < c->rules->decisions[i]->option_count; a++)
            if (is_for(c->rules->decisions[i]->options[a], device, relaxed))
                c->allowed[i] |= UINT32_C(1) << a;
    for (int i = 0; i < c->decisions; i++)
        for (int a = 0; a < c->rules->decisions[i]->option_count; a++)
            relate(c, i, a);
    for (int i = 0; i < c->decisions; i++)
        for (int k = i; k < c->decisions; k++)
            c->live[i] |= c->related[k] & ((UINT64_C(1) << i) - 1);
}

static bool fits(const struct lift_combinations *c,
                 const struct lift_configuration *configuration, int i, int a)
{
    if (!(c->allowed[i] >> a & 1))
        return false;
    for (int j = 0; j < i; j++)
        if ((c->related[i] >> j & 1) &&
            !(c->fits[i][a][j] >> configuration->option[j] & 1))
            return false;
    for (int k = 0; k < c->joint_count; k++) {
        const struct joint *joint = &c->joint[k];
        struct lift_configuration next = *configuration;

        next.option[i] = (uint8_t)a;
        if (joint->last == i &&
            next.option[joint->option->decision->index] == joint->option->index &&
            !lift_needs_met(joint->need, lift_need_alternatives(joint->need), &next))
            return false;
    }
    return true;
}

/* ---- counting */

static bool same_state(const void *entry, const void *key)
{
    const struct state *a = entry, *b = key;

    return a->taken == b->taken &&
           !memcmp(&a->configuration, &b->configuration, sizeof a->configuration);
}

static double ways(struct lift_combinations *c,
                   const struct lift_configuration *configuration, int i)
{
    struct state key = {.taken = i}, *found;
    struct lift_configuration next = *configuration;

    if (i == c->decisions)
        return 1;
    for (int j = 0; j < i; j++)
        key.configuration.option[j] = c->live[i] >> j & 1 ? configuration->option[j] : 0;
    found = lift_table_find(&c->states,
                            lift_configuration_hash(&key.configuration, key.taken), &key,
                            same_state);
    if (found)
        return found->ways;
    for (int a = 0; a < c->rules->decisions[i]->option_count; a++) {
        if (c->states.count >= MOST_STATES)
            return 0; /* the caller discards the count */
        next.option[i] = (uint8_t)a;
        if (fits(c, configuration, i, a))
            key.ways += ways(c, &next, i + 1);
    }
    found = lift_arena_copy(c->arena, &key, sizeof key);
    lift_table_insert(
        &c->states, lift_configuration_hash(&found->configuration, found->taken), found);
    return found->ways;
}

/* ---- draws */

/* Draws from all configurations whose options are allowed; returns false if the options
 * do not fit each other. */
static bool draw_any(const struct lift_combinations *c, struct lift_rng *rng,
                     struct lift_configuration *out)
{
    bool good = true;

    for (int i = 0; i < c->decisions && good; i++) {
        int left, a = 0, count = __builtin_popcount(c->allowed[i]);

        if (!count)
            return false;
        left = (int)lift_rng_below(rng, (uint64_t)count);
        while (!(c->allowed[i] >> a & 1) || left-- > 0)
            a++;
        out->option[i] = (uint8_t)a;
        good = fits(c, out, i, a);
    }
    return good;
}

static void estimate(struct lift_combinations *c, struct lift_rng *rng)
{
    double all = 1, share;
    struct lift_configuration configuration;
    int good = 0;

    for (int i = 0; i < c->decisions; i++)
        all *= __builtin_popcount(c->allowed[i]);
    for (int i = 0; i < ESTIMATE_DRAWS; i++)
        good += draw_any(c, rng, &configuration);
    share = (double)good / ESTIMATE_DRAWS;
    c->count = all * share;
    /* If no draw fits, the estimate uses the standard error of one hit. */
    c->error =
        all * sqrt(fmax(share * (1 - share), 1.0 / ESTIMATE_DRAWS) / ESTIMATE_DRAWS);
}

/* Draws the decisions in order. The probability of an option is its share of the
 * remaining completions. */
static bool draw_counted(struct lift_combinations *c, struct lift_rng *rng,
                         struct lift_configuration *out)
{
    for (int i = 0; i < c->decisions; i++) {
        double left = lift_rng_unit(rng) * ways(c, out, i);
        int last = -1;

        for (int a = 0; a < c->rules->decisions[i]->option_count && left >= 0; a++) {
            struct lift_configuration next = *out;
            double more;

            next.option[i] = (uint8_t)a;
            more = fits(c, out, i, a) ? ways(c, &next, i + 1) : 0;
            last = more > 0 ? a : last;
            left -= more;
        }
        if (last < 0)
            return false;
        out->option[i] = (uint8_t)last;
    }
    return true;
}

bool lift_combinations_draw(struct lift_combinations *c, struct lift_rng *rng,
                            struct lift_configuration *out)
{
    *out = (struct lift_configuration){{0}};
    if (c->counted)
        return draw_counted(c, rng, out);
    for (int i = 0; i < MOST_DRAWS; i++) {
        *out = (struct lift_configuration){{0}};
        if (draw_any(c, rng, out))
            return true;
    }
    return false;
}

double lift_combinations_count(const struct lift_combinations *c, double *error)
{
    *error = c->error;
    return c->count;
}

struct lift_combinations *lift_combinations_create(const struct lift_rules *rules,
                                                   unsigned device, bool relaxed,
                                                   struct lift_rng *rng)
{
    struct lift_combinations *c = lift_alloc(1, sizeof *c);

    c->rules = rules;
    c->arena = lift_arena_create();
    c->decisions = lift_decision_count(rules);
    c->fits = lift_alloc(LIFT_MAX_DECISIONS, sizeof *c->fits);
    find_relations(c, device, relaxed);
    c->count = ways(c, &(struct lift_configuration){{0}}, 0);
    c->counted = c->states.count < MOST_STATES;
    if (!c->counted)
        estimate(c, rng);
    return c;
}

void lift_combinations_destroy(struct lift_combinations *c)
{
    if (!c)
        return;
    lift_table_fini(&c->states);
    lift_arena_destroy(c->arena);
    free(c->fits);
    free(c);
}
