/* The runtimes of CUDA and HIP as programs call them, on the host: memory is the
 * process's own, and a launch runs at once (cuda_on_host.hpp). For programs whose
 * launches 'K<<<G, B, S, T>>>(...)' became 'on_host(G, B, S, [&] { K(...); })', and whose
 * kernels do not declare 'lift_local' any more. */
#pragma once
#include "cuda_on_host.hpp"

typedef int cudaError_t, cudaMemcpyKind;
typedef void *cudaStream_t, *cudaEvent_t;
struct cudaDeviceProp {
    char name[256];
};
enum {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost
};

/* What a launch asks for is here, and is no more than an attribute has allowed. */
alignas(128) static unsigned char lift_local[227 * 1024];
enum { cudaFuncAttributeMaxDynamicSharedMemorySize };
static size_t allowed_bytes = 48 * 1024;

static cudaError_t cudaFuncSetAttribute(const void *, int, int bytes)
{
    allowed_bytes = bytes;
    return (size_t)bytes <= sizeof lift_local ? cudaSuccess : cudaErrorInvalidValue;
}

template <class BODY> static void on_host(dim3 grid, dim3 block, size_t bytes, BODY body)
{
    if (bytes > allowed_bytes)
        fail("too much local memory");
    launch(grid, block, body);
}

static const char *cudaGetErrorString(cudaError_t)
{
    return "an error";
}

static cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}

static cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}

static cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

static cudaError_t cudaSetDevice(int)
{
    return cudaSuccess;
}

static cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
    strcpy(properties->name, "a processor");
    return cudaSuccess;
}

/* The ends can be checked by sanitizers. */
static cudaError_t cudaMalloc(void **data, size_t bytes)
{
    *data = aligned_alloc(256, (bytes + 255) / 256 * 256);
    return *data ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}

static cudaError_t cudaEventCreate(cudaEvent_t *)
{
    return cudaSuccess;
}

static cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t)
{
    return cudaSuccess;
}

static cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}

static cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 1;
    return cudaSuccess;
}

/* ---- maps of tensors, innermost dimension first */

typedef lift_map CUtensorMap;
typedef uint64_t cuuint64_t;
typedef uint32_t cuuint32_t;
enum CUtensorMapDataType {
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64
};
enum {
    CUDA_SUCCESS,
    CU_TENSOR_MAP_INTERLEAVE_NONE,
    CU_TENSOR_MAP_SWIZZLE_NONE,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
};

static int cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType, cuuint32_t dims,
                                  void *from, const cuuint64_t *lengths,
                                  const cuuint64_t *strides, const cuuint32_t *box,
                                  const cuuint32_t *, int, int, int, int)
{
    long length[5], stride[5], side[5];

    for (cuuint32_t d = 0; d < dims; d++) {
        length[d] = (long)lengths[d];
        side[d] = (long)box[d];
        if (d + 1 < dims)
            stride[d] = (long)(strides[d] / sizeof(REAL));
    }
    *map = map_of((const REAL *)from, dims, length, stride, side);
    return CUDA_SUCCESS;
}

/* ---- HIP, by the same calls */

#define hipError_t cudaError_t
#define hipStream_t cudaStream_t
#define hipEvent_t cudaEvent_t
#define hipDeviceProp_t cudaDeviceProp
#define hipSuccess cudaSuccess
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipGetDeviceCount cudaGetDeviceCount
#define hipSetDevice cudaSetDevice
#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipMalloc cudaMalloc
#define hipMemcpy cudaMemcpy
#define hipEventCreate cudaEventCreate
#define hipEventRecord cudaEventRecord
#define hipEventSynchronize cudaEventSynchronize
#define hipEventElapsedTime cudaEventElapsedTime
