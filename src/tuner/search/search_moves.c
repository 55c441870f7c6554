#include "tuner/search/search_moves.h"

struct reservoir {
    struct lift_rng *rng;
    struct lift_choice choice;
    uint64_t seen;
};

/* Keeps each of the visited points with equal probability. */
static void keep_one(void *user, const struct lift_choice *choice)
{
    struct reservoir *r = user;

    if (lift_rng_below(r->rng, ++r->seen) == 0)
        r->choice = *choice;
}

bool search_move(const struct lift_joint *joint, struct lift_rng *rng,
                 const struct lift_choice *from, struct lift_choice *to)
{
    struct reservoir r = {.rng = rng, .choice = *from};

    lift_joint_neighbours(joint, from, LIFT_JOINT_VALUE | LIFT_JOINT_EXPR, keep_one, &r);
    *to = r.choice;
    return r.seen > 0;
}
