/* How broad the search on a device is: a try takes seconds on a processor, and a few
 * milliseconds elsewhere. */
#ifndef EXPLORE_SESSION_BREADTH_H
#define EXPLORE_SESSION_BREADTH_H

#include "device/device.h"

struct breadth {
    int opened; /* expressions, before anything is measured */
    int rounds; /* of composition; where few are opened, what comes of it would be
                   neighbours of each other */
    /* Where few are opened they are not to be neighbours of each other, which are fast or
     * slow together: an estimate counts as so much more for each that is opened already
     * and differs in one decision at most. */
    double crowding;
    int answers;    /* between two times that the space is widened */
    int neighbours; /* that are tried at once then */
};

const struct breadth *breadth_of(const struct lift_device_info *info);

#endif
