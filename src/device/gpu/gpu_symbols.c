/* The functions of drivers and compilers, by their names in CUDA and in HIP. */
#include "device/gpu/gpu.h"
#include <stddef.h>

#define DRIVER(member, cuda, hip)                                                        \
    {                                                                                    \
        {cuda, hip}, offsetof(struct gpu_driver, member), false                          \
    }
/* Drivers may be too old for it. */
#define NEWER(member, cuda, hip)                                                         \
    {                                                                                    \
        {cuda, hip}, offsetof(struct gpu_driver, member), true                           \
    }
#define COMPILER(member, cuda, hip)                                                      \
    {                                                                                    \
        {cuda, hip}, offsetof(struct gpu_compiler, member), false                        \
    }

const struct gpu_symbol gpu_driver_symbols[] = {
    DRIVER(init, "cuInit", "hipInit"),
    DRIVER(version, "cuDriverGetVersion", "hipDriverGetVersion"),
    DRIVER(count, "cuDeviceGetCount", "hipGetDeviceCount"),
    DRIVER(get, "cuDeviceGet", "hipDeviceGet"),
    DRIVER(name, "cuDeviceGetName", "hipDeviceGetName"),
    DRIVER(attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute"),
    DRIVER(memory, "cuDeviceTotalMem_v2", "hipDeviceTotalMem"),
    DRIVER(pci, "cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId"),
    DRIVER(retain, "cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain"),
    DRIVER(release, "cuDevicePrimaryCtxRelease_v2", "hipDevicePrimaryCtxRelease"),
    DRIVER(set_current, "cuCtxSetCurrent", "hipCtxSetCurrent"),
    DRIVER(synchronize, "cuCtxSynchronize", "hipDeviceSynchronize"),
    DRIVER(load, "cuModuleLoadData", "hipModuleLoadData"),
    DRIVER(unload, "cuModuleUnload", "hipModuleUnload"),
    DRIVER(function, "cuModuleGetFunction", "hipModuleGetFunction"),
    DRIVER(function_set, "cuFuncSetAttribute", NULL),
    DRIVER(alloc, "cuMemAlloc_v2", "hipMalloc"),
    DRIVER(free, "cuMemFree_v2", "hipFree"),
    DRIVER(fill, "cuMemsetD8_v2", "hipMemsetD8"),
    DRIVER(write, "cuMemcpyHtoD_v2", "hipMemcpyHtoD"),
    DRIVER(read, "cuMemcpyDtoH_v2", "hipMemcpyDtoH"),
    DRIVER(copy, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync"),
    NEWER(pull, "cuMemcpyPeerAsync", NULL),
    NEWER(pull_pieces, "cuMemcpy3DPeerAsync", NULL),
    NEWER(enable, "cuCtxEnablePeerAccess", NULL),
    DRIVER(launch, "cuLaunchKernel", "hipModuleLaunchKernel"),
    NEWER(encode, "cuTensorMapEncodeTiled", NULL),
    DRIVER(event_create, "cuEventCreate", "hipEventCreateWithFlags"),
    DRIVER(event_destroy, "cuEventDestroy_v2", "hipEventDestroy"),
    DRIVER(event_record, "cuEventRecord", "hipEventRecord"),
    DRIVER(event_wait, "cuEventSynchronize", "hipEventSynchronize"),
    DRIVER(event_ms, "cuEventElapsedTime", "hipEventElapsedTime"),
    DRIVER(stream_range, "cuCtxGetStreamPriorityRange", NULL),
    DRIVER(stream_create, "cuStreamCreateWithPriority", NULL),
    DRIVER(stream_destroy, "cuStreamDestroy_v2", NULL),
    DRIVER(stream_wait, "cuStreamWaitEvent", NULL),
    NEWER(capture_begin, "cuStreamBeginCapture_v2", NULL),
    NEWER(capture_end, "cuStreamEndCapture", NULL),
    NEWER(graph_instantiate, "cuGraphInstantiateWithFlags", NULL),
    NEWER(graph_launch, "cuGraphLaunch", NULL),
    NEWER(graph_destroy, "cuGraphDestroy", NULL),
    NEWER(executable_destroy, "cuGraphExecDestroy", NULL),
    DRIVER(error_name, "cuGetErrorName", NULL),
    DRIVER(error_text, "cuGetErrorString", NULL),
    DRIVER(properties, NULL, "hipGetDeviceProperties"),
    DRIVER(name_of, NULL, "hipGetErrorName"),
    DRIVER(text_of, NULL, "hipGetErrorString"),
    {{NULL}, 0, false},
};

const struct gpu_symbol gpu_compiler_symbols[] = {
    COMPILER(version, "nvrtcVersion", "hiprtcVersion"),
    COMPILER(create, "nvrtcCreateProgram", "hiprtcCreateProgram"),
    COMPILER(compile, "nvrtcCompileProgram", "hiprtcCompileProgram"),
    COMPILER(destroy, "nvrtcDestroyProgram", "hiprtcDestroyProgram"),
    COMPILER(log_size, "nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize"),
    COMPILER(log, "nvrtcGetProgramLog", "hiprtcGetProgramLog"),
    COMPILER(code_size, "nvrtcGetCUBINSize", "hiprtcGetCodeSize"),
    COMPILER(code, "nvrtcGetCUBIN", "hiprtcGetCode"),
    COMPILER(error_text, "nvrtcGetErrorString", "hiprtcGetErrorString"),
    {{NULL}, 0, false},
};
