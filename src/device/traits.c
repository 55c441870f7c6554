/* Traits of each kind of device. */
#include "device/traits.h"
#include "base/bug.h"
#include "device/device_t.h"
#include <stdio.h>

/* -ffast-math, but tests for NaN must keep working. */
#define FAST "-ffast-math -fno-finite-math-only"
#define FLAGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* On processors with registers of 512 bits, gcc and clang have different default widths.
 * Vectors of 256 bits may be faster. */
const struct lift_traits device_traits_host = {
    .relaxed_flags = FLAGS(FAST),
    .exact_flags = FLAGS("-ffp-contract=off"),
    .has_compilers = true,
    .vector_feature = "avx512",
    .vector_flag = "-mprefer-vector-width=",
    .vector_bits = 512,
    .vector_bits_fewer = 256,
    .straight_most = 8192,
    .in_process = true,
    .frame_bytes = DEVICE_FRAME_BYTES,
};

/* 'register_flag' is NVIDIA's. The compute-unit resources of other devices are unknown
 * and unused. */
#define OPENCL                                                                           \
    .relaxed_flags =                                                                     \
        FLAGS("-cl-mad-enable -cl-no-signed-zeros", "-cl-fast-relaxed-math"),            \
    .exact_flags = FLAGS(""),                                                            \
    .register_flag = "-cl-nv-maxrregcount=", .register_step = 8, .registers_most = 255

const struct lift_traits device_traits_opencl = {OPENCL, .straight_most = 8192,
                                                 .group_most = 1024};

/* Processors make vectors of adjacent work-items. A predicate at the end of a row turns
 * the vectors into masked vectors, which take twice the time. */
const struct lift_traits device_traits_opencl_processor = {OPENCL, .straight_most = 4096,
                                                           .rows_divided = true};

const struct lift_traits device_traits_cuda = {
    .relaxed_flags = FLAGS("--fmad=true", "--use_fast_math"),
    .exact_flags = FLAGS("--fmad=false"),
    .straight_most = 8192,
    .group_most = 1024,
    .async_from = 80,
    .bulk_from = 90,
    .rows_divided = true,
};

const struct lift_traits device_traits_hip = {
    .relaxed_flags = FLAGS("-ffp-contract=fast", "-ffp-contract=fast " FAST),
    .exact_flags = FLAGS("-ffp-contract=off"),
    .straight_most = 8192,
    .group_most = 1024,
    .rows_divided = true,
};

static const struct lift_runtime *runtime_of(const struct lift_device_info *info)
{
    const struct lift_runtime *named =
        info->runtime ? lift_runtime_named(info->runtime) : NULL;

    for (const struct lift_runtime *const *r = lift_runtimes; *r && !named; r++)
        if ((*r)->dialect == info->dialect)
            named = *r;
    LIFT_ASSERT(named);
    return named;
}

const struct lift_traits *lift_device_traits(const struct lift_device_info *info)
{
    const struct lift_runtime *runtime = runtime_of(info);

    return info->is_cpu && runtime->processor_traits ? runtime->processor_traits
                                                     : runtime->traits;
}

bool lift_device_reaches(const struct lift_device_info *info, int from)
{
    int arch = 0;

    return from > 0 && (!info->arch || !*info->arch ||
                        (sscanf(info->arch, "sm_%d", &arch) == 1 && arch >= from));
}
