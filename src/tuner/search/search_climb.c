/* Iterated local search. The search draws a few random points, then climbs from the
 * best by first improvement. The climb visits the neighbours by one step and the near
 * expressions, then the neighbours by any value of one parameter. If no neighbour is
 * faster, the search either kicks (changes a few parameters of the best point) or,
 * less often, restarts at a random point.
 *
 * A failed point is never the current point. Proposed points without a result (the
 * driver knew them) are skipped. */
#include "base/memory.h"
#include "tuner/search/search_moves.h"
#include "tuner/search/search_seen.h"
#include <stdlib.h>

enum {
    STARTS = 6, /* random points before the first climb */
    KICK_PARAMS =
        2, /* parameters that a kick changes, plus one for each kick to a known point */
    KICK_DRAWS = 24,     /* kicks to known points before a restart */
    RESTART_PERCENT = 25 /* of the times that the climb is stuck */
};

struct place {
    struct lift_choice point;
    double seconds;
    bool known;
};

struct climb_state {
    struct search_base base;
    struct place here;          /* the current point */
    int told;                   /* results, failed ones included */
    struct lift_choice landing; /* the target of a kick or restart */
    bool flying;                /* 'landing' was proposed and has no result yet */
    struct lift_choice *queue;  /* neighbours to propose, the last first */
    size_t queued, cap;
    bool far; /* the queue has been filled with the far neighbours */
    bool filled;
};

static void climb_fini(void *state)
{
    struct climb_state *s = state;

    free(s->queue);
}

/* The queue of neighbours. */

static void enqueue(void *user, const struct lift_choice *choice)
{
    struct climb_state *s = user;

    if (search_seen_has(s->base.seen, choice))
        return;
    LIFT_ROOM(s->queue, s->queued, s->cap);
    s->queue[s->queued++] = *choice;
}

static void shuffle(struct climb_state *s)
{
    for (size_t i = s->queued; i > 1; i--) {
        size_t j = (size_t)lift_rng_below(s->base.rng, i);
        struct lift_choice swap = s->queue[i - 1];

        s->queue[i - 1] = s->queue[j];
        s->queue[j] = swap;
    }
}

static void fill(struct climb_state *s, bool far)
{
    s->queued = 0;
    s->far = far;
    s->filled = true;
    lift_joint_neighbours(s->base.seen->joint, &s->here.point,
                          far ? LIFT_JOINT_VALUE : LIFT_JOINT_STEP | LIFT_JOINT_EXPR,
                          enqueue, s);
    shuffle(s);
}

/* Takes the next untried neighbour; false if none is left. */
static bool next_neighbour(struct climb_state *s, struct lift_choice *choice)
{
    if (!s->filled)
        fill(s, false);
    for (;;) {
        while (s->queued > 0) {
            *choice = s->queue[--s->queued];
            if (!search_seen_has(s->base.seen, choice))
                return true;
        }
        if (s->far)
            return false;
        fill(s, true);
    }
}

/* Leaving a local minimum. */

/* Changes 'changes' parameters one after the other, each to any valid value. */
static void kick(struct climb_state *s, int changes, struct lift_choice *choice)
{
    *choice = *search_seen_best(s->base.seen);
    for (int i = 0; i < changes; i++)
        search_move(s->base.seen->joint, s->base.rng, choice, choice);
}

static bool leave(struct climb_state *s, struct lift_choice *choice)
{
    bool kicked = false;

    if (search_seen_best(s->base.seen) &&
        lift_rng_below(s->base.rng, 100) >= RESTART_PERCENT)
        for (int i = 0; i < KICK_DRAWS && !kicked; i++) {
            kick(s, KICK_PARAMS + i / 8, choice);
            kicked = !search_seen_has(s->base.seen, choice);
        }
    if (!kicked && !search_seen_sample(s->base.seen, -1, s->base.rng, choice))
        return false;
    s->landing = *choice;
    s->flying = true;
    return true;
}

static bool climb_propose(void *state, struct lift_choice *choice)
{
    struct climb_state *s = state;
    bool climbs = s->told >= STARTS && s->here.known;

    return climbs ? next_neighbour(s, choice) || leave(s, choice)
                  : search_seen_sample(s->base.seen, -1, s->base.rng, choice);
}

static void climb_observe(void *state, const struct lift_choice *choice,
                          struct lift_outcome outcome)
{
    struct climb_state *s = state;
    bool landed = s->flying && lift_choice_equal(choice, &s->landing);

    s->told++;
    if (landed)
        s->flying = false;
    if (!outcome.ok)
        return;
    if (landed || !s->here.known || outcome.seconds < s->here.seconds) {
        s->here = (struct place){*choice, outcome.seconds, true};
        s->queued = 0;
        s->filled = s->far = false;
    }
}

const struct lift_technique search_climb = {
    .name = "climb",
    .doc = "local search: hill climbing with kicks and restarts",
    .state_size = sizeof(struct climb_state),
    .init = search_base_init,
    .propose = climb_propose,
    .observe = climb_observe,
    .fini = climb_fini,
};
