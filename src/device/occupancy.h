/* Occupancy: the share of a multiprocessor's warps that a kernel's resident blocks have.
 */
#ifndef DEVICE_OCCUPANCY_H
#define DEVICE_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

struct lift_occupancy {
    int blocks;        /* resident blocks of a multiprocessor */
    int warps;         /* of these blocks */
    double share;      /* of the warps that a multiprocessor holds at most */
    const char *limit; /* "threads", "blocks", "registers" or "shared memory"; static */
};

/* Computes the occupancy on an NVIDIA architecture ("sm_90") of blocks of 'threads'
 * threads, with 'registers' registers a thread and 'local_bytes' bytes of shared memory a
 * block. Returns false if the architecture or a number is unknown (negative), or if no
 * block fits. */
bool lift_occupancy(const char *arch, int64_t threads, int64_t registers,
                    int64_t local_bytes, struct lift_occupancy *out);

#endif
