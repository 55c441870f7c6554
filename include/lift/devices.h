/* The devices that kernels run on: the host's cores, and what OpenCL, CUDA and HIP find.
 * A device is driven from one thread. */
#ifndef LIFT_DEVICES_H
#define LIFT_DEVICES_H

#include "lift/api.h"
#include "lift/dialect.h"
#include "lift/error.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lift_device; /* an open device */

/* Identity and limits. The strings belong to the device. Zero: unknown or no limit. */
struct lift_device_info {
    const char *name; /* as the driver says, e.g. "AMD EPYC 9B45" */
    const char *vendor;
    const char *runtime;  /* "host", "opencl", "cuda", "hip" */
    const char *driver;   /* version of driver, runtime or compiler */
    const char *arch;     /* "x86_64 avx512f", "sm_90", ... */
    const char *compiler; /* "cc (Debian 12.2.0-14) 12.2.0", or the driver's own; of two
                           * compilers both, with "; " between */
    unsigned compilers;   /* of the host: 2 gcc, 4 clang, 6 both */
    enum lift_dialect dialect;
    int compute_units;  /* cores, or multiprocessors */
    int max_group_size; /* work-items of a group */
    int max_group_dims[3];
    int64_t local_bytes; /* local memory of a group */
    int64_t global_bytes;
    int simd_width;      /* float lanes of a vector register or of a warp */
    int unit_items;      /* work-items that a compute unit has room for at a time */
    int unit_registers;  /* of 32 bits, that it has for all of them */
    bool compiles_late;  /* the first launch of a kernel may include compiling it */
    bool compiles_apart; /* no compiler of another runtime may be in the same process */
    bool is_cpu;         /* it is the processor that runs this process */
    bool builds_only;    /* an architecture: kernels for it are built, and never run */
    char pci[16];        /* its place, "0000:1b:00.0"; "": unknown or none */
};

/* Opens "host", "opencl", "opencl:1", ...; the index is 0 if not given; or "cuda:sm_90",
 * an architecture that kernels are built for, and never run on. The caller closes it with
 * lift_device_close. NULL and a failure that lists what there is, if there is none. */
LIFT_API struct lift_device *lift_device_open(const char *name, struct lift_error *error);
LIFT_API void lift_device_close(struct lift_device *device);
LIFT_API const struct lift_device_info *
lift_device_info(const struct lift_device *device);

/* Answers false to end the list. 'info' is NULL, and 'why' says more, where a runtime has
 * no device, or a device cannot be opened. */
typedef bool lift_devices_visit(void *user, const char *name,
                                const struct lift_device_info *info, const char *why);
/* Calls 'visit' with each device that is found now, by the name that lift_device_open
 * takes. Opens and closes each in this process; processes forked later may be unable to
 * use them. */
LIFT_API void lift_devices_each(lift_devices_visit *visit, void *user);

#ifdef __cplusplus
}
#endif

#endif
