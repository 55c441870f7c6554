/* The texts that lift_ops_create compiles: a dialect's prelude, the units, its kernels.
 */
#ifndef DEVICE_OPS_SOURCE_H
#define DEVICE_OPS_SOURCE_H

extern const char ops_openmp_prelude[], ops_opencl_prelude[], ops_cuda_prelude[];
extern const char ops_units[];
extern const char ops_openmp_kernels[], ops_opencl_kernels[];

#endif
