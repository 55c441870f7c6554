/* Breadth of the search on a device: a trial takes seconds on a processor, and
 * milliseconds on other devices. */
#ifndef EXPLORE_SESSION_BREADTH_H
#define EXPLORE_SESSION_BREADTH_H

#include "device/device.h"

struct breadth {
    int opened;  /* expressions opened before the first measurement */
    int deeper;  /* likewise, of each further number of time steps a launch */
    int shaped;  /* of these the best, for which other shapes of a block are opened, */
    int shapes;  /* so many of each */
    int rounds;  /* rounds of composition; 0 with few opened expressions: results would be
                    neighbours of each other */
    int answers; /* least number of results between two widenings */
    int neighbours; /* neighbours tried together after a widening */
};

const struct breadth *breadth_of(const struct lift_device_info *info);

#endif
