/* Processors and memory domains (NUMA) of this machine, by the library hwloc. */
#ifndef DEVICE_TOPOLOGY_H
#define DEVICE_TOPOLOGY_H

#include <sched.h>

/* The processors in an order in which neighbours are near: those of a core are adjacent,
 * and so are those of a memory domain. */
struct device_topology {
    int count;               /* processors */
    int domains;             /* memory domains that have such processors, at least 1 */
    int cpus[CPU_SETSIZE];   /* the system's numbers */
    int domain[CPU_SETSIZE]; /* domain of each processor, from 0 */
};

/* Finds the processors that this process may use. Without hwloc, in the build or on this
 * machine, there is one domain, and the order is that of the numbers. With hwloc's
 * variables HWLOC_SYNTHETIC or HWLOC_XMLFILE, describes that machine instead. */
void device_topology_find(struct device_topology *t);

#endif
