/* Threads do not survive a fork: those of OpenMP and of drivers are missing in the child,
 * and a call that waits for them never returns. */
#ifndef DEVICE_FORKED_H
#define DEVICE_FORKED_H

#include "device/device.h"

/* A kernel of the host ran here: from now on children cannot run one, if there are
 * threads. */
void device_forked_ran(void);
/* False and a failure in a child of a process that did. */
bool device_forked_may_run(struct lift_error *error);

/* A device with a driver is opened and closed. False and a failure in a child of a
 * process that had one open. */
bool device_forked_open(struct lift_error *error);
void device_forked_close(void);

#endif
