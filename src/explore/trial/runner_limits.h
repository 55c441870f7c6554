/* Protects a runner from its own kernels: a memory limit, and handlers of signals that
 * report a kernel's cause of death to the parent. */
#ifndef EXPLORE_TRIAL_RUNNER_LIMITS_H
#define EXPLORE_TRIAL_RUNNER_LIMITS_H

#include "device/device.h"
#include "tuner/worker.h"

/* Call in the runner before each request, and before the device is opened. Names the
 * process lift-runner. If kernels run in this process, on the host, limits memory to
 * three quarters of the memory available now. On processors with a separate driver, keeps
 * the driver from replacing the handler of SIGSEGV. */
void runner_limits_put(const struct lift_device_info *info);

/* Call in the parent: interprets the end of a runner in 'result'. Returns the reason if
 * the runner exhausted memory or stack; otherwise NULL. */
const char *runner_limits_read(struct lift_worker_result *result);

#endif
