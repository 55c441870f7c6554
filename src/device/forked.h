/* Threads do not survive a fork. A child has no threads of OpenMP and of drivers, and a
 * call that waits for such threads never returns. */
#ifndef DEVICE_FORKED_H
#define DEVICE_FORKED_H

#include "device/device.h"

/* Notes that a host kernel ran here: if OpenMP has threads, children can no longer run
 * host kernels. */
void device_forked_ran(void);
/* Returns false with an error in a child of a process that ran a host kernel. */
bool device_forked_may_run(struct lift_error *error);

/* Note that a device with a driver is opened and closed. device_forked_open returns false
 * with an error in a child of a process that had such a device open. */
bool device_forked_open(struct lift_error *error);
void device_forked_close(void);

#endif
