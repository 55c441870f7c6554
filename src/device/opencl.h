/* Shared between the files of the OpenCL runtime. */
#ifndef DEVICE_OPENCL_H
#define DEVICE_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include "lift/device.h"
#include <CL/cl.h>

/* The symbol of an OpenCL error code, "unknown error" if it has none. */
const char *opencl_error_name(cl_int code);

/* Every result of a driver call passes here. True on success; else fills 'failure' with
 * the call and the code. 'kind' is what it means unless the code says more. */
bool opencl_check(struct lift_failure *failure, enum lift_fail_kind kind,
                  const char *call, cl_int code);

/* Device 'index' of all devices of all platforms, in the drivers' order; NULL if there
 * are fewer. 'count' gets how many there are, 'why' (may be NULL) the reason if none. */
cl_device_id opencl_find(int index, int *count, struct lift_str *why);

/* What is known of a device, with the strings that 'info' points to. */
struct opencl_facts {
    struct lift_device_info info;
    struct lift_str name, vendor, driver, arch, compiler;
    bool nvidia; /* the compiler takes -cl-nv-... */
};

void opencl_facts_probe(cl_device_id device, struct opencl_facts *facts);
void opencl_facts_fini(struct opencl_facts *facts);

#endif
