/* Traits of a kind of device, for the choice of kernels. They are data of the runtime
 * (src/device/traits.c), so src/explore does not depend on names of runtimes. */
#ifndef DEVICE_TRAITS_H
#define DEVICE_TRAITS_H

#include "device/device.h"

/* A field with value 0 or NULL means that the device lacks the feature. */
struct lift_traits {
    /* Candidate sets of compiler flags, ended by NULL: for programs whose rounding may
     * change, and for exact programs. */
    const char *const *relaxed_flags, *const *exact_flags;
    bool has_compilers; /* the choice includes the compiler (enum lift_compiler) */
    /* On architectures with 'vector_feature', 'vector_flag' and a number set the bits of
     * vectors: as wide as registers, or less. */
    const char *vector_feature, *vector_flag;
    int vector_bits, vector_bits_fewer;
    /* If the source cannot set the number of resident groups: the flag that limits the
     * registers of a work-item, to a multiple of 'register_step'. */
    const char *register_flag;
    int register_step, registers_most;
    /* Most operations of straight-line code. Compilers take at most 60 s for such code on
     * a busy machine, and usually 6 s (docs/optimisation-guide.md). */
    int straight_most;
    int group_most;    /* the largest explored group; 0: the device's limit */
    bool rows_divided; /* explore groups that divide a row, which need no masks */
    /* The lowest N of architectures "sm_N" with asynchronous copies, and with TMA copies.
     */
    int async_from, bulk_from;
    bool in_process;     /* kernels are functions of the process that runs them */
    int64_t frame_bytes; /* largest stack frame of a function, which replaces local memory
                            on devices without groups; 0: the device has groups */
};

/* Returns the traits of a present or stored device, by its runtime, or by its dialect if
 * the runtime is unknown. Never returns NULL. */
const struct lift_traits *lift_device_traits(const struct lift_device_info *info);
/* Returns true if the architecture is "sm_N" with N at least 'from', or if the
 * architecture is unknown. Returns false if 'from' is 0. */
bool lift_device_reaches(const struct lift_device_info *info, int from);

#endif
