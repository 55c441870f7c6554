/* Temporal blocking: kernels that compute several steps a launch, in a run of many. */
#ifndef RUN_DEPTH_H
#define RUN_DEPTH_H

#include "base/hash.h"
#include "lift/program.h"

/* True if 'id' is the program 'source' with that many steps a launch; 1: unchanged. */
bool depth_is_of(const struct lift_source *source, int steps, struct lift_hash id);

/* Time of a run of 'steps' steps, with single steps for the remainder, in seconds for
 * 10^9 grid points. 'gpts' is the speed of the kernel, 'single' that of the best kernel
 * of single steps; both count every step. Infinite if a needed 'single' is missing, or if
 * the run has fewer steps than a launch. */
double depth_run_seconds(int64_t steps, int at_once, double gpts, double single);

#endif
