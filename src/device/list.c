/* Iterates over the present devices. */
#include "device/device.h"

static bool show_device(lift_devices_visit *visit, void *user, const char *name)
{
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_device *device = lift_device_open(name, &error);
    bool go_on = visit(user, name, device ? lift_device_info(device) : NULL,
                       lift_str_get(&error.text));

    lift_device_close(device);
    return go_on;
}

static bool show_runtime(const struct lift_runtime *runtime, lift_devices_visit *visit,
                         void *user)
{
    LIFT_SCOPED(lift_str) why = {0};
    int count = runtime->count(&why);
    bool go_on = count > 0 || visit(user, runtime->name, NULL, lift_str_get(&why));

    for (int i = 0; i < count && go_on; i++) {
        LIFT_SCOPED(lift_str) name = {0};

        lift_device_name(runtime, i, &name);
        go_on = show_device(visit, user, lift_str_get(&name));
    }
    return go_on;
}

void lift_devices_each(lift_devices_visit *visit, void *user)
{
    for (int i = 0; lift_runtimes[i]; i++)
        if (!show_runtime(lift_runtimes[i], visit, user))
            return;
}
