/* What kernels of bench/reference need to run on the host, besides the rest: vectors, and
 * asynchronous copies by a thread or in bulk, done at once or as late as they may be. */
#include "../cli/cuda_on_host.hpp"
#include <algorithm>

using std::max;
using std::min;

#define __forceinline__ inline
#define __restrict__

struct float4 {
    float x, y, z, w;
};

static float __fdividef(float a, float b)
{
    return a / b;
}

static void copy16(void *to, const void *from)
{
    lift_copy<16>(to, from);
}

static void commit()
{
    lift_commit();
}

template <int PENDING> static void await()
{
    lift_wait<PENDING>();
}

/* One barrier a stage: bytes that are expected and not asked for yet, and copies that are
 * on their way. Lanes come in any order. */
static struct {
    long missing;
    batch copies;
} stages[8];

static void __syncwarp()
{
}

static void prepare(int)
{
}

static void expect(int stage, unsigned bytes)
{
    stages[stage].missing += bytes;
}

static void bulk(void *to, const void *from, unsigned bytes, int stage)
{
    const char *data = (const char *)from;

    if ((uintptr_t)to % 16 || (uintptr_t)from % 16 || bytes % 16 || bytes == 0)
        fail("a copy that is not aligned");
    stages[stage].missing -= bytes;
    if (copies_are_done == AT_ONCE)
        memcpy(to, from, bytes);
    else
        stages[stage].copies.push_back({to, std::vector<char>(data, data + bytes)});
}

/* Who waits lets the others go on until they wait, too. */
static void await_bulk(int stage, unsigned)
{
    __syncthreads();
    if (stages[stage].missing != 0)
        fail("other bytes than were expected");
    for (const copy &c : stages[stage].copies)
        memcpy(c.to, c.data.data(), c.data.size());
    stages[stage].copies.clear();
}

/* Buffers are files. */
static float *load(const char *path, size_t count)
{
    FILE *in = fopen(path, "rb");
    float *data = room(count);

    if (!in || fread(data, sizeof(float), count, in) != count)
        exit(3);
    fclose(in);
    return data;
}

static void store(const char *path, const float *data, size_t count)
{
    FILE *out = fopen(path, "wb");

    if (!out || fwrite(data, sizeof(float), count, out) != count || fclose(out) != 0)
        exit(3);
}
