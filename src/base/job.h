/* The processes that mpirun or srun started together with this one: its ranks. Only the
 * environment is read. */
#ifndef BASE_JOB_H
#define BASE_JOB_H

#include <stdbool.h>

enum { LIFT_JOB_MOST = 65536 };

struct lift_job {
    int rank, size; /* 0 <= rank < size */
    int local;      /* the rank among those of this node */
};

/* False if this process was started alone, or by a launcher that is not known. */
bool lift_job_find(struct lift_job *out);

#endif
