/* What kernels of bench/reference need to run on the host, besides the rest: vectors, and
 * asynchronous copies by a thread or in bulk, done at once or as late as they may be. It
 * is compiled once, in reference_on_host.cpp. */
#include "../cli/cuda_on_host.hpp"

#define __forceinline__ inline
#define __restrict__

struct float4 {
    float x, y, z, w;
};

template <class T> static T max(T a, T b)
{
    return a > b ? a : b;
}

template <class T> static T min(T a, T b)
{
    return a < b ? a : b;
}

static inline float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}

static inline float __fdividef(float a, float b)
{
    return a / b;
}

static inline void copy16(void *to, const void *from)
{
    lift_copy<16>(to, from);
}

static inline void commit()
{
    lift_commit();
}

template <int PENDING> static void await()
{
    lift_wait<PENDING>();
}

/* A grid, innermost dimension first; what a box has outside it is zero. */
struct tensor {
    const REAL *at;
    long length[3], stride[3];
    int box[3];
};

static inline void __syncwarp()
{
}

static inline void prepare(int)
{
}

void expect(int stage, unsigned bytes);
void bulk(void *to, const void *from, unsigned bytes, int stage);
void await(int stage, unsigned);
void box(void *to, const tensor *t, int x, int y, int z, int stage);

/* Buffers are files. */
REAL *from_file(const char *path, size_t count);
void to_file(const REAL *data, const char *path, size_t count);
