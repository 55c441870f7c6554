/* The exchange of planes between parts of several processes. */
#ifndef RUN_PARTS_RANKS_H
#define RUN_PARTS_RANKS_H

#include "run/parts.h"

/* The part's edges, which are in 'edge', go to its neighbours, and its ghost planes come
 * from them. False, and the error of the part. */
bool parts_exchange_ranks(struct part *part);

#endif
