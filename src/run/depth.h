/* Temporal blocking: kernels that compute several steps a launch, in a run of more steps.
 */
#ifndef RUN_DEPTH_H
#define RUN_DEPTH_H

#include "base/hash.h"
#include "lift/program.h"

/* Returns true if 'id' is the program 'source' with 'steps' steps a launch; 1: unchanged.
 */
bool depth_is_of(const struct lift_source *source, int steps, struct lift_hash id);

/* Returns the time of a run of 'steps' steps, with single steps for the remainder, in
 * seconds for 10^9 grid points. 'gpts' and 'single' are the speeds of the kernel and of
 * the best kernel of single steps; both count every step. Returns infinity if a needed
 * 'single' is missing, or if the run has fewer steps than a launch. */
double depth_run_seconds(int64_t steps, int at_once, double gpts, double single);

#endif
