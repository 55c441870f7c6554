/* Replaces opencl.c in a build without the OpenCL loader. */
#include "device/device_t.h"

static const char reason[] = "this program was built without OpenCL";

static int absent_count(struct lift_str *why)
{
    lift_str_add(why, reason);
    return 0;
}

static struct lift_device *absent_open(int index, struct lift_error *error)
{
    (void)index;
    lift_fail(error, LIFT_ERROR_DEVICE, "%s", reason);
    return NULL;
}

/* 'open' always fails, so the calls on open devices are NULL. */
const struct lift_runtime device_runtime_opencl = {
    .name = "opencl",
    .doc = "devices of the installed OpenCL drivers (not in this build)",
    .dialect = LIFT_DIALECT_OPENCL,
    .traits = &device_traits_opencl,
    .processor_traits = &device_traits_opencl_processor,
    .unit = device_nvidia_unit,
    .count = absent_count,
    .open = absent_open,
};
