/* Reads clocks of NVIDIA devices by the driver's management library, NVML. This file
 * declares the few used calls itself, so that lift builds and runs without NVML. */
#include "base/memory.h"
#include "device/clocks_t.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NVML_SUCCESS = 0,
    NVML_NOT_FOUND = 6,
    NVML_CLOCK_SM = 1,
    NVML_TEMPERATURE_GPU = 0
};

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

/* As in nvml.h: a process with a context, and the recent use of the device by a process,
 * in percent. */
struct nvml_process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instance, part;
};
struct nvml_use {
    unsigned pid;
    unsigned long long at;
    unsigned processors, memory, encoder, decoder;
};
enum { MOST_PROCESSES = 256 };

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
    int (*processes)(nvml_device device, unsigned *count, struct nvml_process *list);
    int (*used)(nvml_device device, struct nvml_use *list, unsigned *count,
                unsigned long long since);
    unsigned long long seen; /* microseconds: the newest use that was read */
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
    find(l, "nvmlDeviceGetComputeRunningProcesses_v3", &n->processes);
    find(l, "nvmlDeviceGetProcessUtilization", &n->used);
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

/* True if the driver's process numbers are those of this process: in a container they may
 * be the host's. */
static bool knows_us(const struct nvml *n)
{
    struct nvml_process list[MOST_PROCESSES];
    unsigned count = MOST_PROCESSES, own = (unsigned)getpid();

    if (n->processes(n->device, &count, list) != NVML_SUCCESS)
        return false;
    for (unsigned i = 0; i < count && i < MOST_PROCESSES; i++)
        if (list[i].pid == own)
            return true;
    return false;
}

/* True for this process and for other children of its parent, the workers of a session.
 */
static bool is_ours(unsigned pid)
{
    char path[64], text[512] = "";
    const char *at;
    FILE *file;
    int parent = 0;

    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    file = fopen(path, "re");
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    at = strrchr(text,
                 ')'); /* the name may contain blanks; then follow state and parent */
    if (at && strlen(at) > 4)
        parent = (int)strtol(at + 4, NULL, 10);
    return pid == (unsigned)getpid() || parent == getppid();
}

static bool nvml_others(void *state, double *share)
{
    struct nvml *n = state;
    struct nvml_use list[MOST_PROCESSES];
    unsigned count = MOST_PROCESSES;
    double percent = 0;
    int end;

    if (!n->processes || !n->used || !knows_us(n))
        return false;
    end = n->used(n->device, list, &count, n->seen);
    if (end != NVML_SUCCESS &&
        end != NVML_NOT_FOUND) /* not found: none used the device */
        return false;
    for (unsigned i = 0; end == NVML_SUCCESS && i < count && i < MOST_PROCESSES; i++) {
        percent += is_ours(list[i].pid) ? 0 : list[i].processors;
        n->seen = list[i].at > n->seen ? list[i].at : n->seen;
    }
    *share = percent < 100 ? percent / 100 : 1;
    return true;
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

const struct clock_source clock_source_nvml = {.open = nvml_open,
                                               .close = nvml_close,
                                               .read = nvml_read,
                                               .others = nvml_others,
                                               .settings = nvml_settings};
