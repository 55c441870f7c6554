/* Work on large arrays by all cores. The threads end with the call, so a process may
 * fork before and after the call. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

/* The number of cores that this process may use, by its affinity and by the quota of its
 * control group. */
int lift_cores(void);
/* The cores of the quota in a control group's folder, rounded up; 0: no quota. */
int lift_quota_in(const char *folder);
/* The current number of threads of this process, at least 1. */
int lift_threads(void);

/* Processes the elements [from, to); all threads share 'user'. */
typedef void lift_parallel_part(void *user, int64_t from, int64_t to);

/* Calls 'part' for disjoint ranges that cover [0, count), concurrently on the cores that
 * this process may use. Each range has at least 'grain' elements. A small count is one
 * range, in the caller's thread. Returns when all calls have returned. */
void lift_parallel(int64_t count, int64_t grain, lift_parallel_part *part, void *user);
/* Tells the memory domain of each processor, in the order of the threads of kernels. Part
 * i of n then runs on the domain of processor i * count / n. So memory that a part
 * touches first is near the threads that use it later. Domains are numbered from 0. One
 * domain, as initially: parts run on any processor. */
void lift_parallel_domains(const int *cpus, const int *domains, int count);
/* memcpy and memset, by several threads if there are many bytes. */
void lift_parallel_copy(void *to, const void *from, size_t bytes);
void lift_parallel_set(void *to, int byte, size_t bytes);

#endif
