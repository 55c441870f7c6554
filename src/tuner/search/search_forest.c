/* Search guided by a forest alone. The first points are far from each other. Then
 * each point is the most promising of a forest grown from all results. A few points
 * are random, so that the search can reach every point. */
#include "tuner/search/search_model.h"

enum {
    OPENING = 8,       /* points before the first forest */
    RANDOM_PERCENT = 5 /* of the later points */
};

struct forest_state {
    struct search_model model;
};

static void forest_init(void *state, const struct search_seen *seen, struct lift_rng *rng)
{
    struct forest_state *s = state;

    search_model_init(&s->model, seen, rng);
}

static bool forest_propose(void *state, struct lift_choice *choice)
{
    struct search_model *m = &((struct forest_state *)state)->model;

    if (m->seen->told < OPENING || !search_seen_best(m->seen))
        return search_model_spread(m, choice);
    if (lift_rng_below(m->rng, 100) < RANDOM_PERCENT)
        return search_seen_sample(m->seen, -1, m->rng, choice);
    return search_model_pick(m, choice);
}

static void forest_fini(void *state)
{
    struct forest_state *s = state;

    search_model_fini(&s->model);
}

const struct lift_technique search_forest = {
    .name = "forest",
    .doc = "guided by a forest of random trees over all expressions and values",
    .state_size = sizeof(struct forest_state),
    .init = forest_init,
    .propose = forest_propose,
    .fini = forest_fini,
};
