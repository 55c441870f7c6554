/* Random search without repetition: the baseline of every other technique. */
#include "tuner/search_seen.h"

struct random_state {
    struct search_seen seen;
    struct lift_rng *rng;
};

static void random_init(void *state, const struct lift_space *space, struct lift_rng *rng)
{
    struct random_state *s = state;

    search_seen_init(&s->seen, space);
    s->rng = rng;
}

static bool random_propose(void *state, int *point)
{
    struct random_state *s = state;

    if (!search_seen_sample(&s->seen, s->rng, point))
        return false;
    search_seen_add(&s->seen, point);
    return true;
}

static void random_observe(void *state, const int *point, struct lift_outcome outcome)
{
    struct random_state *s = state;

    (void)outcome;
    search_seen_add(&s->seen, point);
}

static void random_fini(void *state)
{
    struct random_state *s = state;

    search_seen_fini(&s->seen);
}

const struct lift_technique search_random = {
    .name = "random",
    .doc = "uniform random points, each once",
    .state_size = sizeof(struct random_state),
    .init = random_init,
    .propose = random_propose,
    .observe = random_observe,
    .fini = random_fini,
};
