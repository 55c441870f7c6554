#include "explore/session/option_slowness.h"
#include <math.h>

static double slowness_of(const struct measured_points *m, int decision, int option)
{
    double all = INFINITY, with = INFINITY;
    int measured = 0;

    for (int i = 0; i < m->count; i++) {
        all = fmin(all, m->least[i]);
        if (isinf(m->least[i]) || m->configurations[i]->option[decision] != option)
            continue;
        with = fmin(with, m->least[i]);
        measured++;
    }
    return measured < 2 ? 1 : with / all;
}

double option_slowness(const struct measured_points *m, int decisions,
                       const struct lift_configuration *parent,
                       const struct lift_configuration *configuration)
{
    double product = 1;

    for (int i = 0; i < decisions; i++)
        if (configuration->option[i] != parent->option[i])
            product *= slowness_of(m, i, configuration->option[i]);
    return product;
}
