/* All points in lexicographic order, the last parameter fastest. */
#include "tuner/search_seen.h"
#include <string.h>

struct exhaustive_state {
    const struct lift_space *space;
    int point[LIFT_SPACE_PARAMS];
    bool begun, ended;
};

static void exhaustive_init(void *state, const struct lift_space *space,
                            struct lift_rng *rng)
{
    struct exhaustive_state *s = state;

    (void)rng;
    s->space = space;
}

static bool exhaustive_propose(void *state, int *point)
{
    struct exhaustive_state *s = state;
    size_t size = (size_t)lift_space_param_count(s->space) * sizeof *point;

    if (s->ended || !lift_space_next(s->space, s->point, !s->begun)) {
        s->ended = true;
        return false;
    }
    s->begun = true;
    if (size)
        memcpy(point, s->point, size);
    return true;
}

/* The order does not depend on what was found. */
static void exhaustive_observe(void *state, const int *point, struct lift_outcome outcome)
{
    (void)state;
    (void)point;
    (void)outcome;
}

static void exhaustive_fini(void *state)
{
    (void)state;
}

const struct lift_technique search_exhaustive = {
    .name = "exhaustive",
    .doc = "every point, in lexicographic order",
    .state_size = sizeof(struct exhaustive_state),
    .init = exhaustive_init,
    .propose = exhaustive_propose,
    .observe = exhaustive_observe,
    .fini = exhaustive_fini,
};
