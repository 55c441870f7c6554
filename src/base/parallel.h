/* Large arrays by all cores. The threads end with the call, so that a process may fork
 * before it and after it. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

/* Cores that this process may use. */
int lift_cores(void);
/* Threads that this process has now, at least 1. */
int lift_threads(void);

/* Does the elements [from, to); 'user' is shared by all threads. */
typedef void lift_parallel_part(void *user, int64_t from, int64_t to);

/* Calls 'part' for disjoint ranges that make up [0, count), at the same time on the cores
 * that this process may use; none has fewer than 'grain' elements, so that a small count
 * is one range in the caller's thread. Returns when all is done. */
void lift_parallel(int64_t count, int64_t grain, lift_parallel_part *part, void *user);
/* memcpy and memset of many bytes. */
void lift_parallel_copy(void *to, const void *from, size_t bytes);
void lift_parallel_set(void *to, int byte, size_t bytes);

#endif
