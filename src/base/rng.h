/* A small reproducible random generator (xoshiro256**), passed in wherever chance is
 * needed, so that a run can be replayed from its seed. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct lift_rng {
    uint64_t s[4];
};

void lift_rng_seed(struct lift_rng *rng, uint64_t seed);
uint64_t lift_rng_next(struct lift_rng *rng);
/* Uniform in 0..n-1, without bias; n > 0. */
uint64_t lift_rng_below(struct lift_rng *rng, uint64_t n);
/* Uniform in lo..hi, both included. */
int64_t lift_rng_range(struct lift_rng *rng, int64_t lo, int64_t hi);
/* Uniform in [0, 1). */
double lift_rng_unit(struct lift_rng *rng);

#endif
