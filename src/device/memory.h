/* The memory of this machine and of this process. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <stdint.h>

/* Returns the bytes that can be allocated without swapping; 0 if unknown. */
int64_t device_cpu_available_memory(void);
/* Returns bytes of this process by a field of /proc/self/statm: 0 is all memory, 5 data
 * and stack, as counted for RLIMIT_DATA. Returns 0 if unknown. */
int64_t device_own_memory(int field);

#endif
