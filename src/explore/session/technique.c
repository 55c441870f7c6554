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
    struct waiting {
        struct lift_choice choice;
        enum explore_source source;
        int turn; /* its number among those of the source */
    } waiting[EXPLORE_PROPOSED * EXPLORE_OPENINGS];
    int waiting_count;
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

bool explore_ask_claim(struct explore_ask *a, const struct lift_choice *choice)
{
    return take(a, choice);
}

bool explore_ask_open(struct explore_ask *a, enum explore_source source,
                      const struct lift_choice *choice)
{
    int turn = 0;

    for (int i = 0; i < a->waiting_count; i++)
        if (a->waiting[i].source == source)
            turn = a->waiting[i].turn + 1;
    if (turn == EXPLORE_OPENINGS || !take(a, choice))
        return false;
    a->waiting[a->waiting_count++] = (struct waiting){*choice, source, turn};
    return true;
}

static bool precedes(const struct waiting *a, const struct waiting *b)
{
    if ((a->source == EXPLORE_SEED) != (b->source == EXPLORE_SEED))
        return a->source == EXPLORE_SEED;
    return a->turn != b->turn ? a->turn < b->turn : a->source < b->source;
}

/* The list keeps the order of insertion. */
static bool next_waiting(struct explore_ask *a, struct lift_choice *choice,
                         enum explore_source *source)
{
    int next = 0;

    for (int i = 1; i < a->waiting_count; i++)
        if (precedes(&a->waiting[i], &a->waiting[next]))
            next = i;
    if (!a->waiting_count)
        return false;
    *choice = a->waiting[next].choice;
    *source = a->waiting[next].source;
    a->waiting_count--;
    memmove(&a->waiting[next], &a->waiting[next + 1],
            sizeof a->waiting[0] * (size_t)(a->waiting_count - next));
    return true;
}

bool explore_ask_next(struct explore_ask *a, struct lift_choice *choice,
                      enum explore_source *source)
{
    if (next_waiting(a, choice, source))
        return true;
    *source = EXPLORE_PROPOSED;
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
