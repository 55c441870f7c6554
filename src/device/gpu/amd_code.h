/* Reads the metadata in code objects of AMD's compilers. */
#ifndef DEVICE_GPU_AMD_CODE_H
#define DEVICE_GPU_AMD_CODE_H

#include "device/device.h"

/* Reads registers, spilled bytes, private and local memory and the largest group of a
 * kernel from a code object. Values that the metadata lack stay unchanged. The bytes may
 * be arbitrary. */
void device_read_amd_code(const void *code, size_t size, const char *kernel,
                          struct lift_resources *resources);

#endif
