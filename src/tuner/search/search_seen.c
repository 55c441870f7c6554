#include "tuner/search/search_seen.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* Draws in vain before the space is scanned: by then most of it was seen. */
enum { DRAWS = 64 };

void search_seen_init(struct search_seen *seen, const struct lift_joint *joint)
{
    *seen = (struct search_seen){.joint = joint};
}

void search_seen_fini(struct search_seen *seen)
{
    free(seen->points);
    free(seen->slots);
    *seen = (struct search_seen){0};
}

void search_base_init(void *state, const struct lift_joint *joint, struct lift_rng *rng)
{
    struct search_base *base = state;

    base->rng = rng;
    search_seen_init(&base->seen, joint);
}

void search_base_fini(void *state)
{
    search_seen_fini(&((struct search_base *)state)->seen);
}

bool search_base_propose(struct search_base *base, bool found, struct lift_choice *choice)
{
    if (!found && !search_seen_sample(&base->seen, -1, base->rng, choice))
        return false;
    search_seen_add(&base->seen, choice);
    return true;
}

static size_t *slot(const struct search_seen *seen, const struct lift_choice *choice)
{
    size_t i = (size_t)lift_choice_hash(choice) & (seen->slot_cap - 1);

    while (seen->slots[i] &&
           !lift_choice_equal(&seen->points[seen->slots[i] - 1], choice))
        i = (i + 1) & (seen->slot_cap - 1);
    return &seen->slots[i];
}

static bool is_there(const struct search_seen *seen, const struct lift_choice *choice)
{
    return seen->slot_cap && *slot(seen, choice);
}

bool search_seen_has(const struct search_seen *seen, const struct lift_choice *choice)
{
    return is_there(seen, choice) || !lift_joint_is_ours(seen->joint, choice);
}

static void rehash(struct search_seen *seen)
{
    seen->slot_cap = seen->slot_cap ? 2 * seen->slot_cap : 64;
    seen->slots = lift_resize(seen->slots, seen->slot_cap, sizeof *seen->slots);
    memset(seen->slots, 0, seen->slot_cap * sizeof *seen->slots);
    for (size_t i = 0; i < seen->count; i++)
        *slot(seen, &seen->points[i]) = i + 1;
}

void search_seen_add(struct search_seen *seen, const struct lift_choice *choice)
{
    if (is_there(seen, choice))
        return;
    LIFT_ROOM(seen->points, seen->count, seen->cap);
    seen->points[seen->count++] = *choice;
    if (2 * seen->count >= seen->slot_cap)
        rehash(seen);
    else
        *slot(seen, choice) = seen->count;
}

static bool draw(const struct search_seen *seen, int expr, struct lift_rng *rng,
                 struct lift_choice *choice)
{
    return expr < 0 ? lift_joint_sample(seen->joint, rng, choice)
                    : lift_joint_sample_in(seen->joint, expr, rng, choice);
}

/* The next point of the expression or of all, round the end. */
static void step(const struct search_seen *seen, int expr, struct lift_choice *choice)
{
    if (expr < 0) {
        if (!lift_joint_next(seen->joint, choice, false))
            lift_joint_next(seen->joint, choice, true);
    } else if (!lift_space_next(lift_joint_space(seen->joint, expr), choice->values,
                                false)) {
        lift_space_next(lift_joint_space(seen->joint, expr), choice->values, true);
    }
}

/* From a random point on, and round the end of the space. */
static bool scan(const struct search_seen *seen, int expr, struct lift_rng *rng,
                 struct lift_choice *choice)
{
    struct lift_choice first;

    if (!draw(seen, expr, rng, choice))
        return false;
    first = *choice;
    do {
        if (!search_seen_has(seen, choice))
            return true;
        step(seen, expr, choice);
    } while (!lift_choice_equal(choice, &first));
    return false;
}

bool search_seen_sample(const struct search_seen *seen, int expr, struct lift_rng *rng,
                        struct lift_choice *choice)
{
    for (int i = 0; i < DRAWS; i++) {
        if (!draw(seen, expr, rng, choice))
            return false;
        if (!search_seen_has(seen, choice))
            return true;
    }
    return scan(seen, expr, rng, choice);
}
