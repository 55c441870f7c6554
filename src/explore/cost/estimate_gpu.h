/* Internal declarations of estimate_gpu.c and estimate_warp.c. */
#ifndef EXPLORE_COST_ESTIMATE_GPU_H
#define EXPLORE_COST_ESTIMATE_GPU_H

#include "explore/cost/estimate_t.h"

/* Bytes of a cache line, and of its smallest transfer. */
enum { GPU_LINE = 128, GPU_SECTOR = 32 };

static inline double gpu_at_least_one(int64_t n)
{
    return n > 1 ? (double)n : 1;
}

/* Threads of a warp. */
int gpu_warp_of(const struct explore_estimator *e);
/* Cycles of L1 and of shared memory for an iteration of a warp. 'iterations': of all
 * threads, for the share of contiguous accesses. */
double gpu_access_cycles(struct explore_estimator *e, double iterations);

#endif
