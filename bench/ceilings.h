/* Ceilings of the memory: on the host copies and triads of large arrays, with and without
 * non-temporal stores; on other devices the driver's copy. */
#ifndef BENCH_CEILINGS_H
#define BENCH_CEILINGS_H

#include "explore/trial/timing.h"

struct ceilings;

/* With 'driver' the driver's copy, otherwise the kernels for the host. NULL if the driver
 * has no copy; NULL and a failure if there is no room, or the compiler fails. The device
 * and its clocks must outlive it. Released by ceilings_close (NULL is legal). */
struct ceilings *ceilings_open(struct lift_device *device, struct lift_clocks *clocks,
                               bool driver, struct lift_error *failure);
void ceilings_close(struct ceilings *c);

/* 0 for NULL, at most TURNS_CEILINGS (turns.h). */
int ceilings_count(const struct ceilings *c);
const char *ceilings_name(const struct ceilings *c, int which);
/* Bytes that a launch reads and writes; other traffic of caches is not counted. */
double ceilings_bytes(const struct ceilings *c, int which);
/* One sample after a launch that does not count. False, with a failure the first time, if
 * that ceiling failed. */
bool ceilings_sample(struct ceilings *c, int which, struct timing_sample *sample,
                     struct lift_error *failure);

#endif
