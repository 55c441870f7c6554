/* Chooses the points that the model evaluates. */
#include "base/bug.h"
#include "base/memory.h"
#include "tuner/search/search_model.h"
#include "tuner/search/search_moves.h"
#include <math.h>
#include <stdlib.h>

enum {
    RANDOM = 100, /* random points among the candidates */
    PAIRS = 50,   /* points two moves away from one of the fastest */
    SPREAD = 40,  /* random points, of which the search takes the farthest, */
    PROMISING = 5 /* or the farthest of the fifth with the best estimates */
};

struct pick {
    struct search_model *model;
    struct lift_choice best;
    double promise;
    uint64_t equal; /* points as promising as the best; 0: none */
};

/* Keeps the most promising point. Equally promising points have equal probability,
 * since a forest has equal predictions for many points. */
static void consider(struct pick *p, const struct lift_choice *choice)
{
    double value;

    if (search_seen_has(p->model->seen, choice))
        return;
    value = search_model_promise(p->model, choice);
    if (p->equal && value < p->promise)
        return;
    p->equal = p->equal && value == p->promise ? p->equal + 1 : 1;
    p->promise = value;
    if (lift_rng_below(p->model->rng, p->equal) == 0)
        p->best = *choice;
}

void search_nearby_add(void *user, const struct lift_choice *choice)
{
    struct search_nearby *n = user;

    LIFT_ROOM(n->items, n->count, n->cap);
    n->items[n->count++] = *choice;
}

static bool is_around(const struct search_model *m, size_t number)
{
    for (int i = 0; i < m->around_count; i++)
        if (m->around[i] == number)
            return true;
    return false;
}

/* The neighbours of a point to look around, found once and cached. There is always a
 * free slot: the other slots belong to at most SEARCH_AROUND - 1 of these points. */
static const struct search_nearby *nearby(struct search_model *m, size_t number)
{
    struct search_nearby *room = NULL;

    for (int i = 0; i < SEARCH_AROUND; i++) {
        struct search_nearby *n = &m->nearby[i];

        if (n->told == number + 1)
            return n;
        if (!room && (!n->told || !is_around(m, n->told - 1)))
            room = n;
    }
    LIFT_ASSERT(room);
    room->told = number + 1;
    room->count = 0;
    lift_joint_neighbours(m->joint, &m->seen->points[number].choice,
                          LIFT_JOINT_VALUE | LIFT_JOINT_EXPR, search_nearby_add, room);
    return room;
}

static int any_expr(struct search_model *m)
{
    return (int)lift_rng_below(m->rng, (uint64_t)lift_joint_exprs(m->joint));
}

/* Draws uniformly over the points or over the expressions, or carries the best values
 * to a random expression. */
static bool draw(struct search_model *m, struct lift_choice *choice)
{
    const struct lift_choice *best = search_seen_best(m->seen);
    uint64_t way = lift_joint_exprs(m->joint) == 1 ? 0 : lift_rng_below(m->rng, 4);
    int expr;

    if (way < 2)
        return lift_joint_sample(m->joint, m->rng, choice);
    expr = any_expr(m);
    return way == 3 && best ? lift_joint_carry(m->joint, best, expr, choice)
                            : lift_joint_sample_in(m->joint, expr, m->rng, choice);
}

/* Makes two moves: two sides of a tile often must change together. */
static bool move_twice(struct search_model *m, struct lift_choice *choice)
{
    size_t best = m->around[lift_rng_below(m->rng, (uint64_t)m->around_count)];
    const struct search_nearby *n = nearby(m, best);

    return n->count > 0 &&
           search_move(m->joint, m->rng, &n->items[lift_rng_below(m->rng, n->count)],
                       choice);
}

static void look_around(struct pick *p)
{
    struct search_model *m = p->model;
    struct lift_choice choice;

    m->around_count = search_seen_around(m->seen, m->around);
    for (int b = 0; b < m->around_count; b++) {
        const struct search_nearby *n = nearby(m, m->around[b]);

        for (size_t i = 0; i < n->count; i++)
            consider(p, &n->items[i]);
    }
    for (int i = 0; i < PAIRS && m->around_count; i++)
        if (move_twice(m, &choice))
            consider(p, &choice);
    for (int i = 0; i < RANDOM; i++)
        if (draw(m, &choice))
            consider(p, &choice);
}

bool search_model_pick(struct search_model *m, struct lift_choice *choice)
{
    struct pick p = {.model = m};

    search_model_refresh(m);
    look_around(&p);
    if (!p.equal)
        return search_seen_sample(m->seen, -1, m->rng, choice);
    *choice = p.best;
    return true;
}

/* ---- spreading */

static double nearest_seen(struct search_model *m, const struct lift_choice *choice)
{
    double least = INFINITY;

    for (size_t i = 0; i < m->seen->count; i++) {
        double off =
            search_features_distance(&m->features, choice, &m->seen->points[i].choice);

        least = off < least ? off : least;
    }
    return least;
}

struct spread {
    struct lift_choice choice;
    double guessed;
};

static int shortest_first(const void *a, const void *b)
{
    const struct spread *x = a, *y = b;

    return (x->guessed > y->guessed) - (x->guessed < y->guessed);
}

/* Draws random points. If the space has estimates, keeps the most promising fraction.
 * Returns the number of points. */
static int draw_spread(struct search_model *m, struct spread drawn[SPREAD])
{
    bool guesses = lift_joint_guesses(m->joint);
    int count = 0;

    for (int i = 0; i < SPREAD; i++) {
        struct spread *s = &drawn[count];

        if (!search_seen_sample(m->seen, any_expr(m), m->rng, &s->choice))
            continue;
        s->guessed = guesses ? lift_joint_guessed(m->joint, &s->choice) : 0;
        count++;
    }
    if (!guesses)
        return count;
    qsort(drawn, (size_t)count, sizeof *drawn, shortest_first);
    return (count + PROMISING - 1) / PROMISING;
}

bool search_model_spread(struct search_model *m, struct lift_choice *choice)
{
    struct spread drawn[SPREAD];
    int count = draw_spread(m, drawn);
    double farthest = -1;

    for (int i = 0; i < count; i++) {
        double off = nearest_seen(m, &drawn[i].choice);

        if (off > farthest) {
            farthest = off;
            *choice = drawn[i].choice;
        }
    }
    return farthest >= 0 || search_seen_sample(m->seen, -1, m->rng, choice);
}
