/* A slab of a problem: the same rows and planes, but fewer of them along the slowest
 * dimension. A candidate is checked and timed there before it gets the whole grid, which
 * takes several times as long to fill, to launch on and to compare. */
#ifndef EXPLORE_SLAB_H
#define EXPLORE_SLAB_H

#include "explore/arm.h"

/* A problem of at least 'bytes' of compulsory traffic, and of as many planes as tiles and
 * streams take; in the arena of 'p', whose terms and texts it shares: it is not to be
 * destroyed. NULL if 'p' is not twice as large, or no size says how many planes there are
 * without saying anything else. */
const struct explore_problem *explore_slab_of(const struct explore_problem *p,
                                              int64_t bytes);
/* The traffic of a slab on that device that no cache of it can hold; $LIFT_SLAB_BYTES if
 * that is set, 0: no slabs. */
int64_t explore_slab_bytes(const struct lift_device_info *info);
/* Whether all conditions of a point hold there, too, and its tiles do not reach so far
 * beyond the slab that its time there says nothing: a tile of 1000 planes takes on a slab
 * of 100 what it takes on the whole grid. */
bool explore_slab_suits(const struct explore_problem *slab,
                        const struct explore_problem *whole,
                        const struct explore_arm *arm, const int *point);

#endif
