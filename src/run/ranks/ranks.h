/* Processes of one job at work on one grid. Whatever waits for other ranks has a time
 * limit: one that died, or hangs, is an error of all others. */
#ifndef RUN_RANKS_H
#define RUN_RANKS_H

#include "base/job.h"
#include "run/parts.h"
#include "run/ranks/mpi.h"

enum { RANKS_WORD = 136 };

struct ranks {
    struct mpi *mpi;
    int rank, size;
    double limit;             /* seconds */
    struct ranks_word *words; /* of the last meeting, and behind them this rank's own */
    bool lost; /* messages are under way that nobody waits for: MPI cannot be ended */
    struct parts_link link;
};

/* Joins the other ranks. NULL, and why. */
struct ranks *ranks_create(const struct lift_job *job, double limit,
                           struct lift_str *why);
/* Waits for all of them to come here, unless they are lost: then all are ended. */
void ranks_destroy(struct ranks *ranks);

enum ranks_said { RANKS_GOOD, RANKS_BAD, RANKS_LOST };

/* All ranks come here; each says how things are with it, 0 is good, and has some bytes,
 * RANKS_WORD at most, for the others to read. BAD: not all are good, and all know it;
 * LOST: they did not come within the limit and some seconds more, and why. */
enum ranks_said ranks_meet(struct ranks *ranks, int end, const void *mine, size_t bytes,
                           double more, struct lift_str *why);
/* Of the last meeting: what a rank said, and its bytes. */
int ranks_end(const struct ranks *ranks, int rank);
const void *ranks_word(const struct ranks *ranks, int rank);

#endif
