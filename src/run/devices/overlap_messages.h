/* Messages between processes, overlapped with the computation. A thread computes while
 * the caller's thread, the only one that may send and receive, exchanges messages. */
#ifndef RUN_DEVICES_OVERLAP_MESSAGES_H
#define RUN_DEVICES_OVERLAP_MESSAGES_H

#include "run/devices/overlap.h"

/* The computing thread calls this before it enqueues work after the boundary planes:
 * packs the messages and passes them to the caller's thread. */
bool overlap_messages_begin(struct part *part, messages_planes *planes_at);
/* The computing thread calls this after its other work: waits for the messages and copies
 * the received planes. */
bool overlap_messages_end(struct part *part);
/* The caller's thread calls this with the mutex held: sends and receives the pending
 * messages, if any. The call releases the mutex during the exchange. */
void overlap_messages_serve(struct part *part);

#endif
