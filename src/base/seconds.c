#include "base/seconds.h"
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double lift_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double lift_processor_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
