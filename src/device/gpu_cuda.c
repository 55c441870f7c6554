/* CUDA: NVIDIA's driver and its compiler at run time. */
#include "device/gpu.h"
#include "device/internal.h"
#include <stddef.h>

#define DRIVER(member, name)                                                             \
    {                                                                                    \
        name, offsetof(struct gpu_driver, member)                                        \
    }
#define COMPILER(member, name)                                                           \
    {                                                                                    \
        name, offsetof(struct gpu_compiler, member)                                      \
    }

static const struct gpu_symbol driver_symbols[] = {
    DRIVER(init, "cuInit"),
    DRIVER(version, "cuDriverGetVersion"),
    DRIVER(count, "cuDeviceGetCount"),
    DRIVER(get, "cuDeviceGet"),
    DRIVER(name, "cuDeviceGetName"),
    DRIVER(attribute, "cuDeviceGetAttribute"),
    DRIVER(memory, "cuDeviceTotalMem_v2"),
    DRIVER(pci, "cuDeviceGetPCIBusId"),
    DRIVER(retain, "cuDevicePrimaryCtxRetain"),
    DRIVER(release, "cuDevicePrimaryCtxRelease_v2"),
    DRIVER(set_current, "cuCtxSetCurrent"),
    DRIVER(synchronize, "cuCtxSynchronize"),
    DRIVER(load, "cuModuleLoadData"),
    DRIVER(unload, "cuModuleUnload"),
    DRIVER(function, "cuModuleGetFunction"),
    DRIVER(function_set, "cuFuncSetAttribute"),
    DRIVER(alloc, "cuMemAlloc_v2"),
    DRIVER(free, "cuMemFree_v2"),
    DRIVER(fill, "cuMemsetD8_v2"),
    DRIVER(write, "cuMemcpyHtoD_v2"),
    DRIVER(read, "cuMemcpyDtoH_v2"),
    DRIVER(copy, "cuMemcpyDtoDAsync_v2"),
    DRIVER(launch, "cuLaunchKernel"),
    DRIVER(event_create, "cuEventCreate"),
    DRIVER(event_destroy, "cuEventDestroy_v2"),
    DRIVER(event_record, "cuEventRecord"),
    DRIVER(event_wait, "cuEventSynchronize"),
    DRIVER(event_ms, "cuEventElapsedTime"),
    DRIVER(error_name, "cuGetErrorName"),
    DRIVER(error_text, "cuGetErrorString"),
    {NULL, 0},
};

static const struct gpu_symbol compiler_symbols[] = {
    COMPILER(version, "nvrtcVersion"),
    COMPILER(create, "nvrtcCreateProgram"),
    COMPILER(compile, "nvrtcCompileProgram"),
    COMPILER(destroy, "nvrtcDestroyProgram"),
    COMPILER(log_size, "nvrtcGetProgramLogSize"),
    COMPILER(log, "nvrtcGetProgramLog"),
    COMPILER(code_size, "nvrtcGetCUBINSize"),
    COMPILER(code, "nvrtcGetCUBIN"),
    COMPILER(error_text, "nvrtcGetErrorString"),
    {NULL, 0},
};

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

/* The assembler's report is where registers and spills are read from. */
static void cuda_options(const char *arch, struct lift_str *out)
{
    lift_str_addf(out, "--gpu-architecture=%s --std=c++17 --ptxas-options=-v ", arch);
}

const struct gpu_kind gpu_cuda = {
    .runtime = &device_runtime_cuda,
    .vendor = "NVIDIA Corporation",
    .prefix = "cu",
    .driver = {"NVIDIA's driver", driver_names, driver_folders, driver_symbols},
    .compiler = {"NVRTC", compiler_names, compiler_folders, compiler_symbols},
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
    .options = cuda_options,
    .arch = cuda_arch,
};
