/* Random search without repetition: the baseline of every other technique. */
#include "tuner/search/search_seen.h"

struct random_state {
    struct search_seen seen;
    struct lift_rng *rng;
};

static void random_init(void *state, const struct lift_joint *joint, struct lift_rng *rng,
                        int64_t expected_tries)
{
    struct random_state *s = state;

    (void)expected_tries;
    search_seen_init(&s->seen, joint);
    s->rng = rng;
}

static bool random_propose(void *state, struct lift_choice *choice)
{
    struct random_state *s = state;

    if (!search_seen_sample(&s->seen, -1, s->rng, choice))
        return false;
    search_seen_add(&s->seen, choice);
    return true;
}

static void random_observe(void *state, const struct lift_choice *choice,
                           struct lift_outcome outcome)
{
    struct random_state *s = state;

    (void)outcome;
    search_seen_add(&s->seen, choice);
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
