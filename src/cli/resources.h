/* A kernel's resources, in words. */
#ifndef CLI_RESOURCES_H
#define CLI_RESOURCES_H

#include "device/device.h"

/* Prints the known resources: "40 registers, nothing spilled, 4.00 KiB local". */
void cli_resources(const struct lift_resources *resources, struct lift_str *out);

#endif
