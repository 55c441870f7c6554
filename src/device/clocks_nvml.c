/* Reads clocks of NVIDIA devices by the driver's management library, NVML. This file
 * declares the few used calls itself, so that lift builds and runs without NVML. */
#include "base/memory.h"
#include "device/clocks_t.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { NVML_SUCCESS = 0, NVML_CLOCK_SM = 1, NVML_TEMPERATURE_GPU = 0 };

/* Reasons for throttling: power and heat. An idle device or a clock set by the user does
 * not count. */
enum {
    REASON_SW_POWER_CAP = 0x4,
    REASON_HW_SLOWDOWN = 0x8,
    REASON_SW_THERMAL = 0x20,
    REASON_HW_THERMAL = 0x40,
    REASON_HW_POWER_BRAKE = 0x80,
    REASONS = REASON_SW_POWER_CAP | REASON_HW_SLOWDOWN | REASON_SW_THERMAL |
              REASON_HW_THERMAL | REASON_HW_POWER_BRAKE,
};

typedef void *nvml_device;

struct nvml {
    void *library;
    nvml_device device;
    int (*init)(void);
    int (*shutdown)(void);
    int (*by_pci)(const char *bus, nvml_device *device);
    int (*clock)(nvml_device device, int type, unsigned *mhz);
    int (*max_clock)(nvml_device device, int type, unsigned *mhz);
    int (*asked_clock)(nvml_device device, int type, unsigned *mhz);
    int (*temperature)(nvml_device device, int sensor, unsigned *celsius);
    int (*power)(nvml_device device, unsigned *milliwatts);
    int (*power_limit)(nvml_device device, unsigned *milliwatts);
    int (*reasons)(nvml_device device, unsigned long long *reasons);
    int (*persistence)(nvml_device device, unsigned *mode);
};

/* ISO C has no cast from data pointers to function pointers. */
static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof found);
}

static void find_all(struct nvml *n)
{
    void *l = n->library;

    find(l, "nvmlInit_v2", &n->init);
    find(l, "nvmlShutdown", &n->shutdown);
    find(l, "nvmlDeviceGetHandleByPciBusId_v2", &n->by_pci);
    find(l, "nvmlDeviceGetClockInfo", &n->clock);
    find(l, "nvmlDeviceGetMaxClockInfo", &n->max_clock);
    find(l, "nvmlDeviceGetApplicationsClock", &n->asked_clock);
    find(l, "nvmlDeviceGetTemperature", &n->temperature);
    find(l, "nvmlDeviceGetPowerUsage", &n->power);
    find(l, "nvmlDeviceGetEnforcedPowerLimit", &n->power_limit);
    find(l, "nvmlDeviceGetCurrentClocksEventReasons", &n->reasons);
    if (!n->reasons) /* older drivers have another name */
        find(l, "nvmlDeviceGetCurrentClocksThrottleReasons", &n->reasons);
    find(l, "nvmlDeviceGetPersistenceMode", &n->persistence);
}

static void *nvml_open(const struct lift_device_info *info)
{
    struct nvml *n;

    if (!info->pci[0])
        return NULL;
    n = lift_alloc(1, sizeof *n);
    n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (n->library)
        find_all(n);
    if (n->init && n->shutdown && n->by_pci && n->init() == NVML_SUCCESS) {
        if (n->by_pci(info->pci, &n->device) == NVML_SUCCESS)
            return n;
        n->shutdown();
    }
    if (n->library)
        dlclose(n->library);
    free(n);
    return NULL;
}

static void nvml_close(void *state)
{
    struct nvml *n = state;

    n->shutdown();
    dlclose(n->library);
    free(n);
}

/* Returns 0 for an unknown value. */
static unsigned ask(const struct nvml *n, int (*call)(nvml_device, unsigned *))
{
    unsigned value = 0;

    return call && call(n->device, &value) == NVML_SUCCESS ? value : 0;
}

static unsigned ask_of(const struct nvml *n, int (*call)(nvml_device, int, unsigned *),
                       int what)
{
    unsigned value = 0;

    return call && call(n->device, what, &value) == NVML_SUCCESS ? value : 0;
}

static void nvml_read(void *state, struct lift_clock_state *out)
{
    const struct nvml *n = state;
    unsigned long long reasons;

    out->mhz = ask_of(n, n->clock, NVML_CLOCK_SM);
    out->celsius = ask_of(n, n->temperature, NVML_TEMPERATURE_GPU);
    out->watts = 1e-3 * ask(n, n->power);
    if (n->reasons && n->reasons(n->device, &reasons) == NVML_SUCCESS)
        out->throttled = (reasons & REASONS) != 0;
}

static void add_member(struct lift_str *json, const char *name, double value)
{
    if (value > 0)
        lift_str_addf(json, ",\"%s\":%.10g", name, value);
}

static void nvml_settings(void *state, struct lift_str *json)
{
    const struct nvml *n = state;
    unsigned persistent;

    add_member(json, "clock_mhz", ask_of(n, n->asked_clock, NVML_CLOCK_SM));
    add_member(json, "max_clock_mhz", ask_of(n, n->max_clock, NVML_CLOCK_SM));
    if (n->persistence && n->persistence(n->device, &persistent) == NVML_SUCCESS)
        lift_str_addf(json, ",\"persistence\":%s", persistent ? "true" : "false");
    add_member(json, "power_limit_watts", 1e-3 * ask(n, n->power_limit));
}

const struct clock_source clock_source_nvml = {nvml_open, nvml_close, nvml_read,
                                               nvml_settings};
