/* Simulated annealing on the logarithm of the time: a slower neighbour is accepted with a
 * probability that falls with the difference and with the number of trials. A walk that
 * stagnates returns to the best point or, occasionally, to a random one. */
#include "search.h"
#include "tuner/search/search_moves.h"
#include "tuner/search/search_seen.h"
#include <math.h>

enum {
    STARTS = 8,           /* random points, of which the best is the start */
    DRAWS = 24,           /* neighbours that are known before a random point is taken */
    PATIENCE = 25,        /* points refused in a row */
    RESTART_PERCENT = 25, /* of the times that patience ends */
    PLAN = 200            /* trials: as many as the benchmark makes */
};

static const double hot = 0.5, cold = 0.02; /* a factor of e^0.5 in time, of e^0.02 */

struct annealing_state {
    struct search_base base;
    struct lift_choice here, best;
    double seconds, best_seconds; /* of them; only if 'any' */
    int told, refused;
    bool any, astray; /* a random point is wanted */
};

/* Proposes an unexplored neighbour, or an unexplored neighbour of a neighbour, and so on.
 */
static bool step(struct annealing_state *s, struct lift_choice *choice)
{
    *choice = s->here;
    for (int i = 0; i < DRAWS; i++) {
        if (!search_move(s->base.seen->joint, s->base.rng, i % 6 ? choice : &s->here,
                         choice))
            return false;
        if (!search_seen_has(s->base.seen, choice))
            return true;
    }
    return false;
}

static bool annealing_propose(void *state, struct lift_choice *choice)
{
    struct annealing_state *s = state;
    bool walk = s->told >= STARTS && s->any && !s->astray;

    return (walk && step(s, choice)) ||
           search_seen_sample(s->base.seen, -1, s->base.rng, choice);
}

static double temperature(const struct annealing_state *s)
{
    double part = s->told / (double)PLAN;

    return hot * pow(cold / hot, part < 1 ? part : 1);
}

static bool accepts(struct annealing_state *s, double seconds)
{
    double worse = s->any ? log(seconds / s->seconds) : 0;

    if (s->told <= STARTS || worse <= 0)
        return worse <= 0;
    return s->astray || lift_rng_unit(s->base.rng) < exp(-worse / temperature(s));
}

static void refuse(struct annealing_state *s)
{
    if (++s->refused < PATIENCE || !s->any)
        return;
    s->refused = 0;
    s->here = s->best;
    s->seconds = s->best_seconds;
    s->astray = lift_rng_below(s->base.rng, 100) < RESTART_PERCENT;
}

static void annealing_observe(void *state, const struct lift_choice *choice,
                              struct lift_outcome outcome)
{
    struct annealing_state *s = state;

    s->told++;
    if (!outcome.ok || !accepts(s, outcome.seconds)) {
        refuse(s);
        return;
    }
    s->here = *choice;
    s->seconds = outcome.seconds;
    s->refused = 0;
    s->astray = false;
    if (!s->any || s->seconds < s->best_seconds) {
        s->best = s->here;
        s->best_seconds = s->seconds;
    }
    s->any = true;
}

const struct lift_technique search_annealing = {
    .name = "annealing",
    .doc = "simulated annealing over neighbouring points",
    .state_size = sizeof(struct annealing_state),
    .init = search_base_init,
    .propose = annealing_propose,
    .observe = annealing_observe,
};
