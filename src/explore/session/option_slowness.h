/* What measurements say of the options of decisions: guesses of kernels that were not
 * tried are corrected by it. */
#ifndef EXPLORE_SESSION_OPTION_SLOWNESS_H
#define EXPLORE_SESSION_OPTION_SLOWNESS_H

#include "rules/decision.h"

/* Configurations of the decisions, and the least seconds that were measured of each;
 * infinite: none were. */
struct measured_points {
    const struct lift_configuration *const *configurations;
    const double *least;
    int count;
};

/* How much slower a configuration is to be expected than 'parent' for its options alone,
 * of the first 'decisions' of them: the product of what each one that the parent does not
 * have was slower elsewhere, that is the fastest of all configurations that have it
 * beside the fastest of all. An option that was measured in fewer than two configurations
 * says nothing: 1. */
double option_slowness(const struct measured_points *m, int decisions,
                       const struct lift_configuration *parent,
                       const struct lift_configuration *configuration);

#endif
