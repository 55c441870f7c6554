/* Tunables at sizes where they were not timed. A tile that divides the grid there may
 * leave one here that is nearly empty, and takes as long as the others. */
#include "explore/cost/estimate.h"
#include "run/chosen.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By the cost model, which compares values of one expression well: an element may take so
 * much longer than where it was timed, what is changed pays at least so much, and so many
 * values are changed. */
static const double longer = 1.002, pays = 0.95;
enum { MOST_CHANGES = 3 };

struct resize {
    struct explore_estimator *estimator;
    struct chosen_candidate *candidate;
    double wanted;       /* seconds, which are good enough */
    double seconds, far; /* of the best so far, and how far away it is */
    int best[LIFT_SPACE_PARAMS];
};

static double seconds_of(struct resize *r, const int *point)
{
    struct explore_estimate e;

    return explore_estimate(r->estimator, &r->candidate->candidates, point, &e)
               ? e.seconds
               : INFINITY;
}

/* Of points that differ in one value: in octaves. */
static double distance(const struct resize *r, const int *point)
{
    const struct lift_space *space = r->candidate->candidates.space;
    double sum = 0;

    for (int i = 0; i < lift_space_param_count(space); i++) {
        const int64_t *values = lift_space_param(space, i)->values;

        sum += fabs(log2((double)values[point[i]] + 1) -
                    log2((double)values[r->candidate->point[i]] + 1));
    }
    return sum;
}

/* Of two that are good enough the one that is closer. */
static void look(void *user, const int *point)
{
    struct resize *r = user;
    const double seconds = seconds_of(r, point), far = distance(r, point);
    const bool good = seconds <= r->wanted;

    if (good ? r->seconds <= r->wanted && far >= r->far : seconds >= r->seconds)
        return;
    r->seconds = seconds;
    r->far = far;
    memcpy(r->best, point, sizeof r->best);
}

/* Sizes of the same names. */
static bool read_sizes(const char *text, const struct lift_nat_env *names,
                       int64_t values[EXPLORE_MAX_SIZES])
{
    json_auto_t *json = json_loads(text, 0, NULL);

    for (int i = 0; i < names->count; i++) {
        const json_t *value = json_object_get(json, names->names[i]);

        if (!json_is_integer(value))
            return false;
        values[i] = json_integer_value(value);
    }
    return true;
}

/* The seconds that elements would take at the sizes where they were timed. */
static double seconds_there(const struct chooser *c, struct chosen_candidate *candidate,
                            double points)
{
    int64_t values[EXPLORE_MAX_SIZES];
    struct explore_problem there = *c->problem;
    struct resize r = {.candidate = candidate};
    double seconds;

    if (!(points > 0) || !read_sizes(candidate->from_sizes, &there.sizes, values))
        return INFINITY;
    there.sizes.values = values;
    r.estimator = explore_estimator_create(&there, c->device);
    seconds = seconds_of(&r, candidate->point);
    explore_estimator_destroy(r.estimator);
    return seconds * (double)c->problem->points / points;
}

void resize_point(const struct chooser *c, struct chosen_candidate *candidate,
                  double points)
{
    struct resize r = {.candidate = candidate};
    double now;

    r.wanted = longer * seconds_there(c, candidate, points);
    r.estimator = explore_estimator_create(c->problem, c->device);
    now = seconds_of(&r, candidate->point);
    for (int i = 0; i < MOST_CHANGES && now > r.wanted; i++) {
        r.seconds = now;
        lift_space_neighbours(candidate->candidates.space, candidate->point, true, look,
                              &r);
        if (r.seconds > fmax(r.wanted, pays * now))
            break;
        now = r.seconds;
        memcpy(candidate->point, r.best, sizeof r.best);
    }
    explore_estimator_destroy(r.estimator);
}
