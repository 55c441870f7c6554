/* The memory of this machine and of this process. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <stdint.h>

/* Memory that can be had without swapping; 0 if unknown. */
int64_t device_cpu_available_memory(void);
/* Bytes of this process by a field of /proc/self/statm: 0 all, 5 data and stack, as the
 * kernel counts them for RLIMIT_DATA. 0 if that is not known. */
int64_t device_own_memory(int field);

#endif
