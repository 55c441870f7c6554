/* A bandit over other techniques, as in Ansel et al., "OpenTuner: an extensible framework
 * for program autotuning" (PACT 2014). The credit of a technique is the area under the
 * curve of its successes among the last trials, later trials weighing more, plus a term
 * for rarely asked techniques. Every technique receives all points. */
#include "base/memory.h"
#include "search.h"
#include "tuner/search/search_seen.h"
#include <math.h>
#include <stdlib.h>

enum { PARTS = 4, WINDOW = 100 };

static const double curiosity = 0.05;

static const struct lift_technique *const parts[PARTS] = {
    &search_climb, &search_genetic, &search_annealing, &search_random};

/* A proposal: of which part, and whether it was the best so far. */
struct use {
    struct lift_choice choice;
    int part;
    bool told, success;
};

struct bandit_state {
    struct lift_rng *rng;
    void *states[PARTS];
    bool ended[PARTS];
    struct use uses[WINDOW]; /* the last ones, in a ring */
    int64_t used;
    double best;
};

static void bandit_init(void *state, const struct search_seen *seen, struct lift_rng *rng)
{
    struct bandit_state *s = state;

    s->rng = rng;
    s->best = INFINITY;
    for (int i = 0; i < PARTS; i++) {
        s->states[i] = lift_alloc(1, parts[i]->state_size);
        parts[i]->init(s->states[i], seen, rng);
    }
}

static void bandit_fini(void *state)
{
    struct bandit_state *s = state;

    for (int i = 0; i < PARTS; i++) {
        if (parts[i]->fini)
            parts[i]->fini(s->states[i]);
        free(s->states[i]);
    }
}

/* The area under the curve of a technique's successes, relative to that of successes
 * only, plus the term for rarely used techniques. */
static double credit(const struct bandit_state *s, int part)
{
    int64_t first = s->used > WINDOW ? s->used - WINDOW : 0;
    double area = 0, uses = 0;

    for (int64_t i = first; i < s->used; i++) {
        const struct use *u = &s->uses[i % WINDOW];

        if (u->part != part)
            continue;
        uses++;
        area += u->success ? uses : 0;
    }
    if (uses == 0)
        return INFINITY;
    return area * 2 / (uses * (uses + 1)) +
           curiosity * sqrt(2 * log2((double)(s->used - first)) / uses);
}

/* Of equal ones a random one; -1: all have ended. */
static int choose(struct bandit_state *s)
{
    double most = -1;
    uint64_t equal = 0;
    int best = -1;

    for (int i = 0; i < PARTS; i++) {
        double c = s->ended[i] ? -1 : credit(s, i);

        if (s->ended[i] || c < most)
            continue;
        equal = c > most ? 1 : equal + 1;
        if (lift_rng_below(s->rng, equal) == 0)
            best = i;
        most = c;
    }
    return best;
}

static bool bandit_propose(void *state, struct lift_choice *choice)
{
    struct bandit_state *s = state;

    for (int part = choose(s); part >= 0; part = choose(s)) {
        s->ended[part] = !parts[part]->propose(s->states[part], choice);
        if (s->ended[part])
            continue;
        s->uses[s->used++ % WINDOW] = (struct use){.choice = *choice, .part = part};
        return true;
    }
    return false;
}

static void bandit_observe(void *state, const struct lift_choice *choice,
                           struct lift_outcome outcome)
{
    struct bandit_state *s = state;
    bool success = outcome.ok && outcome.seconds < s->best;

    if (success)
        s->best = outcome.seconds;
    for (int i = 0; i < PARTS; i++)
        if (parts[i]->observe)
            parts[i]->observe(s->states[i], choice, outcome);
    for (int i = 0; i < WINDOW && i < s->used; i++) {
        struct use *u = &s->uses[i];

        if (!u->told && lift_choice_equal(&u->choice, choice)) {
            u->told = true;
            u->success = success;
        }
    }
}

const struct lift_technique search_bandit = {
    .name = "bandit",
    .doc = "climb, genetic, annealing and random, each as often as it succeeds",
    .state_size = sizeof(struct bandit_state),
    .init = bandit_init,
    .propose = bandit_propose,
    .observe = bandit_observe,
    .fini = bandit_fini,
};
