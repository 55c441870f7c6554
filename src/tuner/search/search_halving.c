/* Successive halving over the expressions, then one climb over all of them.
 *
 * The opening tries a number of expressions: points far from each other, in turn with the
 * best values so far carried over to an expression that is new. Where the space has
 * guesses, those that are guessed to be slow come later, or never. Of the expressions
 * that were tried the best quarter gets some more tries and the best sixteenth more
 * again, guided by the forest. From then on the forest chooses among the neighbours of
 * the best points of all, the same values in other expressions, and random points; a
 * small share stays random, so that a bad start does not last. */
#include "base/memory.h"
#include "tuner/search/search_model.h"
#include <math.h>
#include <stdlib.h>

enum {
    LEAST_OPENING = 8,
    MOST_OPENING = 48,
    OPENING_PART = 16,    /* of the tries that are expected */
    UNKNOWN_OPENING = 10, /* if none are, and there are several expressions */
    RUNGS = 2,
    CARRIED = 8, /* expressions of which guesses choose one */
    RANDOM_PERCENT = 5
};

/* One of 'part' expressions tried gets 'tries' in all. */
static const struct rung {
    int part, tries;
} rungs[RUNGS] = {{4, 3}, {16, 6}};

struct bracket_entry {
    int tries;
    double best; /* seconds; infinite: no try was good */
    bool exhausted;
};

struct halving_state {
    struct search_model model;
    struct bracket_entry *entries; /* one an expression */
    int *order;                    /* expressions that were tried, the best first */
    int count, tried;
    int opening, proposed;
};

static int opening_of(int exprs, int64_t expected_tries)
{
    int64_t part = expected_tries / OPENING_PART;

    if (exprs == 1)
        return LEAST_OPENING;
    if (!expected_tries)
        return UNKNOWN_OPENING;
    return part < LEAST_OPENING  ? LEAST_OPENING
           : part > MOST_OPENING ? MOST_OPENING
                                 : (int)part;
}

static void halving_init(void *state, const struct lift_joint *joint,
                         struct lift_rng *rng, int64_t expected_tries)
{
    struct halving_state *s = state;

    search_model_init(&s->model, joint, rng);
    s->count = lift_joint_exprs(joint);
    s->opening = opening_of(s->count, expected_tries);
    s->entries = lift_alloc((size_t)s->count + 1, sizeof *s->entries);
    s->order = lift_alloc((size_t)s->count + 1, sizeof *s->order);
    for (int i = 0; i < s->count; i++)
        s->entries[i].best = INFINITY;
}

static void halving_fini(void *state)
{
    struct halving_state *s = state;

    search_model_fini(&s->model);
    free(s->entries);
    free(s->order);
}

/* Moves an expression forward to its place. */
static void rank(struct halving_state *s, int expr)
{
    int at = 0;

    while (at < s->tried && s->order[at] != expr)
        at++;
    if (at == s->tried)
        s->order[s->tried++] = expr;
    for (; at > 0 && s->entries[s->order[at - 1]].best > s->entries[expr].best; at--)
        s->order[at] = s->order[at - 1];
    s->order[at] = expr;
}

/* ---- the opening */

/* Some expression without a try; -1: none was met. */
static int new_expr(struct halving_state *s)
{
    for (int i = 0; i < 16 && s->tried < s->count; i++) {
        int expr = (int)lift_rng_below(s->model.rng, (uint64_t)s->count);

        if (!s->entries[expr].tries)
            return expr;
    }
    return -1;
}

/* The best values so far in an expression that is new; of several such expressions the
 * one that is guessed to be the fastest, if there are guesses. */
static bool carry(struct halving_state *s, struct lift_choice *choice)
{
    const struct lift_joint *joint = s->model.joint;
    const struct lift_choice *best = search_model_best(&s->model);
    int draws = !best || s->proposed % 2 == 0 ? 0
                : lift_joint_guesses(joint)   ? CARRIED
                                              : 1;
    double shortest = INFINITY;
    bool found = false;

    for (int i = 0; i < draws; i++) {
        struct lift_choice other;
        int expr = new_expr(s);
        double guessed;

        if (expr < 0 || !lift_joint_carry(joint, best, expr, &other) ||
            search_seen_has(&s->model.seen, &other))
            continue;
        guessed = draws > 1 ? lift_joint_guessed(joint, &other) : 0;
        if (found && guessed >= shortest)
            continue;
        shortest = guessed;
        *choice = other;
        found = true;
    }
    if (found)
        search_seen_add(&s->model.seen, choice);
    return found;
}

/* ---- afterwards */

/* The best expression that a rung owes a try; -1: none. */
static int owed(const struct halving_state *s)
{
    for (int r = 0; r < RUNGS && s->count > 1; r++) {
        int keep = (s->tried + rungs[r].part - 1) / rungs[r].part;

        for (int i = 0; i < keep; i++) {
            const struct bracket_entry *entry = &s->entries[s->order[i]];

            if (!isinf(entry->best) && !entry->exhausted && entry->tries < rungs[r].tries)
                return s->order[i];
        }
    }
    return -1;
}

static bool climb(struct halving_state *s, struct lift_choice *choice)
{
    for (int expr = owed(s); expr >= 0; expr = owed(s)) {
        if (search_model_pick(&s->model, expr, choice))
            return true;
        s->entries[expr].exhausted = true;
    }
    if (lift_rng_below(s->model.rng, 100) < RANDOM_PERCENT)
        return search_model_random(&s->model, -1, choice);
    return search_model_pick(&s->model, -1, choice);
}

static bool halving_propose(void *state, struct lift_choice *choice)
{
    struct halving_state *s = state;
    bool open = s->proposed < s->opening || !search_model_best(&s->model);

    if (!(open ? carry(s, choice) || search_model_spread(&s->model, choice)
               : climb(s, choice)))
        return false;
    s->proposed++;
    s->entries[choice->expr].tries++;
    rank(s, choice->expr);
    return true;
}

static void halving_observe(void *state, const struct lift_choice *choice,
                            struct lift_outcome outcome)
{
    struct halving_state *s = state;
    struct bracket_entry *entry = &s->entries[choice->expr];

    if (!search_seen_has(&s->model.seen, choice)) {
        s->proposed++;
        entry->tries++;
    }
    search_model_tell(&s->model, choice, outcome);
    if (outcome.ok && outcome.seconds < entry->best)
        entry->best = outcome.seconds;
    rank(s, choice->expr);
}

const struct lift_technique search_halving = {
    .name = "halving",
    .doc = "successive halving over the expressions, the best climbed with a forest",
    .state_size = sizeof(struct halving_state),
    .init = halving_init,
    .propose = halving_propose,
    .observe = halving_observe,
    .fini = halving_fini,
};
