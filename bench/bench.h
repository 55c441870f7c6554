/* Common parts of the benchmarks, which users run by hand: see bench/README.md. */
#ifndef BENCH_H
#define BENCH_H

#include "lift/program.h"

/* Seconds of a monotonic clock. */
double bench_now(void);
/* Processor time of this process in seconds. */
double bench_processor_seconds(void);
/* Peak resident memory of this process in bytes. */
double bench_peak_memory(void);
/* Loads a program or prints its diagnostics and exits with 2. */
const struct lift_program *bench_program(struct lift_ir *ir, const char *path,
                                         bool symbolic);

#endif
