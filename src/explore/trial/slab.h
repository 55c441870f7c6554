/* A slab of a problem: the same rows and planes, but fewer of them along the slowest
 * dimension. A candidate is checked and timed there before it gets the whole grid, which
 * takes several times as long to fill, to launch on and to compare. */
#ifndef EXPLORE_TRIAL_SLAB_H
#define EXPLORE_TRIAL_SLAB_H

#include "explore/candidate_space.h"

/* A problem of at least 'bytes' of compulsory traffic, and of as many planes as tiles and
 * streams take; in the arena of 'p', whose terms and texts it shares: it is not to be
 * destroyed. NULL if 'p' is not twice as large, or no size says how many planes there are
 * without saying anything else. */
const struct explore_problem *explore_slab_of(const struct explore_problem *p,
                                              int64_t bytes);
/* The traffic of a slab on that device that no cache of it can hold; $LIFT_SLAB_BYTES if
 * that is set, 0: no slabs. */
int64_t explore_slab_bytes(const struct lift_device_info *info);
/* The sizes of a slab, and the values of a point's tunables there. Tiles longer than the
 * slab are shortened to its length, since kernels also compute the part of a tile outside
 * the slab. A tile of 1000 planes would take as long on a slab of 100 as on the whole
 * grid. False if the excess still exceeds that of the whole grid, or a constraint fails.
 */
bool explore_slab_numbers(const struct explore_problem *slab,
                          const struct candidate_space *candidates, const int *point,
                          struct explore_numbers *out);
/* Whether threads have about as equal shares of the slab as of the whole grid: of a few
 * long chunks of planes a slab has one, which one thread computes. */
bool explore_slab_is_shared(const struct explore_problem *slab,
                            const struct candidate_space *candidates, const int *point,
                            const struct lift_device_info *device);

#endif
