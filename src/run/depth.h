/* Kernels that compute several steps of the time loop at once, in a run of many. */
#ifndef RUN_DEPTH_H
#define RUN_DEPTH_H

#include "base/hash.h"
#include "lift/program.h"

/* Whether the program of that id is 'source', so many steps of it at once; 1: as it is.
 */
bool depth_is_of(const struct lift_source *source, int steps, struct lift_hash id);

/* What a run of 'steps' takes, with single steps for what is no multiple, in seconds for
 * 10^9 points: 'gpts' is of the kernel, 'single' of the best one of single steps, both
 * counting every step. Infinite without the latter, where it is needed, and if there are
 * fewer steps than the kernel computes. */
double depth_run_seconds(int64_t steps, int at_once, double gpts, double single);

#endif
