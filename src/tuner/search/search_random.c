/* Random search without repetition: the baseline of every other technique. */
#include "tuner/search/search_seen.h"

static bool random_propose(void *state, struct lift_choice *choice)
{
    return search_base_propose(state, false, choice);
}

static void random_observe(void *state, const struct lift_choice *choice,
                           struct lift_outcome outcome)
{
    struct search_base *base = state;

    (void)outcome;
    search_seen_add(&base->seen, choice);
}

const struct lift_technique search_random = {
    .name = "random",
    .doc = "uniform random points, each once",
    .state_size = sizeof(struct search_base),
    .init = search_base_init,
    .propose = random_propose,
    .observe = random_observe,
    .fini = search_base_fini,
};
