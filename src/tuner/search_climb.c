/* Iterated local search. A few random points; from the best of them first-improvement
 * climbing over the neighbours by one step, then over those by any value of one
 * parameter; where nothing is left to improve, either a kick (a few parameters of the
 * best point changed) or, now and then, a new random start.
 *
 * A point that failed is no place to stand, but costs nothing else. Points that were
 * proposed and never told of (the driver knew them) are passed over. */
#include "lift/bug.h"
#include "tuner/search_seen.h"
#include <stdlib.h>
#include <string.h>

enum {
    STARTS = 6,          /* random points before the first climb */
    KICK_PARAMS = 2,     /* parameters that a kick changes, one more each time it lands on
                            known ground */
    KICK_DRAWS = 24,     /* kicks that land on known ground before a new start is taken */
    RESTART_PERCENT = 25 /* of the times that the climb is stuck */
};

struct place {
    int point[LIFT_SPACE_PARAMS];
    double seconds;
    bool known;
};

struct climb_state {
    const struct lift_space *space;
    struct lift_rng *rng;
    struct search_seen seen;
    struct place here; /* where the climb stands */
    struct place best;
    int told;                       /* outcomes, failed ones too */
    int landing[LIFT_SPACE_PARAMS]; /* where a kick or restart goes */
    bool flying;                    /* 'landing' was proposed and is not told of yet */
    int *queue; /* neighbours of 'here' yet to propose, the last one first */
    size_t queued, cap;
    bool far; /* the queue has been filled with the far neighbours */
    bool filled;
};

static size_t bytes(const struct climb_state *s)
{
    return (size_t)lift_space_param_count(s->space) * sizeof(int);
}

static void copy(const struct climb_state *s, int *to, const int *from)
{
    if (bytes(s))
        memcpy(to, from, bytes(s));
}

static bool same(const struct climb_state *s, const int *a, const int *b)
{
    return !bytes(s) || !memcmp(a, b, bytes(s));
}

static void climb_init(void *state, const struct lift_space *space, struct lift_rng *rng)
{
    struct climb_state *s = state;

    s->space = space;
    s->rng = rng;
    search_seen_init(&s->seen, space);
}

static void climb_fini(void *state)
{
    struct climb_state *s = state;

    search_seen_fini(&s->seen);
    free(s->queue);
}

/* The queue of neighbours. */

static int *queued(struct climb_state *s, size_t i)
{
    return s->queue + i * (size_t)lift_space_param_count(s->space);
}

static void enqueue(void *user, const int *point)
{
    struct climb_state *s = user;

    if (search_seen_has(&s->seen, point))
        return;
    if (s->queued == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 32;
        s->queue = realloc(s->queue, s->cap * bytes(s) + 1);
        if (!s->queue)
            LIFT_BUG("out of memory");
    }
    copy(s, queued(s, s->queued++), point);
}

static void shuffle(struct climb_state *s)
{
    int swap[LIFT_SPACE_PARAMS];

    for (size_t i = s->queued; i > 1; i--) {
        size_t j = (size_t)lift_rng_below(s->rng, i);

        copy(s, swap, queued(s, i - 1));
        copy(s, queued(s, i - 1), queued(s, j));
        copy(s, queued(s, j), swap);
    }
}

static void fill(struct climb_state *s, bool far)
{
    s->queued = 0;
    s->far = far;
    s->filled = true;
    lift_space_neighbours(s->space, s->here.point, far, enqueue, s);
    shuffle(s);
}

/* The next neighbour that nobody knows; false if there is none left. */
static bool next_neighbour(struct climb_state *s, int *point)
{
    if (!s->filled)
        fill(s, false);
    for (;;) {
        while (s->queued > 0) {
            copy(s, point, queued(s, --s->queued));
            if (!search_seen_has(&s->seen, point))
                return true;
        }
        if (s->far)
            return false;
        fill(s, true);
    }
}

static void stand(struct climb_state *s, const int *point, double seconds)
{
    copy(s, s->here.point, point);
    s->here.seconds = seconds;
    s->here.known = true;
    s->queued = 0;
    s->filled = s->far = false;
}

/* Leaving a summit. */

struct reservoir {
    struct climb_state *s;
    int *point;
    uint64_t seen;
};

/* Keeps each of the visited points with the same chance. */
static void keep_one(void *user, const int *point)
{
    struct reservoir *r = user;

    if (lift_rng_below(r->s->rng, ++r->seen) == 0)
        copy(r->s, r->point, point);
}

/* Changes 'changes' parameters one after the other, each to any valid value. */
static void kick(struct climb_state *s, int changes, int *point)
{
    int next[LIFT_SPACE_PARAMS];

    copy(s, point, s->best.point);
    for (int i = 0; i < changes; i++) {
        struct reservoir r = {s, next, 0};

        lift_space_neighbours(s->space, point, true, keep_one, &r);
        if (r.seen)
            copy(s, point, next);
    }
}

static bool leave(struct climb_state *s, int *point)
{
    bool kicked = false;

    if (s->best.known && lift_rng_below(s->rng, 100) >= RESTART_PERCENT)
        for (int i = 0; i < KICK_DRAWS && !kicked; i++) {
            kick(s, KICK_PARAMS + i / 8, point);
            kicked = !search_seen_has(&s->seen, point);
        }
    if (!kicked && !search_seen_sample(&s->seen, s->rng, point))
        return false;
    copy(s, s->landing, point);
    s->flying = true;
    return true;
}

static bool climb_propose(void *state, int *point)
{
    struct climb_state *s = state;
    bool found;

    if (s->told < STARTS || !s->here.known)
        found = search_seen_sample(&s->seen, s->rng, point);
    else
        found = next_neighbour(s, point) || leave(s, point);
    if (found)
        search_seen_add(&s->seen, point);
    return found;
}

static void climb_observe(void *state, const int *point, struct lift_outcome outcome)
{
    struct climb_state *s = state;
    bool landed = s->flying && same(s, point, s->landing);

    search_seen_add(&s->seen, point);
    s->told++;
    if (landed)
        s->flying = false;
    if (!outcome.ok)
        return;
    if (landed || !s->here.known || outcome.seconds < s->here.seconds)
        stand(s, point, outcome.seconds);
    if (!s->best.known || outcome.seconds < s->best.seconds)
        s->best = s->here;
}

const struct lift_technique search_climb = {
    .name = "climb",
    .doc = "local search: hill climbing with kicks and restarts",
    .state_size = sizeof(struct climb_state),
    .init = climb_init,
    .propose = climb_propose,
    .observe = climb_observe,
    .fini = climb_fini,
};
