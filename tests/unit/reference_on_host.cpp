/* The copies of reference_on_host.hpp, and the threads and barriers beneath them. */
#include "reference_on_host.hpp"
#include "../cli/cuda_on_host.cpp"

/* One barrier a stage: bytes that are expected and not asked for yet, and copies that are
 * on their way. Lanes come in any order. */
static struct {
    long missing;
    batch copies;
} stages[8];

void expect(int stage, unsigned bytes)
{
    stages[stage].missing += bytes;
}

void bulk(void *to, const void *from, unsigned bytes, int stage)
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
void await(int stage, unsigned)
{
    __syncthreads();
    if (stages[stage].missing != 0)
        fail("other bytes than were expected");
    for (const copy &c : stages[stage].copies)
        memcpy(c.to, c.data.data(), c.data.size());
    stages[stage].copies.clear();
}

/* Zero outside. */
static REAL element(const tensor *t, long x, long y, long z)
{
    if (x < 0 || x >= t->length[0] || y < 0 || y >= t->length[1] || z < 0 ||
        z >= t->length[2])
        return 0;
    return t->at[x + y * t->stride[1] + z * t->stride[2]];
}

/* What the hardware demands. */
static void check_box(const void *to, const tensor *t)
{
    if ((uintptr_t)to % 128 || (uintptr_t)t->at % 16 || t->box[0] * sizeof(REAL) % 16)
        fail("a box that is not aligned");
    for (int d = 0; d < 3; d++)
        if (t->box[d] < 1 || t->box[d] > 256 ||
            (d > 0 && t->stride[d] * sizeof(REAL) % 16))
            fail("a box that is too large, or rows that are not aligned");
}

void box(void *to, const tensor *t, int x, int y, int z, int stage)
{
    std::vector<char> data;

    check_box(to, t);
    for (long k = 0; k < t->box[2]; k++)
        for (long j = 0; j < t->box[1]; j++)
            for (long i = 0; i < t->box[0]; i++) {
                REAL value = element(t, x + i, y + j, z + k);
                const char *bytes = (const char *)&value;

                data.insert(data.end(), bytes, bytes + sizeof value);
            }
    stages[stage].missing -= (long)data.size();
    if (copies_are_done == AT_ONCE)
        memcpy(to, data.data(), data.size());
    else
        stages[stage].copies.push_back({to, data});
}

REAL *from_file(const char *path, size_t count)
{
    FILE *in = fopen(path, "rb");
    REAL *data = room(count);

    if (!in || fread(data, sizeof(REAL), count, in) != count)
        exit(3);
    fclose(in);
    return data;
}

void to_file(const REAL *data, const char *path, size_t count)
{
    FILE *out = fopen(path, "wb");

    if (!out || fwrite(data, sizeof(REAL), count, out) != count || fclose(out) != 0)
        exit(3);
}
