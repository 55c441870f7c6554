/* A small reproducible random generator (xoshiro256**). Callers pass the generator to
 * all functions that draw, so a session can be repeated from its seed. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct lift_rng {
    uint64_t s[4];
};

void lift_rng_seed(struct lift_rng *rng, uint64_t seed);
uint64_t lift_rng_next(struct lift_rng *rng);
/* Draws uniformly from 0..n-1, without bias; n > 0. */
uint64_t lift_rng_below(struct lift_rng *rng, uint64_t n);
/* Draws uniformly from lo..hi, including both. */
int64_t lift_rng_range(struct lift_rng *rng, int64_t lo, int64_t hi);
/* Draws uniformly from [0, 1). */
double lift_rng_unit(struct lift_rng *rng);

#endif
