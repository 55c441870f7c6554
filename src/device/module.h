/* Shared objects that are held in memory. */
#ifndef DEVICE_MODULE_H
#define DEVICE_MODULE_H

#include "device/device.h"
#include <fenv.h>

struct device_module {
    void *handle; /* for dlsym; NULL: nothing is loaded */
    /* What the module set up for its own arithmetic when it was loaded: what compilers
     * add for fast-math takes subnormal numbers for 0. */
    fenv_t arithmetic;
    bool has_arithmetic;
    int fd; /* of the anonymous file that it is mapped from */
};

/* Loads a shared object from its bytes. No file is made that could be left behind, and
 * the caller's arithmetic stays as it is. False and a failure if the loader refuses it.
 */
bool device_module_load(const void *data, size_t size, struct device_module *out,
                        struct lift_error *error);
void device_module_unload(struct device_module *module);

#endif
