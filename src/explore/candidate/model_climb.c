#include "explore/candidate/model_climb.h"
#include "base/seconds.h"
#include "tuner/search_nearby.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void look(const struct lift_joint *joint, const struct lift_choice *choice,
                 struct climbed_configuration *best)
{
    double guessed = lift_joint_guessed(joint, choice);

    if (guessed < best->guessed)
        *best = (struct climbed_configuration){*choice, guessed};
}

/* Estimates some neighbours of the best; returns false if none is better. */
static bool climb(const struct lift_joint *joint, double until, struct lift_rng *rng,
                  struct search_nearby *near, struct climbed_configuration *best)
{
    double before = best->guessed;

    near->count = 0;
    lift_joint_neighbours(joint, &best->choice, LIFT_JOINT_VALUE, search_nearby_add,
                          near);
    for (int i = 0; i < MODEL_CLIMB_MOVES && near->count > 0 && lift_seconds() < until;
         i++) {
        size_t at = (size_t)lift_rng_below(rng, near->count);

        look(joint, &near->items[at], best);
        near->items[at] = near->items[--near->count];
    }
    return best->guessed < before;
}

bool model_climb_find(const struct lift_joint *joint, int expr, double until,
                      double worth, struct lift_rng *rng,
                      struct climbed_configuration *best)
{
    struct search_nearby near = {0};
    struct lift_choice choice;
    bool better;

    best->guessed = INFINITY;
    if (lift_joint_start(joint, expr, &choice))
        look(joint, &choice, best);
    for (int i = 0; i < MODEL_CLIMB_SAMPLES && lift_seconds() < until &&
                    (i < MODEL_CLIMB_DOUBTS || !isinf(best->guessed));
         i++)
        if (lift_joint_draw_in(joint, expr, rng, &choice))
            look(joint, &choice, best);
    better = best->guessed < MODEL_CLIMB_HOPE * worth;
    for (int i = 0; i < MODEL_CLIMB_ROUNDS && better; i++)
        better = climb(joint, until, rng, &near, best);
    free(near.items);
    return !isinf(best->guessed);
}

bool model_climb_carry(const struct lift_joint *joint, const struct lift_choice *from,
                       int expr, double until, struct lift_rng *rng,
                       struct climbed_configuration *best)
{
    struct search_nearby near = {0};
    struct lift_choice choice;

    best->guessed = INFINITY;
    if (lift_joint_carry(joint, from, expr, &choice))
        look(joint, &choice, best);
    if (!isinf(best->guessed))
        climb(joint, until, rng, &near, best);
    free(near.items);
    return !isinf(best->guessed);
}

static int differing(const struct lift_joint *joint, const struct lift_choice *a,
                     const struct lift_choice *b)
{
    int count = 0;

    for (int i = 0; i < lift_space_param_count(lift_joint_space(joint, a->expr)); i++)
        count += a->values[i] != b->values[i];
    return count;
}

int model_climb_shapes(const struct lift_joint *joint,
                       const struct climbed_configuration *best,
                       struct climbed_configuration *out, int most)
{
    static const double similar = 1.3;
    struct search_nearby near = {0};
    int count = 0;

    lift_joint_neighbours(joint, &best->choice, LIFT_JOINT_VALUE, search_nearby_add,
                          &near);
    for (size_t i = 0; i < near.count; i++) {
        const struct lift_choice *choice = &near.items[i];
        double guessed = lift_joint_guessed(joint, choice);
        bool listed = false;
        int at = count;

        for (int k = 0; k < count; k++)
            listed |= lift_choice_equal(choice, &out[k].choice);
        while (at > 0 && out[at - 1].guessed > guessed)
            at--;
        if (listed || at == most || guessed > similar * best->guessed ||
            differing(joint, choice, &best->choice) < 2)
            continue;
        count += count < most;
        memmove(out + at + 1, out + at, sizeof *out * (size_t)(count - at - 1));
        out[at] = (struct climbed_configuration){*choice, guessed};
    }
    free(near.items);
    return count;
}
