#include "device/device_t.h"
#include <string.h>

/* From the CUDA C++ Programming Guide, technical specifications per compute capability.
 */
static const struct {
    const char *arch;
    int items;
} units[] = {
    {"sm_75", 1024}, {"sm_86", 1536},  {"sm_87", 1536},  {"sm_88", 1536},
    {"sm_89", 1536}, {"sm_110", 1536}, {"sm_120", 1536}, {"sm_121", 1536},
};

void device_nvidia_unit(struct lift_device_info *info)
{
    if (strncmp(info->arch, "sm_", 3) != 0)
        return;
    info->unit_items = 2048;
    info->unit_registers = 65536;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(info->arch, units[i].arch) == 0)
            info->unit_items = units[i].items;
}
