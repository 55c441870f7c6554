/* Suites that run once for every device found here. */
#ifndef LIFT_TESTS_EVERY_DEVICE_H
#define LIFT_TESTS_EVERY_DEVICE_H

#include "device/device.h"
#include <stdio.h>

/* The number of failures. */
static inline int on_every_device(int (*suite)(const char *device))
{
    int failed = 0;

    for (int r = 0; lift_runtimes[r]; r++) {
        struct lift_str why = {0};
        int count = lift_runtimes[r]->count(&why);

        if (count == 0)
            printf("skipped '%s': %s\n", lift_runtimes[r]->name, lift_str_get(&why));
        for (int i = 0; i < count; i++) {
            char name[64];

            snprintf(name, sizeof name, "%s:%d", lift_runtimes[r]->name, i);
            failed += suite(name);
        }
        lift_str_fini(&why);
    }
    return failed;
}

#endif
