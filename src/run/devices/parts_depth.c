/* Temporal blocking on several devices. A launch of n steps reads n times as many ghost
 * planes as a launch of one step, and parts exchange planes after n steps. Single steps
 * of the remainder use the same ghost planes. */
#include "run/devices/overlap.h"
#include "run/ranks/team.h"
#include <math.h>
#include <string.h>

/* The least share of the computed planes and rows that belong to the part itself. */
static double own_share(const struct parts *parts)
{
    double least = 1;

    for (int i = 0; i < parts->count; i++) {
        double share = 1;

        for (int d = 0; d < PARTS_DIMS; d++)
            if (parts_are_along(parts, d))
                share *= (double)parts->part[i].along[d].own /
                         (double)parts->part[i].along[d].length;
        least = fmin(least, share);
    }
    return least;
}

void parts_weigh_depths(struct parts *parts, struct depth_speeds *speeds)
{
    const int64_t every = parts->every;

    for (int n = 1; n <= LIFT_MAX_STEPS; n++)
        speeds->gpts[n] *= parts_set_every(parts, n * every) ? own_share(parts) : 0;
    parts_set_every(parts, every);
}

void parts_deepen(struct parts *parts, int deep, const struct depth_speeds *speeds)
{
    parts_set_every(parts, parts->every * deep);
    parts->deep = deep;
    parts->speeds = *speeds;
    if (parts->overlaps)
        lift_str_add(&parts->sequential, "a launch computes several time steps");
    overlap_drop(parts);
}

/* The message of each process about its plans. */
struct member {
    struct lift_hash single, deep; /* memory layouts */
    char why[160];                 /* not empty: launches of several steps are missing */
};

static struct member own_member(const struct parts *parts)
{
    struct member out = {.why = ""};
    const struct lift_plan *deep;

    for (int i = 0; i < parts->own_count; i++) {
        const struct lift_plan *plan = parts->own[i].plan;

        if (!plan_at(parts->own[i].plan, parts->deep) && !out.why[0])
            strncpy(out.why, plan->dropped ? plan->dropped : "there is no such kernel",
                    sizeof out.why - 1);
    }
    deep = plan_at(parts->own->plan, parts->deep);
    out.single = plan_layout_of(parts->own->plan).places;
    if (deep)
        out.deep = plan_layout_of(deep).places;
    if (!out.why[0] && !parts_are_shared(parts) && parts_are_near(parts, 1) &&
        !parts_are_near(parts, parts->deep))
        strcpy(out.why, "kernels of several time steps use different memory layouts");
    return out;
}

bool parts_settle_depth(struct parts *parts, struct lift_error *error)
{
    struct member mine, other, first;
    bool alike = true, deep_alike = true;

    if (parts->deep == parts->base)
        return true;
    mine = own_member(parts);
    if (!team_meet(parts->team, 0, &mine, sizeof mine, error))
        return false;
    memcpy(&first, team_word(parts->team, 0), sizeof first);
    for (int i = 0; i < parts->team->to.size; i++) {
        memcpy(&other, team_word(parts->team, i), sizeof other);
        alike &= lift_hash_equal(other.single, first.single);
        deep_alike &= lift_hash_equal(other.deep, first.deep);
        if (!parts->shallow.len)
            lift_str_add(&parts->shallow, other.why);
    }
    if (!parts->shallow.len && alike && !deep_alike)
        lift_str_add(&parts->shallow,
                     "kernels of several time steps use different memory layouts");
    if (parts->shallow.len)
        parts->deep = parts->base;
    return true;
}
