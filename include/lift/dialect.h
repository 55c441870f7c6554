/* The languages of kernels. */
#ifndef LIFT_DIALECT_H
#define LIFT_DIALECT_H

enum lift_dialect {
    LIFT_DIALECT_OPENMP,
    LIFT_DIALECT_OPENCL,
    LIFT_DIALECT_CUDA,
    LIFT_DIALECT_HIP,
};

#endif
