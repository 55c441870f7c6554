/* The set of configurations (rules/decision.h) whose options fit each other, a device
 * kind and a contract. Gives the size of the set, and uniform random draws. */
#ifndef RULES_COMBINATIONS_H
#define RULES_COMBINATIONS_H

#include "rules/decision.h"

struct lift_combinations;

/* 'device' is of enum lift_option_device. Counts the set exactly, or estimates the number
 * by draws from 'rng' if exact counting is too expensive. 'rules' must stay unchanged
 * until lift_combinations_destroy. */
struct lift_combinations *lift_combinations_create(const struct lift_rules *rules,
                                                   unsigned device, bool relaxed,
                                                   struct lift_rng *rng);
void lift_combinations_destroy(struct lift_combinations *c);

/* Returns the number of configurations. Sets 'error' to the standard error of an
 * estimate, or to 0 if the number is exact, within the precision of a double. */
double lift_combinations_count(const struct lift_combinations *c, double *error);
/* Draws a configuration. Returns false if the set is empty, or if the set was not counted
 * and all random draws missed it. */
bool lift_combinations_draw(struct lift_combinations *c, struct lift_rng *rng,
                            struct lift_configuration *out);

#endif
