#include "device/topology.h"
#include "device/topology_t.h"
#include <unistd.h>

/* All usable processors as one domain, in the order of their numbers. */
static void find_usable(struct device_topology *t)
{
    cpu_set_t usable;

    *t = (struct device_topology){.domains = 1};
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) {
        CPU_ZERO(&usable);
        CPU_SET(0, &usable);
    }
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &usable))
            t->cpus[t->count++] = cpu;
}

void device_topology_find(struct device_topology *t)
{
    find_usable(t);
    device_topology_ask(t);
}
