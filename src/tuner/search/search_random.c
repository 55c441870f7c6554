/* Random search without repetition: the baseline for other techniques. */
#include "tuner/search/search_seen.h"

static bool random_propose(void *state, struct lift_choice *choice)
{
    struct search_base *base = state;

    return search_seen_sample(base->seen, -1, base->rng, choice);
}

const struct lift_technique search_random = {
    .name = "random",
    .doc = "uniform random configurations, each once",
    .state_size = sizeof(struct search_base),
    .init = search_base_init,
    .propose = random_propose,
};
