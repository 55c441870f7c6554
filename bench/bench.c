#include "bench.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return count % 2 ? values[count / 2]
                     : (values[count / 2 - 1] + values[count / 2]) / 2;
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
