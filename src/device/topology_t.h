/* Internal declarations of the topology. */
#ifndef DEVICE_TOPOLOGY_T_H
#define DEVICE_TOPOLOGY_T_H

#include "device/topology.h"

/* Orders the processors and finds their domains by hwloc (topology_hwloc.c). Leaves the
 * topology unchanged without hwloc. */
void device_topology_ask(struct device_topology *t);

#endif
