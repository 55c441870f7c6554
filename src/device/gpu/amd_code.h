/* What AMD's compilers write into their code objects. */
#ifndef DEVICE_GPU_AMD_CODE_H
#define DEVICE_GPU_AMD_CODE_H

#include "device/device.h"

/* Registers, spilled bytes, private and local memory and the largest group of a kernel,
 * from the metadata of a code object; what it does not say is left as it is. The bytes
 * may be anything. */
void device_read_amd_code(const void *code, size_t size, const char *kernel,
                          struct lift_resources *resources);

#endif
