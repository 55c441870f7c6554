/* The set of configurations (rules/decision.h) whose options fit each other, a kind of
 * device and a contract: its size, and uniform random draws. */
#ifndef RULES_COMBINATIONS_H
#define RULES_COMBINATIONS_H

#include "rules/decision.h"

struct lift_combinations;

/* 'device' is of enum lift_option_device. If exact counting is too expensive, draws by
 * 'rng' estimate the number. 'rules' must stay unchanged until lift_combinations_destroy.
 */
struct lift_combinations *lift_combinations_create(const struct lift_rules *rules,
                                                   unsigned device, bool relaxed,
                                                   struct lift_rng *rng);
void lift_combinations_destroy(struct lift_combinations *c);

/* The number of configurations. 'error' is the standard error of an estimate by random
 * draws; 0: the number is exact, within the precision of a double. */
double lift_combinations_count(const struct lift_combinations *c, double *error);
/* Draws a configuration. False if the set is empty, or if it was not counted and all
 * random draws missed it. */
bool lift_combinations_draw(struct lift_combinations *c, struct lift_rng *rng,
                            struct lift_configuration *out);

#endif
