/* A slab of a problem has rows and planes of equal size, but fewer planes along the
 * slowest dimension. A candidate is checked and timed on the slab first. The whole grid
 * takes several times as long to fill, to launch on and to compare. */
#ifndef EXPLORE_TRIAL_SLAB_H
#define EXPLORE_TRIAL_SLAB_H

#include "explore/candidate_space.h"

/* Makes a problem with at least 'bytes' of compulsory traffic, and enough planes for
 * tiles and streams. It lives in the arena of 'p' and shares its terms and texts, so the
 * caller does not destroy it. Returns NULL if 'p' is not twice as large, or no size is
 * only the number of planes. */
const struct explore_problem *explore_slab_of(const struct explore_problem *p,
                                              int64_t bytes);
/* Bytes of traffic of a slab that exceeds every cache of a processor; $LIFT_SLAB_BYTES if
 * set, 0: no slabs. Devices with separate memory run the whole grid in milliseconds, and
 * on a slab they have too few blocks to rank kernels. */
int64_t explore_slab_bytes(const struct lift_device_info *info);
/* Computes the sizes of a slab, and a configuration's tunables on it. Tiles longer than
 * the slab are shortened to its length, since kernels also compute the part of a tile
 * outside the slab. A tile of 1000 planes would take as long on a slab of 100 as on the
 * whole grid. Returns false if the excess still is larger than on the whole grid, or a
 * constraint fails. */
bool explore_slab_numbers(const struct explore_problem *slab,
                          const struct candidate_space *candidates, const int *point,
                          struct explore_numbers *out);
/* True if threads share the slab about as evenly as the whole grid. A slab may have one
 * of a few long chunks of planes, and then keeps only one thread busy. */
bool explore_slab_is_shared(const struct explore_problem *slab,
                            const struct candidate_space *candidates, const int *point,
                            const struct lift_device_info *device);

#endif
