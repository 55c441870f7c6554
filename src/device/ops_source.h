/* The texts that lift_ops_create compiles: a dialect's prelude, the units, its kernels.
 */
#ifndef DEVICE_OPS_SOURCE_H
#define DEVICE_OPS_SOURCE_H

#include "lift/kernel.h"

extern const char *const ops_preludes[]; /* by dialect */
extern const char ops_units[];
extern const char ops_openmp_kernels[], ops_opencl_kernels[];

#endif
