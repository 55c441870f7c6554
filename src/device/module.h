/* Shared objects loaded from memory. */
#ifndef DEVICE_MODULE_H
#define DEVICE_MODULE_H

#include "device/device.h"
#include <fenv.h>

struct device_module {
    void *handle; /* for dlsym; NULL: no module */
    /* The floating-point environment that the module set when it was loaded. Code that
     * compilers add for fast-math flushes subnormal numbers to 0. */
    fenv_t arithmetic;
    bool has_arithmetic;
    int fd; /* of the anonymous file that holds the module */
};

/* Loads a shared object from its bytes, without a file in a folder. The caller's
 * floating-point environment stays unchanged. Returns false with an error if the loader
 * rejects the object. */
bool device_module_load(const void *data, size_t size, struct device_module *out,
                        struct lift_error *error);
void device_module_unload(struct device_module *module);

#endif
