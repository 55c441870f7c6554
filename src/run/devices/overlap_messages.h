/* Messages between processes, overlapped with the computation. A thread computes while
 * the caller's thread, the only one that may send and receive, exchanges messages. */
#ifndef RUN_DEVICES_OVERLAP_MESSAGES_H
#define RUN_DEVICES_OVERLAP_MESSAGES_H

#include "run/devices/overlap.h"

/* By the thread that computes, before anything is enqueued behind the edges: messages are
 * brought together, and handed over. */
bool overlap_messages_begin(struct part *part, messages_planes *planes_at);
/* By the computing thread, after its other work: waits, and copies the received planes.
 */
bool overlap_messages_end(struct part *part);
/* By the caller's thread, which holds the mutex and releases it during the exchange:
 * sends and receives the pending messages, if any. */
void overlap_messages_serve(struct part *part);

#endif
