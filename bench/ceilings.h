/* What the memory of the host can do: copies and triads of large arrays, with and without
 * stores past the caches. */
#ifndef BENCH_CEILINGS_H
#define BENCH_CEILINGS_H

#include "explore/trial/timing.h"

struct ceilings;

/* Kernels are numbered from 0 to TURNS_CEILINGS - 1 (turns.h). */
const char *ceilings_name(int which);
/* That a launch asks for; what caches fetch on their own is not counted. */
double ceilings_bytes(int which);

/* NULL and a failure if there is no room, or the compiler fails. The device and its
 * clocks must outlive it. Released by ceilings_close (NULL is legal). */
struct ceilings *ceilings_open(struct lift_device *device, struct lift_clocks *clocks,
                               struct lift_error *failure);
void ceilings_close(struct ceilings *c);
/* One launch after another that does not count. False if it failed, or 'c' is NULL. */
bool ceilings_sample(struct ceilings *c, int which, struct timing_sample *sample);

#endif
