/* Enumerates all points by expression, then in lexicographic order (the last
 * parameter changes fastest). */
#include "tuner/search/search_seen.h"

struct exhaustive_state {
    const struct lift_joint *joint;
    struct lift_choice last;
    bool begun, ended;
};

static void exhaustive_init(void *state, const struct search_seen *seen,
                            struct lift_rng *rng)
{
    struct exhaustive_state *s = state;

    (void)rng;
    s->joint = seen->joint;
}

static bool exhaustive_propose(void *state, struct lift_choice *choice)
{
    struct exhaustive_state *s = state;

    if (s->ended || !lift_joint_next(s->joint, &s->last, !s->begun)) {
        s->ended = true;
        return false;
    }
    s->begun = true;
    *choice = s->last;
    return true;
}

const struct lift_technique search_exhaustive = {
    .name = "exhaustive",
    .doc = "every configuration, in order",
    .state_size = sizeof(struct exhaustive_state),
    .init = exhaustive_init,
    .propose = exhaustive_propose,
};
