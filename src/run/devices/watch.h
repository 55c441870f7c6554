/* Who waits for threads of parts: one that makes no progress ends the run. */
#ifndef RUN_DEVICES_WATCH_H
#define RUN_DEVICES_WATCH_H

#include "run/parts.h"

/* Called by the thread of a part: it has made 'launched' launches of the current call and
 * begins another; it waits for others; it is done, and failed unless 'good'. */
void watch_step(struct part *part, int64_t launched);
/* With the mutex. */
void watch_wait(struct part *part);
void watch_end(struct part *part, bool good);
/* Until all of the first 'started' threads are done. If one of them has not waited for
 * others, nor made a step, for the seconds of patience, all others end, and it is left
 * alone: 'hung' is set, and the error names the device and the step. Messages to other
 * processes that threads hand over go meanwhile, by this thread. */
bool watch_all(struct parts *parts, int started, struct lift_error *error);

#endif
