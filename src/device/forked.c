#include "device/forked.h"
#include "base/parallel.h"
#include "device/device_t.h"
#include <stdatomic.h>
#include <unistd.h>

/* Values of this process, or inherited from its parent. All devices share one set, as
 * they share OpenMP library and drivers. */
static _Atomic pid_t ran_in, opened_in;
static atomic_int open_count;

void device_forked_ran(void)
{
    if (lift_threads() > 1)
        atomic_store(&ran_in, getpid());
}

bool device_forked_may_run(struct lift_error *error)
{
    pid_t process = atomic_load(&ran_in);

    return process == 0 || process == getpid() ||
           lift_fail(error, LIFT_ERROR_DEVICE,
                     "this is a child of process %ld, which has run kernels: the "
                     "threads of its OpenMP library are missing here; fork before the "
                     "first kernel runs, or start another program (exec)",
                     (long)process);
}

bool device_forked_open(struct lift_error *error)
{
    pid_t process = atomic_load(&opened_in);

    if (process != getpid()) {
        if (atomic_load(&open_count) > 0)
            return lift_fail(error, LIFT_ERROR_DEVICE,
                             "this is a child of process %ld, which has a device open: "
                             "the threads of its driver are missing here; fork before "
                             "the first device is opened, or start another program "
                             "(exec)",
                             (long)process);
        atomic_store(&opened_in, getpid());
    }
    atomic_fetch_add(&open_count, 1);
    return true;
}

void device_forked_close(void)
{
    if (atomic_load(&opened_in) == getpid())
        atomic_fetch_sub(&open_count, 1);
}
