#include "base/guess.h"
#include "device/device_t.h"
#include "device/forked.h"
#include "device/traits.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Add new runtimes here. */
const struct lift_runtime *const lift_runtimes[] = {
    &device_runtime_host,
    &device_runtime_cuda,
    &device_runtime_hip,
    &device_runtime_opencl,
    NULL,
};

void lift_device_unit(struct lift_device_info *info)
{
    const struct lift_runtime *runtime = lift_runtime_named(info->runtime);

    if (runtime && runtime->unit)
        runtime->unit(info);
}

const struct lift_runtime *lift_runtime_named(const char *name)
{
    size_t len = strcspn(name, ":");

    for (const struct lift_runtime *const *r = lift_runtimes; *r; r++)
        if (strlen((*r)->name) == len && strncmp((*r)->name, name, len) == 0)
            return *r;
    return NULL;
}

void lift_device_name(const struct lift_runtime *runtime, int index, struct lift_str *out)
{
    lift_str_add(out, runtime->name);
    if (!runtime->traits->in_process)
        lift_str_addf(out, ":%d", index);
}

/* Splits "opencl:1". The index is 0 without a number, and -1 for a malformed number. */
static const struct lift_runtime *parse_name(const char *name, int *index)
{
    size_t len = strcspn(name, ":");
    const char *digits = name + len + 1;
    char *end;
    long value;

    *index = 0;
    if (name[len] == ':') {
        value = strtol(digits, &end, 10);
        *index = end == digits || *end || value < 0 || value > INT_MAX ? -1 : (int)value;
    }
    return lift_runtime_named(name);
}

/* Appends "; there are: host, opencl:0" and the reasons of runtimes without devices. */
static void list_devices(struct lift_str *out)
{
    lift_str_add(out, "; there are:");
    for (const struct lift_runtime *const *r = lift_runtimes; *r; r++) {
        LIFT_SCOPED(lift_str) why = {0};
        int count = (*r)->count(&why);

        for (int i = 0; i < count; i++) {
            lift_str_addc(out, ' ');
            lift_device_name(*r, i, out);
            lift_str_addc(out, ',');
        }
        if (count == 0)
            lift_str_addf(out, " no %s (%s),", (*r)->name, lift_str_get(&why));
    }
    out->data[--out->len] = '\0'; /* removes the last comma */
}

static void fail_to_find(const char *name, const char *why, struct lift_error *error)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_addf(&text, "no device '%s'", name);
    if (*why)
        lift_str_addf(&text, ": %s", why);
    list_devices(&text);
    lift_fail(error, LIFT_ERROR_DEVICE, "%s", lift_str_get(&text));
}

/* Returns the architecture in a name such as "cuda:sm_90"; NULL if the name has a device
 * number or no colon. */
static const char *target_of(const struct lift_runtime *runtime, const char *name)
{
    const char *colon = strchr(name, ':');

    if (!runtime || !runtime->open_target || !colon)
        return NULL;
    return colon[1] && !strchr("-+0123456789", colon[1]) ? colon + 1 : NULL;
}

/* Returns true if devices of the runtime have a driver; the host has none. */
static bool has_driver(const struct lift_runtime *runtime)
{
    return runtime != &device_runtime_host;
}

static struct lift_device *open_one(const struct lift_runtime *runtime, int index,
                                    struct lift_error *error)
{
    struct lift_device *device;

    if (!has_driver(runtime))
        return runtime->open(index, error);
    if (!device_forked_open(error))
        return NULL;
    device = runtime->open(index, error);
    if (!device)
        device_forked_close();
    return device;
}

static void no_runtime(const char *name, struct lift_str *why)
{
    char word[32];
    struct lift_guess guess = {.word = word};

    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, ":"), name);
    for (const struct lift_runtime *const *r = lift_runtimes; *r; r++)
        lift_guess_add(&guess, (*r)->name);
    lift_str_add(why, "no such runtime");
    lift_guess_print(&guess, why);
}

struct lift_device *lift_device_open(const char *name, struct lift_error *error)
{
    int index, count = 0;
    const struct lift_runtime *runtime = parse_name(name, &index);
    const char *target = target_of(runtime, name);
    LIFT_SCOPED(lift_str) why = {0};

    if (target)
        return runtime->open_target(target, error);
    if (runtime)
        count = runtime->count(&why);
    if (index >= 0 && index < count)
        return open_one(runtime, index, error);
    lift_str_clear(&why); /* the list of devices includes the reason */
    if (!runtime)
        no_runtime(name, &why);
    else if (index < 0)
        lift_str_add(&why, "the part after the colon is no number");
    else if (count > 0)
        lift_str_addf(&why, "'%s' has %d device%s", runtime->name, count,
                      count == 1 ? "" : "s");
    fail_to_find(name, lift_str_get(&why), error);
    return NULL;
}

void lift_device_close(struct lift_device *device)
{
    bool driver;

    if (!device)
        return;
    driver = has_driver(device->runtime) && !lift_device_info(device)->builds_only;
    device_ops_destroy(device->ops);
    device->runtime->close(device);
    if (driver)
        device_forked_close();
}

void lift_device_pin(struct lift_device *device)
{
    if (device->runtime->pin)
        device->runtime->pin(device);
}

const struct lift_device_info *lift_device_info(const struct lift_device *device)
{
    return device->runtime->info(device);
}

struct lift_hash lift_device_hash(const struct lift_device_info *info)
{
    struct lift_hash hash = lift_hash_text(info->runtime);

    hash = lift_hash_combine(hash, lift_hash_text(info->vendor));
    hash = lift_hash_combine(hash, lift_hash_text(info->name));
    hash = lift_hash_combine(hash, lift_hash_text(info->arch));
    hash = lift_hash_add_int(hash, info->compute_units);
    hash = lift_hash_add_int(hash, info->simd_width);
    return lift_hash_add_int(hash, info->local_bytes);
}
