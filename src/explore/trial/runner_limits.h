/* A runner's fence against its own kernels: a limit of memory, and handlers of signals
 * that tell its parent what a kernel died of. */
#ifndef EXPLORE_TRIAL_RUNNER_LIMITS_H
#define EXPLORE_TRIAL_RUNNER_LIMITS_H

#include "device/device.h"
#include "tuner/worker.h"

/* In the runner, before each request and before the device is opened. It is called
 * lift-runner. Where kernels run in its own process, on the host, it gets no more than
 * three quarters of the memory that is available now; on processors with a driver of
 * their own, the driver cannot replace the handler of SIGSEGV. */
void runner_limits_put(const struct lift_device_info *info);

/* In the parent: what the end of a runner means, written to 'result'. Not NULL if it ran
 * out of memory or stack: the reason. */
const char *runner_limits_read(struct lift_worker_result *result);

#endif
