#include "device/pins.h"
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool device_pins_wanted(void)
{
    static const char *const names[] = {"OMP_PROC_BIND", "OMP_PLACES",
                                        "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return false;
    return true;
}

int device_pins_core(const struct device_topology *cores, int thread, int threads)
{
    return cores->cpus[(int64_t)thread * cores->count / threads];
}

/* Binds thread number 'number' of a kernel to its core. */
static void put_on(const struct device_pins *pins, pid_t thread, int number)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(device_pins_core(&pins->cores, number, pins->threads), &one);
    sched_setaffinity(thread, sizeof one, &one);
}

static bool is_known(const struct device_pins *pins, pid_t thread)
{
    for (int i = 0; i < pins->known_count; i++)
        if (pins->known[i] == thread)
            return true;
    return false;
}

/* Adds new threads to the known threads, in order of their numbers. Returns how many. */
static int find_new(struct device_pins *pins)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int before = pins->known_count;

    while (tasks && (entry = readdir(tasks))) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

        if (thread > 0 && thread != gettid() && !is_known(pins, thread) &&
            pins->known_count < DEVICE_MOST_PINS)
            pins->known[pins->known_count++] = thread;
    }
    if (tasks)
        closedir(tasks);
    return pins->known_count - before;
}

void device_pins_start(struct device_pins *pins)
{
    if (pins->on || !device_pins_wanted() ||
        sched_getaffinity(0, sizeof pins->all, &pins->all))
        return;
    device_topology_find(&pins->cores);
    pins->on = pins->cores.count == CPU_COUNT(&pins->all);
    for (int i = 0; i < pins->cores.count; i++)
        pins->on = pins->on && CPU_ISSET(pins->cores.cpus[i], &pins->all);
    find_new(pins);
}

void device_pins_enter(struct device_pins *pins)
{
    pid_t caller = gettid();

    if (!pins->placed || pins->bound == caller)
        return;
    device_pins_leave(pins);
    put_on(pins, caller, 0);
    pins->bound = caller;
}

void device_pins_leave(struct device_pins *pins)
{
    if (pins->bound)
        sched_setaffinity(pins->bound, sizeof pins->all, &pins->all);
    pins->bound = 0;
}

void device_pins_take(struct device_pins *pins)
{
    int count, first;

    if (!pins->on)
        return;
    count = find_new(pins);
    first = pins->known_count - count;
    if (count >= CPU_COUNT(&pins->all))
        return;
    pins->placed |= count > 0;
    pins->threads = count > 0 ? count + 1 : pins->threads;
    for (int i = 0; i < count; i++)
        put_on(pins, pins->known[first + i], i + 1);
}
