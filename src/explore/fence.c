#include "explore/fence.h"
#include "device/internal.h"
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Statuses of exit: no memory is left, or so many more than the signal. A thread that has
 * no stack left for a handler dies of the signal itself. */
enum { NO_MEMORY = 63, OF_SIGNAL = 64, MOST_SIGNAL = 31 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

static size_t probe_bytes = 1 << 20;

/* An allocation that failed is mostly noticed by the use of its result. */
static void on_fault(int signal)
{
    void *memory = mmap(NULL, probe_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    _exit(memory == MAP_FAILED ? NO_MEMORY : OF_SIGNAL + signal);
}

/* Pages of data and stack, as the kernel counts them for RLIMIT_DATA. */
static int64_t data_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long long pages = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%*s %*s %*s %*s %*s %lld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void limit_memory(void)
{
    int64_t available = device_cpu_available_memory() / 4 * 3, used = data_bytes();
    struct rlimit limit;

    if (available == 0 || used == 0 || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    limit.rlim_cur = (rlim_t)(used + available);
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_DATA, &limit) == 0)
        probe_bytes = (size_t)available / 8;
}

void fence_put(bool memory)
{
    prctl(PR_SET_NAME, "lift-runner");
    if (memory)
        limit_memory();
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction now, ours = {.sa_handler = on_fault};

        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
    }
}

const char *fence_read(struct lift_worker_result *result)
{
    int code = result->code;

    if (result->end == LIFT_WORKER_EXITED && code == NO_MEMORY)
        return "the kernel used up the memory";
    if (result->end == LIFT_WORKER_CRASHED && code == SIGSEGV)
        return "the kernel used up the stack, or a thread had no handler";
    if (result->end == LIFT_WORKER_EXITED && code > OF_SIGNAL &&
        code <= OF_SIGNAL + MOST_SIGNAL)
        *result = (struct lift_worker_result){LIFT_WORKER_CRASHED, code - OF_SIGNAL};
    return NULL;
}
