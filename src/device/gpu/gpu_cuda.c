/* CUDA: NVIDIA's driver and its compiler at run time. */
#include "device/device_t.h"
#include "device/gpu/gpu.h"
#include <stddef.h>

static const char *const driver_names[] = {"libcuda.so.1", "libcuda.so", NULL};
static const char *const driver_folders[] = {"/usr/local/nvidia/lib64", NULL};
static const char *const compiler_names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                             "libnvrtc.so.11.2", "libnvrtc.so", NULL};
static const char *const compiler_folders[] = {"$CUDA_HOME/lib64", "$CUDA_PATH/lib64",
                                               "/usr/local/cuda/lib64", NULL};

static void cuda_arch(const struct gpu_driver *driver, int device, struct lift_str *out)
{
    int major = 0, minor = 0;

    driver->attribute(&major, gpu_cuda.attributes.major, device);
    driver->attribute(&minor, gpu_cuda.attributes.minor, device);
    lift_str_addf(out, "sm_%d%d", major, minor);
}

static void cuda_version(int version, struct lift_str *out)
{
    lift_str_addf(out, "%d.%d", version / 1000, version % 1000 / 10);
}

static void cuda_error(const struct gpu_driver *driver, int code, const char **name,
                       const char **text)
{
    driver->error_name(code, name);
    driver->error_text(code, text);
}

/* The options request the assembler's report, which has registers and spills. */
static void cuda_options(const char *arch, struct lift_str *out)
{
    lift_str_addf(out, "--gpu-architecture=%s --std=c++17 --ptxas-options=-v ", arch);
}

static void cuda_resources(const struct lift_str *code, const char *log,
                           const char *kernel, struct lift_resources *out)
{
    (void)code;
    device_read_nvidia_log(log, kernel, out);
}

enum { KIB = 1024 };

static const struct gpu_target targets[] = {
    {"sm_70", 32, 96 * KIB},
    {"sm_75", 32, 64 * KIB},
    {"sm_80", 32, 163 * KIB},
    {"sm_86", 32, 99 * KIB},
    {"sm_87", 32, 163 * KIB},
    {"sm_89", 32, 99 * KIB},
    {"sm_90", 32, 227 * KIB},
    {"sm_100", 32, 227 * KIB},
    {"sm_103", 32, 227 * KIB},
    {"sm_120", 32, 99 * KIB},
    {NULL, 0, 0},
};

const struct gpu_kind gpu_cuda = {
    .runtime = &device_runtime_cuda,
    .vendor = "NVIDIA Corporation",
    .prefix = "cu",
    .source_name = "kernel.cu",
    .driver = {"NVIDIA's driver", driver_names, driver_folders, gpu_driver_symbols,
               GPU_OF_CUDA},
    .compiler = {"NVRTC", compiler_names, compiler_folders, gpu_compiler_symbols,
                 GPU_OF_CUDA},
    .attributes = {.group_size = 1,
                   .group_dims = {2, 3, 4},
                   .grid_dims = {5, 6, 7},
                   .local_bytes = 8,
                   .local_bytes_most = 97,
                   .warp = 10,
                   .units = 16,
                   .major = 75,
                   .minor = 76},
    .local_attribute = 8,
    .targets = targets,
    .group_size = 1024,
    .group_dims = {1024, 1024, 64},
    .version = cuda_version,
    .arch = cuda_arch,
    .error = cuda_error,
    .options = cuda_options,
    .resources = cuda_resources,
};
