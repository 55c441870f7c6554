/* A device with its bulk operations: the fixture of suites that run on every device. */
#ifndef LIFT_TESTS_OPS_BENCH_H
#define LIFT_TESTS_OPS_BENCH_H

#include "base/rng.h"
#include "device/device_ops.h"
#include "every_device.h"
#include <stdlib.h>

static const char *device_name; /* the one under test */

struct bench {
    struct lift_device *device;
    struct lift_ops *ops;
    struct lift_error failure;
    struct lift_rng rng;
};

static inline void good(struct bench *b, bool result)
{
    if (!result)
        fail_msg("%s: failure %d: %s", device_name, (int)b->failure.code,
                 lift_str_get(&b->failure.text));
}

static inline int open_bench(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    b->device = lift_device_open(device_name, &b->failure);
    good(b, b->device != NULL);
    b->ops = lift_device_ops(b->device, &b->failure);
    good(b, b->ops != NULL);
    lift_rng_seed(&b->rng, 7);
    *state = b;
    return 0;
}

static inline int close_bench(void **state)
{
    struct bench *b = *state;

    lift_device_close(b->device);
    lift_error_fini(&b->failure);
    free(b);
    return 0;
}

#endif
