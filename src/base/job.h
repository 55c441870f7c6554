/* The ranks of a job: the processes that mpirun or srun started together with this
 * process. Only the environment is read. */
#ifndef BASE_JOB_H
#define BASE_JOB_H

#include <stdbool.h>

enum { LIFT_JOB_MOST = 65536 };

struct lift_job {
    int rank, size; /* 0 <= rank < size */
    int local;      /* the rank among the processes of this node */
};

/* Returns false if this process was started alone, or by an unknown launcher. */
bool lift_job_find(struct lift_job *out);

#endif
