/* Values by name: sizes and tunables of a configuration, and the conditions on them. */
#include "explore/candidate_space.h"
#include <string.h>

void explore_numbers_of(const struct explore_problem *p,
                        const struct candidate_space *candidates, const int *point,
                        struct explore_numbers *out)
{
    int count = 0;

    for (int i = 0; i < p->sizes.count; i++) {
        out->names[count] = p->sizes.names[i];
        out->values[count++] = p->sizes.values[i];
    }
    out->size_count = count;
    for (int i = 0; candidates && i < lift_space_param_count(candidates->space); i++) {
        const struct lift_param *param = lift_space_param(candidates->space, i);

        out->names[count] = param->name;
        out->values[count++] = param->values[point[i]];
    }
    out->env = (struct lift_nat_env){out->names, out->values, count};
}

int64_t explore_launch_number(const struct explore_numbers *numbers, const char *name,
                              int64_t otherwise)
{
    for (int i = numbers->size_count; i < numbers->env.count; i++)
        if (strcmp(numbers->names[i], name) == 0)
            return numbers->values[i];
    return otherwise;
}

static bool holds(const struct lift_side_condition *c, const struct lift_nat_env *numbers)
{
    int64_t a, b;

    if (!lift_nat_eval(c->a, lift_nat_env_value, (void *)numbers, &a) ||
        !lift_nat_eval(c->b, lift_nat_env_value, (void *)numbers, &b))
        return false;
    return c->kind == LIFT_SIDE_LE ? a <= b : a >= 1 && b % a == 0;
}

const struct lift_side_condition *
explore_first_broken(const struct lift_side_condition *conditions, int count,
                     const struct lift_nat_env *numbers)
{
    for (int i = 0; i < count; i++)
        if (!holds(&conditions[i], numbers))
            return &conditions[i];
    return NULL;
}

const struct lift_side_condition *explore_broken(const struct candidate_space *candidates,
                                                 const struct lift_nat_env *numbers)
{
    return explore_first_broken(candidates->conditions, candidates->condition_count,
                                numbers);
}
