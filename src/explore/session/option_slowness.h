/* Slowdowns by options of decisions, from measurements; they correct the estimates of
 * untried kernels. */
#ifndef EXPLORE_SESSION_OPTION_SLOWNESS_H
#define EXPLORE_SESSION_OPTION_SLOWNESS_H

#include "rules/decision.h"

/* Configurations of the decisions, with the least measured seconds of each; infinite: not
 * measured. */
struct measured_points {
    const struct lift_configuration *const *configurations;
    const double *least;
    int count;
};

/* The expected slowdown of a configuration relative to 'parent', from its options of the
 * first 'decisions' decisions. Each option that the parent lacks contributes a factor:
 * time of the fastest configuration with the option / time of the fastest configuration.
 * An option that was measured in fewer than two configurations counts 1. */
double option_slowness(const struct measured_points *m, int decisions,
                       const struct lift_configuration *parent,
                       const struct lift_configuration *configuration);

#endif
