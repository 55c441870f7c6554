/* HIP: AMD's runtime and its compiler. */
#include "device/device_t.h"
#include "device/gpu/amd_code.h"
#include "device/gpu/gpu.h"
#include <stddef.h>
#include <string.h>

/* In older versions the compiler is part of the runtime's library. */
static const char *const driver_names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                           "libamdhip64.so.5", "libamdhip64.so", NULL};
static const char *const compiler_names[] = {"libhiprtc.so.7", "libhiprtc.so.6",
                                             "libhiprtc.so.5", "libamdhip64.so.5",
                                             "libhiprtc.so",   NULL};
static const char *const folders[] = {"$ROCM_PATH/lib", "$HIP_PATH/lib", "/opt/rocm/lib",
                                      NULL};

static void hip_version(int version, struct lift_str *out)
{
    lift_str_addf(out, "%d.%d", version / 10000000, version % 10000000 / 100000);
}

/* Searches the struct of properties for a text such as "gfx90a:sramecc+:xnack-". The
 * struct begins with the name in 256 bytes; the rest of its layout depends on the
 * version. */
static void hip_arch(const struct gpu_driver *driver, int device, struct lift_str *out)
{
    enum { NAME = 256, SIZE = 8192 };
    char properties[SIZE] = "";
    const char *found = NULL;

    if (driver->properties(properties, device) == 0)
        found = memmem(properties + NAME, SIZE - NAME - 1, "gfx", 3);
    lift_str_add(out, found ? found : "unknown");
}

static void hip_error(const struct gpu_driver *driver, int code, const char **name,
                      const char **text)
{
    *name = driver->name_of(code);
    *text = driver->text_of(code);
}

static void hip_options(const char *arch, struct lift_str *out)
{
    lift_str_addf(out, "--offload-arch=%s -std=c++17 -O3 ", arch);
}

static void hip_resources(const struct lift_str *code, const char *log,
                          const char *kernel, struct lift_resources *out)
{
    (void)log;
    device_read_amd_code(code->data, code->len, kernel, out);
}

enum { KIB = 1024 };

/* A compute unit has four SIMD units, each with eight waves of 64 or sixteen waves of 32.
 * Older compute units have half the registers. */
void device_amd_unit(struct lift_device_info *info)
{
    bool old = strncmp(info->arch, "gfx906", 6) == 0 || !strncmp(info->arch, "gfx908", 6);

    info->unit_items = 2048;
    info->unit_registers = old ? 65536 : 131072;
}

static const struct gpu_target targets[] = {
    {"gfx906", 64, 64 * KIB},
    {"gfx908", 64, 64 * KIB},
    {"gfx90a", 64, 64 * KIB},
    {"gfx942", 64, 64 * KIB},
    {"gfx950", 64, 160 * KIB},
    {"gfx1030", 32, 64 * KIB},
    {"gfx1100", 32, 64 * KIB},
    {"gfx1101", 32, 64 * KIB},
    {"gfx1200", 32, 64 * KIB},
    {"gfx1201", 32, 64 * KIB},
    {NULL, 0, 0},
};

const struct gpu_kind gpu_hip = {
    .runtime = &device_runtime_hip,
    .vendor = "Advanced Micro Devices, Inc.",
    .prefix = "hip",
    .source_name = "kernel.hip",
    .driver = {"AMD's HIP runtime", driver_names, folders, gpu_driver_symbols,
               GPU_OF_HIP},
    .compiler = {"hipRTC", compiler_names, folders, gpu_compiler_symbols, GPU_OF_HIP},
    .attributes = {.group_size = 56,
                   .group_dims = {26, 27, 28},
                   .grid_dims = {29, 30, 31},
                   .local_bytes = 74,
                   .local_bytes_most = -1,
                   .warp = 87,
                   .units = 63,
                   .major = 23,
                   .minor = 61},
    /* Distributions link the compiler with the LLVM of OpenCL's compilers, whose options
     * cannot be registered twice in a process. */
    .compiles_apart = true,
    .leaves_files = true,
    .local_attribute = -1,
    .targets = targets,
    .group_size = 1024,
    .group_dims = {1024, 1024, 1024},
    .version = hip_version,
    .arch = hip_arch,
    .error = hip_error,
    .options = hip_options,
    .resources = hip_resources,
};
