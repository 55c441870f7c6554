/* Stored tunables in a space that may have other values. */
#include "explore/candidate_space.h"
#include "tuner/param_json.h"
#include <math.h>

/* Weights of a difference from a requested value, and from a default value. */
static const double asked = 1, not_asked = 0.125;

static double distance(int64_t a, int64_t b)
{
    return a > 0 && b > 0 ? fabs(log2((double)a / (double)b)) : fabs((double)(a - b));
}

static int closest(const struct lift_param *param, int64_t value)
{
    int best = 0;

    for (int i = 1; i < param->count; i++)
        if (distance(param->values[i], value) < distance(param->values[best], value))
            best = i;
    return best;
}

static struct lift_space_wish wish_for(const struct lift_param *param,
                                       const json_t *tunables)
{
    const json_t *value = lift_param_in(tunables, param);

    if (json_is_integer(value))
        return (struct lift_space_wish){closest(param, json_integer_value(value)), asked};
    if (param->start > 0)
        return (struct lift_space_wish){closest(param, param->start), not_asked};
    return (struct lift_space_wish){0, not_asked};
}

bool candidate_space_nearest(const struct candidate_space *candidates,
                             const char *tunables, int *point)
{
    struct lift_space_wish wishes[LIFT_SPACE_PARAMS];
    json_t *json;

    if (lift_space_parse(candidates->space, tunables, point) &&
        lift_space_valid(candidates->space, point))
        return true;
    json = lift_json_read(tunables, 0);
    for (int i = 0; i < lift_space_param_count(candidates->space); i++)
        wishes[i] = wish_for(lift_space_param(candidates->space, i), json);
    json_decref(json);
    return lift_space_nearest(candidates->space, wishes, point);
}
