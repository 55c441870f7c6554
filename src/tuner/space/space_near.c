/* Points that are close to a point or to wishes. */
#include "base/bug.h"
#include "tuner/space/space_core.h"
#include <math.h>
#include <stdlib.h>

/* Limits of the search: values examined before and after the first point is found, and
 * for a neighbour. */
enum { HUNT_FIRST = 4000, HUNT_STEPS = 1000, HUNT_NEIGHBOUR = 400 };

/* Depth-first search for the point closest to the wishes. The search examines the
 * closest values of each parameter first, and skips branches that cannot improve the
 * result. */

struct hunt {
    const struct lift_space *space;
    const struct lift_space_wish *wish;
    struct prefix best;
    double cost; /* of the best point; infinite: none yet */
    int steps;   /* number of remaining steps */
};

static void hunt(struct hunt *h, struct prefix *p, int at, double cost);

static void hunt_value(struct hunt *h, struct prefix *p, int at, int index, double cost)
{
    if (index < 0 || index >= h->space->params[at].count || cost >= h->cost ||
        h->steps-- <= 0)
        return;
    if (space_bind(h->space, p, at, index) && space_promising(h->space, p, at + 1))
        hunt(h, p, at + 1, cost);
}

static void hunt(struct hunt *h, struct prefix *p, int at, double cost)
{
    if (at == h->space->param_count) {
        h->best = *p;
        h->steps = h->cost < INFINITY ? h->steps : HUNT_STEPS;
        h->cost = cost;
        return;
    }
    for (int off = 0; off < h->space->params[at].count && h->steps > 0; off++) {
        double more = cost + off * h->wish[at].weight;

        hunt_value(h, p, at, h->wish[at].index - off, more);
        if (off)
            hunt_value(h, p, at, h->wish[at].index + off, more);
    }
}

/* Moves one parameter as close to its wish as validity allows, with the other
 * parameters fixed. */
static void approach(const struct lift_space *space, const struct lift_space_wish *wish,
                     int *point, int at)
{
    int from = point[at], toward = wish->index < from ? 1 : -1;

    for (point[at] = wish->index; point[at] != from; point[at] += toward)
        if (lift_space_valid(space, point))
            return;
}

/* If the search finds no point: draws a valid point, and moves each parameter towards
 * its wish. */
static bool find_other(const struct lift_space *space, const struct lift_space_wish *wish,
                       int *point)
{
    struct lift_rng rng;

    lift_rng_seed(&rng, 1);
    if (!lift_space_sample(space, &rng, point))
        return false;
    for (int at = 0; at < space->param_count; at++)
        approach(space, &wish[at], point, at);
    return true;
}

bool lift_space_nearest(const struct lift_space *space,
                        const struct lift_space_wish *wish, int *point)
{
    struct hunt h = {.space = space, .wish = wish, .cost = INFINITY, .steps = HUNT_FIRST};
    struct prefix p;

    if (!space->possible)
        return false;
    for (int i = 0; i < space->param_count; i++)
        LIFT_ASSERT(wish[i].index >= 0 && wish[i].weight >= 0 &&
                    (!space->params[i].count || wish[i].index < space->params[i].count));
    space_counted(space);
    hunt(&h, &p, 0, 0);
    if (isinf(h.cost))
        return h.steps <= 0 && find_other(space, wish, point);
    space_store(space, &h.best, point);
    return true;
}

/* ---- neighbours */

/* Moves parameter 'at' to 'index', and the others by as few steps as the constraints
 * demand. */
static bool move_with_others(const struct lift_space *space, const int *point, int at,
                             int index, int *moved)
{
    enum { OTHERS = 3 }; /* more steps of the others than of the parameter */
    static const double fixed = 1e9;
    struct lift_space_wish wish[LIFT_SPACE_PARAMS];
    struct hunt h = {.space = space,
                     .wish = wish,
                     .cost = abs(index - point[at]) + OTHERS,
                     .steps = HUNT_NEIGHBOUR};
    double most = h.cost;
    struct prefix p;

    for (int i = 0; i < space->param_count; i++)
        wish[i] =
            (struct lift_space_wish){i == at ? index : point[i], i == at ? fixed : 1};
    hunt(&h, &p, 0, 0);
    if (h.cost < most)
        space_store(space, &h.best, moved);
    return h.cost < most;
}

void lift_space_neighbours(const struct lift_space *space, const int *point, bool far,
                           lift_space_visit *visit, void *user)
{
    int moved[LIFT_SPACE_PARAMS] = {0}, others[LIFT_SPACE_PARAMS] = {0};

    for (int i = 0; i < space->param_count; i++)
        moved[i] = point[i];
    for (int at = 0; at < space->param_count; at++) {
        int lo = far || point[at] == 0 ? 0 : point[at] - 1;
        int hi = far || point[at] + 1 == space->params[at].count
                     ? space->params[at].count - 1
                     : point[at] + 1;

        for (moved[at] = lo; moved[at] <= hi; moved[at]++) {
            if (moved[at] == point[at])
                continue;
            if (lift_space_valid(space, moved))
                visit(user, moved);
            else if (far && move_with_others(space, point, at, moved[at], others))
                visit(user, others);
        }
        moved[at] = point[at];
    }
}
