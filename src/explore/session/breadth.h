/* How broad the search on a device is: a trial takes seconds on a processor, and a few
 * milliseconds elsewhere. */
#ifndef EXPLORE_SESSION_BREADTH_H
#define EXPLORE_SESSION_BREADTH_H

#include "device/device.h"

struct breadth {
    int opened;     /* expressions, before anything is measured */
    int rounds;     /* of composition; where few are opened, its results would be
                       neighbours of each other */
    int answers;    /* between two times that the space is widened */
    int neighbours; /* that are then tried together */
};

const struct breadth *breadth_of(const struct lift_device_info *info);

#endif
