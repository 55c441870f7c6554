/* MPI as a communicator. All waits for other ranks have a time limit: if a rank dies or
 * hangs, all other ranks fail. */
#ifndef RUN_RANKS_H
#define RUN_RANKS_H

#include "base/job.h"
#include "run/ranks/mpi.h"
#include "run/ranks/team.h"

struct ranks {
    struct mpi *mpi;
    double limit; /* seconds */
    bool lost;    /* messages are incomplete: MPI_Finalize would hang */
};

/* Joins the other ranks and sets 'team' to them. Returns NULL with the reason. */
struct ranks *ranks_create(const struct lift_job *job, double limit, struct team *team,
                           struct lift_str *why);
/* Waits for all ranks and ends MPI. If messages are lost, ends all ranks instead. */
void ranks_destroy(struct ranks *ranks);

#endif
