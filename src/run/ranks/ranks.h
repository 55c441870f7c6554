/* MPI as a communicator. Whatever waits for other ranks has a time limit: one that died,
 * or hangs, is an error of all others. */
#ifndef RUN_RANKS_H
#define RUN_RANKS_H

#include "base/job.h"
#include "run/ranks/mpi.h"
#include "run/ranks/team.h"

struct ranks {
    struct mpi *mpi;
    double limit; /* seconds */
    bool lost;    /* messages are left under way: MPI cannot be ended */
};

/* Joins the other ranks, whose team 'team' becomes. NULL, and why. */
struct ranks *ranks_create(const struct lift_job *job, double limit, struct team *team,
                           struct lift_str *why);
/* Waits for all of them to come here, unless they are lost: then all are ended. */
void ranks_destroy(struct ranks *ranks);

#endif
