/* What a kind of device is like for those who choose kernels for it. It is data of its
 * runtime (src/device/traits.c): src/explore asks for no runtime by its name. */
#ifndef DEVICE_TRAITS_H
#define DEVICE_TRAITS_H

#include "device/device.h"

/* Fields that are left out say that there is no such thing. */
struct lift_traits {
    /* The sets of compiler flags to choose from, NULL behind the last: for programs whose
     * rounding may change, and for exact ones. */
    const char *const *relaxed_flags, *const *exact_flags;
    bool has_compilers; /* which of enum lift_compiler builds is chosen, too */
    /* Where an architecture has 'vector_feature', compilers are told by 'vector_flag' and
     * a number whether vectors have as many bits as registers have, or fewer. */
    const char *vector_feature, *vector_flag;
    int vector_bits, vector_bits_fewer;
    /* Where the source cannot say how many groups a compute unit has room for: the flag,
     * before the number of registers of a work-item, a multiple of 'register_step'. */
    const char *register_flag;
    int register_step, registers_most;
    /* Operations of straight-line code that its compilers take no more than a minute for,
     * on a busy machine, and most often a tenth of it (docs/optimisation-guide.md). */
    int straight_most;
    int group_most;    /* the largest groups that are tried; 0: as the device allows */
    bool rows_divided; /* groups that divide a row are tried: they need no masks */
    /* Asynchronous copies, and bulk copies of boxes: the architectures "sm_N" that have
     * them, from that N on. */
    int async_from, bulk_from;
    bool in_process;     /* kernels are functions of the process that runs them */
    int64_t frame_bytes; /* of a function, at most: what kernels have as local memory
                            where there are no groups; 0: there are */
};

/* Of a device that is here or was stored: by its runtime, or by its dialect where no
 * runtime is known. Never NULL. */
const struct lift_traits *lift_device_traits(const struct lift_device_info *info);
/* Whether its architecture is "sm_N" with N at least 'from', or none is known; false if
 * 'from' is 0. */
bool lift_device_reaches(const struct lift_device_info *info, int from);

#endif
