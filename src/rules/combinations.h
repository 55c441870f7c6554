/* All configurations (rules/decision.h) whose options fit each other, a kind of
 * device and a contract: how many there are, and draws of which each is as likely as any
 * other. */
#ifndef RULES_COMBINATIONS_H
#define RULES_COMBINATIONS_H

#include "rules/decision.h"

struct lift_combinations;

/* 'device' is of enum lift_option_device; 'rng' is used where they are too many to be
 * counted. 'rules' must not be added to before lift_combinations_destroy. */
struct lift_combinations *lift_combinations_create(const struct lift_rules *rules,
                                                   unsigned device, bool relaxed,
                                                   struct lift_rng *rng);
void lift_combinations_destroy(struct lift_combinations *c);

/* How many. 'error' is the standard error of an estimate by random draws; 0: they were
 * counted, to the digits of a double. */
double lift_combinations_count(const struct lift_combinations *c, double *error);
/* One of them. False if there are none, or, where they were not counted, so few among all
 * configurations that none was met. */
bool lift_combinations_draw(struct lift_combinations *c, struct lift_rng *rng,
                            struct lift_configuration *out);

#endif
