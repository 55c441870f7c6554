/* Watches the threads of parts: a thread without progress ends the run. */
#ifndef RUN_DEVICES_WATCH_H
#define RUN_DEVICES_WATCH_H

#include "run/parts.h"

/* The thread of a part calls watch_step before each launch, with the number of launches
 * so far. The thread calls watch_wait to wait for others, and watch_end at its end. */
void watch_step(struct part *part, int64_t launched);
/* The caller holds the mutex. */
void watch_wait(struct part *part);
void watch_end(struct part *part, bool good);
/* Waits until the first 'started' threads are done. Meanwhile sends and receives the
 * threads' messages to other processes. If a thread makes no progress for 'patience'
 * seconds, all other threads end, and this thread is left running. 'hung' is then set,
 * and the error names the device and the step. */
bool watch_all(struct parts *parts, int started, struct lift_error *error);

#endif
