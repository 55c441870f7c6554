/* Shared objects that are held in memory. */
#ifndef DEVICE_MODULE_H
#define DEVICE_MODULE_H

#include "lift/device.h"

struct device_module {
    void *handle; /* for dlsym; NULL: nothing is loaded */
    int fd;       /* of the anonymous file that it is mapped from */
};

/* Loads a shared object from its bytes. No file is made that could be left behind. False
 * and a failure if the loader refuses it. */
bool device_module_load(const void *data, size_t size, struct device_module *out,
                        struct lift_failure *failure);
void device_module_unload(struct device_module *module);

#endif
