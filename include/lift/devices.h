/* The devices that run kernels: the cores of the host, and the devices of OpenCL, CUDA
 * and HIP. One thread drives a device. */
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
    const char *name; /* as reported by the driver, e.g. "AMD EPYC 9B45" */
    const char *vendor;
    const char *runtime;  /* "host", "opencl", "cuda", "hip" */
    const char *driver;   /* version of driver, runtime or compiler */
    const char *arch;     /* "x86_64 avx512f", "sm_90", ... */
    const char *compiler; /* "cc (Debian 12.2.0-14) 12.2.0", or the driver's compiler; ";
                             " separates two compilers */
    unsigned compilers;   /* of the host: 2 gcc, 4 clang, 6 both */
    enum lift_dialect dialect;
    int compute_units;  /* cores, or multiprocessors */
    int max_group_size; /* work-items in a group */
    int max_group_dims[3];
    int64_t local_bytes; /* bytes of local memory in a group */
    int64_t global_bytes;
    int simd_width;      /* float lanes of a vector register or of a warp */
    int unit_items;      /* maximum of resident work-items in a compute unit */
    int unit_registers;  /* 32-bit registers of a compute unit */
    bool compiles_late;  /* the first launch of a kernel may include its compilation */
    bool compiles_apart; /* no compiler of another runtime may be in the same process */
    bool is_cpu;         /* the device is the processor that runs this process */
    bool builds_only;    /* an architecture: lift builds kernels and never runs them */
    char pci[16];        /* PCI address, "0000:1b:00.0"; "": unknown or none */
    int memory_domains;  /* of the host's usable cores (NUMA); 0: unknown */
};

/* Opens "host", "opencl", "opencl:1", ...; the default index is 0. "cuda:sm_90" is an
 * architecture: lift builds kernels and never runs them. The caller closes the device
 * with lift_device_close. If there is no such device, returns NULL and an error that
 * lists the devices. */
LIFT_API struct lift_device *lift_device_open(const char *name, struct lift_error *error);
LIFT_API void lift_device_close(struct lift_device *device);
LIFT_API const struct lift_device_info *
lift_device_info(const struct lift_device *device);

/* Returns false to end the list. If a runtime has no device, or a device cannot be
 * opened, 'info' is NULL and 'why' has the reason. */
typedef bool lift_devices_visit(void *user, const char *name,
                                const struct lift_device_info *info, const char *why);
/* Calls 'visit' with each device found now, and the device's name for lift_device_open.
 * Opens and closes each device in this process; processes forked later may be unable to
 * use the devices. */
LIFT_API void lift_devices_each(lift_devices_visit *visit, void *user);

#ifdef __cplusplus
}
#endif

#endif
