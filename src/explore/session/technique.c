#include "explore/session/technique.h"
#include "base/memory.h"
#include "base/table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct explore_ask {
    const struct lift_technique *technique;
    const struct lift_joint *joint;
    void *state;
    struct lift_rng rng;
    struct lift_arena *arena;
    int64_t expected;        /* tries */
    struct lift_table known; /* choices given or told of, in the arena */
    struct told {
        struct lift_choice choice;
        struct lift_outcome outcome;
    } * told; /* in this order */
    int told_count, told_cap;
    struct lift_choice seeds[EXPLORE_SEEDS];
    int seed_count, seeds_given;
    struct openings {
        struct lift_choice list[EXPLORE_OPENINGS];
        int count, given;
    } openings[EXPLORE_OPENING_KINDS];
};

struct explore_ask *explore_ask_create(const struct lift_joint *joint,
                                       const struct lift_technique *technique,
                                       uint64_t seed, int64_t tries)
{
    struct explore_ask *a = lift_alloc(1, sizeof *a);

    a->technique = technique;
    a->joint = joint;
    a->expected = tries;
    a->state = lift_alloc(1, technique->state_size);
    a->arena = lift_arena_create();
    lift_rng_seed(&a->rng, seed);
    technique->init(a->state, joint, &a->rng, tries);
    return a;
}

void explore_ask_destroy(struct explore_ask *a)
{
    if (!a)
        return;
    a->technique->fini(a->state);
    free(a->state);
    free(a->told);
    lift_table_fini(&a->known);
    lift_arena_destroy(a->arena);
    free(a);
}

static bool same_choice(const void *entry, const void *key)
{
    return lift_choice_equal(entry, key);
}

bool explore_ask_knows(const struct explore_ask *a, const struct lift_choice *choice)
{
    return lift_table_find(&a->known, lift_choice_hash(choice), choice, same_choice);
}

/* False if it was known. */
static bool make_known(struct explore_ask *a, const struct lift_choice *choice)
{
    if (explore_ask_knows(a, choice))
        return false;
    lift_table_insert(&a->known, lift_choice_hash(choice),
                      lift_arena_copy(a->arena, choice, sizeof *choice));
    return true;
}

/* What is of another share is tried by others. */
static bool take(struct explore_ask *a, const struct lift_choice *choice)
{
    return lift_joint_is_ours(a->joint, choice) && make_known(a, choice);
}

/* A seed that is known already is none. */
void explore_ask_seed(struct explore_ask *a, const struct lift_choice *choice)
{
    if (a->seed_count < EXPLORE_SEEDS && take(a, choice))
        a->seeds[a->seed_count++] = *choice;
}

bool explore_ask_is_seed(const struct explore_ask *a, const struct lift_choice *choice)
{
    for (int i = 0; i < a->seed_count; i++)
        if (lift_choice_equal(&a->seeds[i], choice))
            return true;
    return false;
}

int explore_ask_seeds(const struct explore_ask *a)
{
    return a->seed_count;
}

bool explore_ask_claim(struct explore_ask *a, const struct lift_choice *choice)
{
    return take(a, choice);
}

void explore_ask_open(struct explore_ask *a, enum explore_opening kind,
                      const struct lift_choice *choice)
{
    struct openings *o = &a->openings[kind];

    if (o->given == o->count)
        o->given = o->count = 0;
    if (o->count < EXPLORE_OPENINGS && take(a, choice))
        o->list[o->count++] = *choice;
}

/* Of the kind of which fewer were given; NULL: there is none left. */
static struct openings *next_opening(struct explore_ask *a)
{
    struct openings *next = NULL;

    for (int i = 0; i < EXPLORE_OPENING_KINDS; i++) {
        struct openings *o = &a->openings[i];

        if (o->given < o->count && (!next || o->given < next->given))
            next = o;
    }
    return next;
}

bool explore_ask_next(struct explore_ask *a, struct lift_choice *choice)
{
    struct openings *opening;

    if (a->seeds_given < a->seed_count) {
        *choice = a->seeds[a->seeds_given++];
        return true;
    }
    opening = next_opening(a);
    if (opening) {
        *choice = opening->list[opening->given++];
        return true;
    }
    while (a->technique->propose(a->state, choice))
        if (take(a, choice))
            return true;
    return false;
}

/* ---- what is known */

void explore_ask_tell(struct explore_ask *a, const struct lift_choice *choice,
                      struct lift_outcome outcome)
{
    make_known(a, choice);
    a->technique->observe(a->state, choice, outcome);
    LIFT_ROOM(a->told, a->told_count, a->told_cap);
    a->told[a->told_count++] = (struct told){*choice, outcome};
}

int explore_ask_told(const struct explore_ask *a)
{
    return a->told_count;
}

/* A technique begins anew, and is told what was told before: as where an exploration goes
 * on with a database. */
void explore_ask_widen(struct explore_ask *a, const struct lift_joint *joint)
{
    a->joint = joint;
    a->technique->fini(a->state);
    memset(a->state, 0, a->technique->state_size);
    a->technique->init(a->state, joint, &a->rng, a->expected);
    for (int i = 0; i < a->told_count; i++)
        a->technique->observe(a->state, &a->told[i].choice, a->told[i].outcome);
}

static bool is_listed(const struct lift_choice *list, int count, int expr)
{
    for (int i = 0; i < count; i++)
        if (list[i].expr == expr)
            return true;
    return false;
}

int explore_ask_fastest(const struct explore_ask *a, struct lift_choice *out, int most)
{
    int count = 0;

    while (count < most) {
        const struct told *best = NULL;

        for (int i = 0; i < a->told_count; i++) {
            const struct told *t = &a->told[i];

            if (t->outcome.ok && !is_listed(out, count, t->choice.expr) &&
                (!best || t->outcome.seconds < best->outcome.seconds))
                best = t;
        }
        if (!best)
            break;
        out[count++] = best->choice;
    }
    return count;
}

void explore_ask_least(const struct explore_ask *a, double *least, int exprs)
{
    for (int i = 0; i < exprs; i++)
        least[i] = INFINITY;
    for (int i = 0; i < a->told_count; i++) {
        const struct told *t = &a->told[i];

        if (t->outcome.ok && t->choice.expr >= 0 && t->choice.expr < exprs)
            least[t->choice.expr] = fmin(least[t->choice.expr], t->outcome.seconds);
    }
}
