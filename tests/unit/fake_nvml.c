/* A stand-in for NVIDIA's management library: one device, at 0000:1b:00.0, in the state
 * that the test wrote to the variables. */
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);
extern unsigned long long fake_reasons;
extern int fake_users;

/* As in nvml.h. */
struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instance, part;
};
struct use {
    unsigned pid;
    unsigned long long at;
    unsigned processors, memory, encoder, decoder;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                            struct process *list);
int nvmlDeviceGetProcessUtilization(void *device, struct use *list, unsigned *count,
                                    unsigned long long since);
extern unsigned fake_us, fake_other_percent;

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, CLOCK_SM = 1 };

unsigned long long fake_reasons;
int fake_users;
unsigned fake_us;            /* number of the test's process, as the driver sees it */
unsigned fake_other_percent; /* recent use by process 1; 0: nothing used the device */

int nvmlInit_v2(void)
{
    fake_users++;
    return SUCCESS;
}

int nvmlShutdown(void)
{
    fake_users--;
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
    *device = &fake_reasons;
    return strcmp(bus, "0000:1b:00.0") == 0 ? SUCCESS : NOT_FOUND;
}

static int answer(const void *device, unsigned value, unsigned *out)
{
    if (device != &fake_reasons)
        return NOT_FOUND;
    *out = value;
    return SUCCESS;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    return answer(device, type == CLOCK_SM ? 1755 : 1, mhz);
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
    return answer(device, type == CLOCK_SM ? 1980 : 1, mhz);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    return answer(device, sensor == 0 ? 41 : 0, celsius);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    (void)device, (void)milliwatts;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
    return answer(device, 700000, milliwatts);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    if (device != &fake_reasons)
        return NOT_FOUND;
    *reasons = fake_reasons;
    return SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                            struct process *list)
{
    (void)device;
    list[0] = (struct process){.pid = 1};
    list[1] = (struct process){.pid = fake_us};
    *count = 2;
    return SUCCESS;
}

/* Uses are at 100 and 200 microseconds. */
int nvmlDeviceGetProcessUtilization(void *device, struct use *list, unsigned *count,
                                    unsigned long long since)
{
    (void)device;
    if (fake_other_percent == 0 || since >= 200)
        return NOT_FOUND;
    list[0] = (struct use){.pid = fake_us, .at = 100, .processors = 55};
    list[1] = (struct use){.pid = 1, .at = 200, .processors = fake_other_percent};
    *count = 2;
    return SUCCESS;
}
