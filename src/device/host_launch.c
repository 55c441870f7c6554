/* Launches on the processor: a kernel is a function of this process. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "device/forked.h"
#include "device/host_t.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ARGS = 64, REST_MS = 2 };

/* '*warm' is set if the kernel was launched before. */
static host_kernel *find_kernel(struct lift_binary *binary, const char *name, bool *warm,
                                struct lift_error *error)
{
    LIFT_SCOPED(lift_str) symbol = {0};
    void *found;
    host_kernel *kernel;

    for (int i = 0; i < binary->entry_count; i++)
        if (!strcmp(binary->entries[i].name, name)) {
            *warm = true;
            return binary->entries[i].kernel;
        }
    *warm = false;
    lift_str_addf(&symbol, "%s_call", name);
    found = dlsym(binary->module.handle, lift_str_get(&symbol));
    if (!found)
        lift_fail(error, LIFT_ERROR_LAUNCH, "no kernel '%s': the module has no '%s'",
                  name, lift_str_get(&symbol));
    memcpy(&kernel, &found, sizeof kernel); /* ISO C has no cast to function pointers */
    return kernel;
}

union scalar {
    float f;
    double d;
    int32_t i;
};

static void *pass(const struct lift_arg *arg, union scalar *scalar)
{
    switch (arg->kind) {
    case LIFT_ARG_BUFFER:
        return arg->buffer->data;
    case LIFT_ARG_F32:
        scalar->f = (float)arg->f;
        return &scalar->f;
    case LIFT_ARG_F64:
        scalar->d = arg->f;
        return &scalar->d;
    case LIFT_ARG_I32:
        scalar->i = arg->i;
        return &scalar->i;
    }
    LIFT_BUG("argument of kind %d", (int)arg->kind);
}

/* Sleeps before a launch of the other OpenMP library. Threads of the last library spin up
 * to 1 ms after their work (limit_spinning) and would slow the launch. */
static void let_others_rest(struct host_device *h, const struct lift_binary *binary)
{
    if (h->pins.on && h->kmp != binary->kmp)
        usleep(REST_MS * 1000);
    h->kmp = binary->kmp;
}

/* Runs a kernel with its own floating-point environment, then restores the caller's. */
static void compute(const struct lift_binary *binary, host_kernel *kernel,
                    void *const *pointers)
{
    fenv_t callers;

    fegetenv(&callers);
    if (binary->module.has_arithmetic)
        fesetenv(&binary->module.arithmetic);
    kernel(pointers);
    fesetenv(&callers);
}

/* The first launch of a kernel may create threads, one for each usable core of the
 * caller. So the caller is not bound to a core during first launches. Afterwards each new
 * thread is bound to a separate core, and the caller from launch to launch. */
static void run(struct host_device *h, const struct lift_binary *binary,
                host_kernel *kernel, bool warm, void *const *pointers)
{
    double start;

    let_others_rest(h, binary);
    if (warm)
        device_pins_enter(&h->pins);
    else
        device_pins_leave(&h->pins);
    start = lift_seconds();
    compute(binary, kernel, pointers);
    h->seconds += lift_seconds() - start;
    if (!warm)
        device_pins_take(&h->pins);
}

void host_pin(struct lift_device *device)
{
    device_pins_start(&host_of(device)->pins);
}

bool host_launch(struct lift_device *device, struct lift_binary *binary,
                 const struct lift_call *call, struct lift_error *error)
{
    void *pointers[MAX_ARGS];
    union scalar scalars[MAX_ARGS];
    host_kernel *kernel;
    bool warm;

    if (!host_is_here(device, error) || !device_forked_may_run(error))
        return false;
    kernel = find_kernel(binary, call->kernel, &warm, error);
    if (!kernel)
        return false;
    if (call->arg_count > MAX_ARGS)
        return lift_fail(error, LIFT_ERROR_LAUNCH,
                         "kernel '%s' has %d arguments: at most %d can be passed",
                         call->kernel, call->arg_count, MAX_ARGS);
    for (int i = 0; i < call->arg_count; i++)
        pointers[i] = pass(&call->args[i], &scalars[i]);
    run(host_of(device), binary, kernel, warm, pointers);
    if (!warm) {
        device_forked_ran();
        LIFT_ROOM(binary->entries, binary->entry_count, binary->entry_cap);
        binary->entries[binary->entry_count++] =
            (struct host_entry){lift_strdup(call->kernel), kernel};
    }
    return true;
}

void host_idle(struct lift_device *device)
{
    device_pins_leave(&host_of(device)->pins);
}

bool host_finish(struct lift_device *device, double *seconds, struct lift_error *error)
{
    struct host_device *h = host_of(device);

    (void)error;
    host_idle(device);
    if (seconds)
        *seconds = h->seconds;
    h->seconds = 0;
    return true;
}
