/* Messages between processes beside the computation. A thread computes; the caller's, the
 * only one that may send and receive, does that meanwhile. */
#ifndef RUN_DEVICES_OVERLAP_MESSAGES_H
#define RUN_DEVICES_OVERLAP_MESSAGES_H

#include "run/devices/overlap.h"

/* By the thread that computes, before anything is enqueued behind the edges: messages are
 * brought together, and handed over. */
bool overlap_messages_begin(struct part *part, messages_planes *planes_at);
/* By the same, when it has nothing else to do: waits, and copies what came. */
bool overlap_messages_end(struct part *part);
/* By the caller's thread, with the mutex, which it leaves meanwhile: sends and receives
 * what was handed over, if anything was. */
void overlap_messages_serve(struct part *part);

#endif
