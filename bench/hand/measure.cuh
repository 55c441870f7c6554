/* What kernels written by hand are measured with: grids of random values, the largest
 * difference, medians of launches, the device's copy, rows of a table. */
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#ifdef ON_HOST /* checks of the indices: what CUDA has, done by a processor */
#include ON_HOST
#else
#include <cuda.h>
#include <cuda_runtime.h>
#define DI __device__ __forceinline__
#define ROUNDS 20
#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t error_ = (call);                                                     \
        if (error_ != cudaSuccess) {                                                     \
            printf("%s, line %d\n", cudaGetErrorString(error_), __LINE__);               \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

template <class... P, class... A>
static void launch(void (*kernel)(P...), dim3 grid, dim3 group, int bytes, A... args)
{
    kernel<<<grid, group, bytes>>>(args...);
    CHECK(cudaGetLastError());
}

/* Gigabytes a second that the driver copies, read and written. */
static double copy_speed();
#endif

/* ---- vectors */

DI float4 load4(const float *p)
{
    return *(const float4 *)p;
}

DI float &at(float4 &f, int i)
{
    return (&f.x)[i];
}

DI void add4(float4 &sum, float c, float4 f)
{
    sum.x += c * f.x;
    sum.y += c * f.y;
    sum.z += c * f.z;
    sum.w += c * f.w;
}

/* ---- grids */

__global__ void fill(float *a, long n, unsigned seed, float low, float high)
{
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n;
         i += (long)gridDim.x * blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u + seed + (unsigned)(i >> 32);

        h ^= h >> 15;
        h *= 0x2c1b3c6d;
        h ^= h >> 12;
        a[i] = low + (high - low) * ((h & 0xffffff) / 16777216.f);
    }
}

__global__ void differ(const float *a, const float *b, long n, float *most)
{
    float d = 0;

    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n;
         i += (long)gridDim.x * blockDim.x) {
        const float e = fabsf(a[i] - b[i]);

        if (!(e <= d))
            d = e; /* what is no number stays */
    }
    atomicMax((int *)most, isnan(d) ? 0x7f800000 : __float_as_int(d));
}

template <class T> static T *take(long count)
{
    T *p;

    CHECK(cudaMalloc((void **)&p, count * sizeof(T)));
    return p;
}

static inline float *random_grid(long n, unsigned seed, float low, float high)
{
    float *p = take<float>(n);

    launch(fill, dim3(1024), dim3(256), 0, p, n, seed, low, high);
    return p;
}

static float difference(const float *a, const float *b, long n)
{
    static float *most = take<float>(1);
    float d;

    CHECK(cudaMemset(most, 0, sizeof d));
    launch(differ, dim3(1024), dim3(256), 0, a, b, n, most);
    CHECK(cudaMemcpy(&d, most, sizeof d, cudaMemcpyDeviceToHost));
    return d;
}

/* ---- times */

/* Milliseconds, the median of 20 launches after two. */
template <class F> static float median(F f)
{
    const int n = ROUNDS;
    std::vector<float> ms(n);
    cudaEvent_t from, to;

    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int i = -2; i < n; i++) {
        CHECK(cudaEventRecord(from));
        f();
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        if (i >= 0)
            CHECK(cudaEventElapsedTime(&ms[i], from, to));
    }
    std::sort(ms.begin(), ms.end());
    return ms[n / 2];
}

#ifndef ON_HOST
static double copy_speed()
{
    const size_t bytes = 1ul << 30;
    char *from = take<char>(bytes), *to = take<char>(bytes);

    CHECK(cudaMemset(from, 0, bytes));
    const float ms = median(
        [&] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); });

    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return 2e-6 * bytes / ms;
}
#endif

/* Registers, spills and groups a unit of a kernel. */
template <class K> static void print_kernel(K kernel, int threads, int bytes)
{
    cudaFuncAttributes is;
    int groups = 0;

    CHECK(cudaFuncGetAttributes(&is, (const void *)kernel));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, threads, bytes));
    printf("  %3d registers %3d B spilled %6d B shared, %d x %d threads a unit",
           is.numRegs, (int)is.localSizeBytes, bytes, groups, threads);
}

/* The compulsory traffic of a program: each input is read once, each output written once.
 * 'moved' is what the kernels need at least, in bytes a point. */
struct traffic {
    double points, program, moved, copy;
};

/* Runs, compares, times, compares again. */
template <class F, class D>
static void row(const char *name, const traffic &t, F run, D compare)
{
    run();
    CHECK(cudaDeviceSynchronize());
    const float first = compare(), ms = median(run), then = compare();
    const double speed = 1e-6 * t.points / ms;

    printf("%-30s %8.3f ms %6.1f GPts/s %5.1f %% of copy (%.1f %% as moved)  error %.1e "
           "%.1e",
           name, ms, speed, 100 * speed * t.program / t.copy,
           100 * speed * t.moved / t.copy, first, then);
}
