#include "bench.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double bench_processor_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_peak_memory(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

const struct lift_program *bench_program(struct lift_ir *ir, const char *path,
                                         bool symbolic)
{
    struct lift_program_options options = {.symbolic = symbolic};
    struct lift_error errors = {0};
    struct lift_source source;
    const struct lift_program *p = NULL;

    if (lift_source_load(path, &source, &errors))
        p = lift_program_load(ir, &source, &options, &errors);
    if (p)
        return p;
    lift_error_print(&errors, stderr);
    exit(2);
}
