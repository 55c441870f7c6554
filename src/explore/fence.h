/* A runner's fence against its own kernels: a limit of memory, and handlers of signals
 * that tell its parent what a kernel died of. */
#ifndef EXPLORE_FENCE_H
#define EXPLORE_FENCE_H

#include "lift/worker.h"

/* In the runner, before each request. It is called lift-runner. 'memory': it gets no more
 * than three quarters of what is available now. */
void fence_put(bool memory);

/* In the parent: what the end of a runner means, written to 'result'. Not NULL if it ran
 * out of memory or stack: the reason. */
const char *fence_read(struct lift_worker_result *result);

#endif
