/* A genetic algorithm without generations. Two of the fastest points so far, each the
 * better of two random ones, are crossed and occasionally mutated in one place. A child
 * faster than the slowest of the population replaces it. */
#include "search.h"
#include "tuner/search/search_moves.h"
#include "tuner/search/search_seen.h"

enum {
    POPULATION = 20,
    MUTATE_PERCENT = 40,
    DRAWS = 12, /* children that are known before a random point is taken */
    RANDOM_PERCENT = 3
};

struct member {
    struct lift_choice choice;
    double seconds;
};

struct genetic_state {
    struct search_base base;
    struct member members[POPULATION]; /* the fastest first */
    int count, told;
};

/* The better of two: they are in order. */
static const struct lift_choice *parent(struct genetic_state *s)
{
    uint64_t a = lift_rng_below(s->base.rng, (uint64_t)s->count);
    uint64_t b = lift_rng_below(s->base.rng, (uint64_t)s->count);

    return &s->members[a < b ? a : b].choice;
}

/* A configuration of the expression of 'a', near to values of which each is taken from
 * 'a' or 'b' by chance. */
static void cross(const struct lift_joint *joint, struct lift_rng *rng,
                  const struct lift_choice *a, const struct lift_choice *b,
                  struct lift_choice *to)
{
    const struct lift_space *space = lift_joint_space(joint, a->expr);
    struct lift_space_wish wishes[LIFT_SPACE_PARAMS];
    struct lift_choice child = {.expr = a->expr}, other;

    *to = *a;
    if (!lift_joint_carry(joint, b, a->expr, &other))
        return;
    for (int i = 0; i < lift_space_param_count(space); i++)
        wishes[i] = (struct lift_space_wish){
            lift_rng_below(rng, 2) ? a->values[i] : other.values[i], 1};
    if (lift_space_nearest(space, wishes, child.values))
        *to = child;
}

/* Breeds an unexplored child; the more children are known, the more values mutate. */
static bool breed(struct genetic_state *s, struct lift_choice *choice)
{
    for (int i = 0; i < DRAWS; i++) {
        const struct lift_choice *a = parent(s);

        cross(s->base.seen->joint, s->base.rng, a, parent(s), choice);
        if (lift_rng_below(s->base.rng, 100) < MUTATE_PERCENT)
            search_move(s->base.seen->joint, s->base.rng, choice, choice);
        for (int more = 0; more < i / 4; more++)
            search_move(s->base.seen->joint, s->base.rng, choice, choice);
        if (!search_seen_has(s->base.seen, choice))
            return true;
    }
    return false;
}

static bool genetic_propose(void *state, struct lift_choice *choice)
{
    struct genetic_state *s = state;
    bool ready = s->told >= POPULATION && s->count > 1 &&
                 lift_rng_below(s->base.rng, 100) >= RANDOM_PERCENT;

    return (ready && breed(s, choice)) ||
           search_seen_sample(s->base.seen, -1, s->base.rng, choice);
}

static void genetic_observe(void *state, const struct lift_choice *choice,
                            struct lift_outcome outcome)
{
    struct genetic_state *s = state;
    int at = s->count;

    s->told++;
    if (!outcome.ok ||
        (at == POPULATION && s->members[at - 1].seconds <= outcome.seconds))
        return;
    if (at < POPULATION)
        s->count++;
    else
        at--;
    for (; at > 0 && s->members[at - 1].seconds > outcome.seconds; at--)
        s->members[at] = s->members[at - 1];
    s->members[at] = (struct member){*choice, outcome.seconds};
}

const struct lift_technique search_genetic = {
    .name = "genetic",
    .doc = "a genetic algorithm: the fastest points are crossed and changed",
    .state_size = sizeof(struct genetic_state),
    .init = search_base_init,
    .propose = genetic_propose,
    .observe = genetic_observe,
};
