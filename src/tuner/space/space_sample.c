/* Numbered and random points. */
#include "base/bug.h"
#include "tuner/space/space_core.h"
#include <string.h>

/* Random descents in a space that is too large to count: number for drawing one
 * point, and number for estimating the size. */
enum { DESCENTS = 8, ESTIMATE_DESCENTS = 40 };

/* A descent restarts after this many prefixes. If the last of these descents also
 * fails, the space's first point is the result. */
enum { PREFIXES = 4000, BEGINNINGS = 5, FEW_PREFIXES = 400 };

bool lift_space_counted(const struct lift_space *space)
{
    return space_counted(space);
}

/* Finds the point with number 'rank' among the completions of a prefix. */
static void pick(const struct lift_space *s, struct prefix *p, int at, int64_t rank)
{
    if (at == s->param_count)
        return;
    for (int i = 0; i < s->params[at].count; i++) {
        int64_t n = space_bind(s, p, at, i) ? space_completions(s, p, at + 1) : 0;

        if (rank < n) {
            pick(s, p, at + 1, rank);
            return;
        }
        rank -= n;
    }
    LIFT_BUG("a counted space has fewer points than counted");
}

bool lift_space_at(const struct lift_space *space, int64_t index, int *point)
{
    struct prefix p;

    if (!space->possible || !space_counted(space) || index < 0 ||
        index >= space_completions(space, &p, 0))
        return false;
    if (space->rows) {
        if (space->param_count)
            memcpy(point, space->rows + index * space->param_count,
                   (size_t)space->param_count * sizeof *point);
        return true;
    }
    pick(space, &p, 0, index);
    space_store(space, &p, point);
    return true;
}

int64_t lift_space_index(const struct lift_space *space, const int *point)
{
    struct prefix p;
    int64_t rank = 0;

    if (!space_counted(space) || !lift_space_valid(space, point))
        return -1;
    if (space->rows) {
        space_rows(space, point, space->param_count, &rank);
        return rank;
    }
    for (int at = 0; at < space->param_count; at++) {
        for (int i = 0; i < point[at]; i++)
            if (space_bind(space, &p, at, i))
                rank += space_completions(space, &p, at + 1);
        space_bind(space, &p, at, point[at]);
    }
    return rank;
}

/* Descends depth first, with the values of each parameter in random order. '*weight'
 * becomes the product of the numbers of apparently possible values on the path. Its
 * mean is the number of points. */
static bool wander(const struct lift_space *s, struct lift_rng *rng, struct prefix *p,
                   int at, double *weight, int *prefixes)
{
    int n = at < s->param_count ? s->params[at].count : 0;
    int order[n > 0 ? n : 1];
    int open = 0;

    if (at == s->param_count)
        return true;
    if (--*prefixes < 0)
        return false;
    for (int i = 0; i < n; i++)
        if (space_bind(s, p, at, i) && space_promising(s, p, at + 1))
            order[open++] = i;
    for (int left = open; left > 0; left--) {
        int j = (int)lift_rng_below(rng, (uint64_t)left);
        int value = order[j];

        order[j] = order[left - 1];
        *weight *= left;
        space_bind(s, p, at, value);
        if (wander(s, rng, p, at + 1, weight, prefixes))
            return true;
        *weight /= left;
    }
    return false;
}

static bool descend(const struct lift_space *s, struct lift_rng *rng, struct prefix *p,
                    double *weight)
{
    bool found = false;

    for (int i = 0, prefixes = 0; i < BEGINNINGS && !found && prefixes <= 0; i++) {
        prefixes = PREFIXES;
        *weight = 1;
        found = wander(s, rng, p, 0, weight, &prefixes);
    }
    return found;
}

/* Draws one of several descents with probability in proportion to its weight, which
 * is closer to uniform than one descent. */
static bool sample_large(const struct lift_space *space, struct lift_rng *rng,
                         struct prefix *p)
{
    double sum = 0;

    for (int i = 0; i < DESCENTS; i++) {
        struct prefix q;
        double weight;

        if (!descend(space, rng, &q, &weight))
            return false;
        sum += weight;
        if (lift_rng_unit(rng) * sum < weight)
            *p = q;
    }
    return true;
}

bool lift_space_sample(const struct lift_space *space, struct lift_rng *rng, int *point)
{
    struct prefix p;

    if (!space->possible)
        return false;
    if (space_counted(space)) {
        int64_t n = space_completions(space, &p, 0);

        return n &&
               lift_space_at(space, (int64_t)lift_rng_below(rng, (uint64_t)n), point);
    }
    if (!sample_large(space, rng, &p))
        return lift_space_next(space, point, true);
    space_store(space, &p, point);
    return true;
}

/* Descends depth first, and examines values in random order until one is possible. */
static bool stroll(const struct lift_space *s, struct lift_rng *rng, struct prefix *p,
                   int at, int *prefixes)
{
    int n = at < s->param_count ? s->params[at].count : 0;
    int order[n > 0 ? n : 1];

    if (at == s->param_count)
        return true;
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int left = n; left > 0 && --*prefixes >= 0; left--) {
        int j = (int)lift_rng_below(rng, (uint64_t)left);
        int value = order[j];

        order[j] = order[left - 1];
        if (space_bind(s, p, at, value) && space_promising(s, p, at + 1) &&
            stroll(s, rng, p, at + 1, prefixes))
            return true;
    }
    return false;
}

bool lift_space_draw(const struct lift_space *space, struct lift_rng *rng, int *point)
{
    struct prefix p;
    int prefixes = FEW_PREFIXES;

    if (!space->possible || space_counted(space))
        return lift_space_sample(space, rng, point);
    if (!stroll(space, rng, &p, 0, &prefixes))
        return false;
    space_store(space, &p, point);
    return true;
}

/* Estimates the number of points by the mean of some descents. */
static double estimate(const struct lift_space *space)
{
    struct prefix p;
    struct lift_rng rng;
    double sum = 0;
    int first[LIFT_SPACE_PARAMS];

    lift_rng_seed(&rng, 1);
    for (int i = 0; i < ESTIMATE_DESCENTS; i++) {
        double weight;

        if (!descend(space, &rng, &p, &weight))
            return lift_space_next(space, first, true);
        sum += weight;
    }
    return sum / ESTIMATE_DESCENTS;
}

double lift_space_estimate(const struct lift_space *space)
{
    struct prefix p;

    if (!space->possible)
        return 0;
    if (space_counted(space))
        return (double)space_completions(space, &p, 0);
    if (space->memo->estimate <= 0)
        space->memo->estimate = estimate(space);
    return space->memo->estimate;
}

void lift_space_set_estimate(const struct lift_space *space, double estimate)
{
    space->memo->estimate = estimate;
}
