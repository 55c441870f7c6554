#include "tuner/search/search_seen.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Failed draws before the space is scanned: by then most points were seen. */
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

void search_base_init(void *state, const struct search_seen *seen, struct lift_rng *rng)
{
    *(struct search_base *)state = (struct search_base){seen, rng};
}

static size_t *slot(const struct search_seen *seen, const struct lift_choice *choice)
{
    size_t i = (size_t)lift_choice_hash(choice) & (seen->slot_cap - 1);

    while (seen->slots[i] &&
           !lift_choice_equal(&seen->points[seen->slots[i] - 1].choice, choice))
        i = (i + 1) & (seen->slot_cap - 1);
    return &seen->slots[i];
}

/* Returns the point's number + 1; 0: not found. */
static size_t find(const struct search_seen *seen, const struct lift_choice *choice)
{
    return seen->slot_cap ? *slot(seen, choice) : 0;
}

bool search_seen_knows(const struct search_seen *seen, const struct lift_choice *choice)
{
    return find(seen, choice) != 0;
}

bool search_seen_has(const struct search_seen *seen, const struct lift_choice *choice)
{
    return find(seen, choice) || !lift_joint_is_ours(seen->joint, choice);
}

static void rehash(struct search_seen *seen)
{
    seen->slot_cap = seen->slot_cap ? 2 * seen->slot_cap : 64;
    seen->slots = lift_resize(seen->slots, seen->slot_cap, sizeof *seen->slots);
    memset(seen->slots, 0, seen->slot_cap * sizeof *seen->slots);
    for (size_t i = 0; i < seen->count; i++)
        *slot(seen, &seen->points[i].choice) = i + 1;
}

size_t search_seen_add(struct search_seen *seen, const struct lift_choice *choice)
{
    size_t there = find(seen, choice);

    if (there)
        return there - 1;
    LIFT_ROOM(seen->points, seen->count, seen->cap);
    seen->points[seen->count++] =
        (struct search_point){.choice = *choice, .seconds = INFINITY};
    if (2 * seen->count >= seen->slot_cap)
        rehash(seen);
    else
        *slot(seen, choice) = seen->count;
    return seen->count - 1;
}

/* Moves a configuration whose time has improved to its place among the fastest. */
static void rank(struct search_seen *seen, size_t number)
{
    double seconds = seen->points[number].seconds;
    int at = 0;

    while (at < seen->best_count && seen->best[at] != number)
        at++;
    if (at == SEARCH_BEST && seen->points[seen->best[--at]].seconds <= seconds)
        return;
    if (at == seen->best_count)
        seen->best_count++;
    for (; at > 0 && seen->points[seen->best[at - 1]].seconds > seconds; at--)
        seen->best[at] = seen->best[at - 1];
    seen->best[at] = number;
}

void search_seen_tell(struct search_seen *seen, const struct lift_choice *choice,
                      struct lift_outcome outcome)
{
    size_t number = search_seen_add(seen, choice);
    struct search_point *p = &seen->points[number];

    seen->told += !p->told;
    p->told = true;
    if (outcome.ok && outcome.seconds < p->seconds) {
        p->seconds = outcome.seconds;
        rank(seen, number);
    }
}

const struct lift_choice *search_seen_best(const struct search_seen *seen)
{
    return seen->best_count ? &seen->points[seen->best[0]].choice : NULL;
}

static int group_of(const struct search_seen *seen, size_t number)
{
    return lift_joint_group(seen->joint, seen->points[number].choice.expr);
}

int search_seen_around(const struct search_seen *seen, size_t out[SEARCH_AROUND])
{
    static const double nearly = 1.3;
    size_t fastest[LIFT_JOINT_GROUPS] = {0}; /* number + 1 */
    bool has[LIFT_JOINT_GROUPS] = {false};
    int count = 0;

    for (; count < seen->best_count; count++) {
        out[count] = seen->best[count];
        has[group_of(seen, out[count])] = true;
    }
    for (size_t i = 0; count && i < seen->count; i++) {
        size_t *first = &fastest[group_of(seen, i)];

        if (seen->points[i].seconds <= nearly * seen->points[out[0]].seconds &&
            (!*first || seen->points[i].seconds < seen->points[*first - 1].seconds))
            *first = i + 1;
    }
    for (int g = 0; g < LIFT_JOINT_GROUPS; g++)
        if (fastest[g] && !has[g])
            out[count++] = fastest[g] - 1;
    return count;
}

static bool draw(const struct search_seen *seen, int expr, struct lift_rng *rng,
                 struct lift_choice *choice)
{
    return expr < 0 ? lift_joint_sample(seen->joint, rng, choice)
                    : lift_joint_sample_in(seen->joint, expr, rng, choice);
}

/* Moves to the next point of the expression (-1: of the space), and from the last to
 * the first. */
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

/* Scans from a random point on, and continues at the start of the space after its
 * end. */
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
