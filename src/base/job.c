#include "base/job.h"
#include <stddef.h>
#include <stdlib.h>

/* The launcher of the innermost level comes first. mpirun may start its helpers by srun,
 * whose variables then describe the helpers. */
static const struct {
    const char *size, *rank;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* mpirun of Open MPI */
    {"PMI_SIZE", "PMI_RANK"},                         /* of MPICH and others */
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},         /* srun, not sbatch */
};

static const char *const locals[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                     "PALS_LOCAL_RANKID", "SLURM_LOCALID"};

/* The number in an environment variable; -1: no number. */
static int number_of(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long value = text && *text ? strtol(text, &end, 10) : -1;

    return value >= 0 && value <= LIFT_JOB_MOST && !*end ? (int)value : -1;
}

bool lift_job_find(struct lift_job *out)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int size = number_of(launchers[i].size), rank = number_of(launchers[i].rank);

        if (rank < 0 || rank >= size)
            continue;
        *out = (struct lift_job){rank, size, rank};
        for (size_t k = 0; k < sizeof locals / sizeof *locals; k++)
            if (number_of(locals[k]) >= 0) {
                out->local = number_of(locals[k]);
                break;
            }
        return true;
    }
    return false;
}
