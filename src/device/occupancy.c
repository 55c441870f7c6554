#include "device/occupancy.h"
#include "device/device_t.h"
#include <string.h>

#define KIB 1024

/* From the CUDA C++ Programming Guide, technical specifications per compute capability. A
 * block of architectures from sm_80 on has 1 KiB more shared memory than it asks for. */
static const struct {
    const char *arch;
    int blocks;
    int64_t bytes; /* of shared memory */
    int64_t own;   /* bytes of shared memory of a block for the system */
} units[] = {
    {"sm_70", 32, 96 * KIB, 0},     {"sm_75", 16, 64 * KIB, 0},
    {"sm_80", 32, 164 * KIB, KIB},  {"sm_86", 16, 100 * KIB, KIB},
    {"sm_87", 16, 164 * KIB, KIB},  {"sm_89", 24, 100 * KIB, KIB},
    {"sm_90", 32, 228 * KIB, KIB},  {"sm_100", 32, 228 * KIB, KIB},
    {"sm_103", 32, 228 * KIB, KIB}, {"sm_120", 24, 100 * KIB, KIB},
};

/* Registers are allocated by 256 for a warp, and warps in one of four parts of a
 * multiprocessor; shared memory is allocated by 128 bytes. */
enum { WARP = 32, REGISTER_UNIT = 256, PARTS = 4, SHARED_UNIT = 128 };

static int64_t rounded(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static void limit_to(struct lift_occupancy *o, int64_t blocks, const char *limit)
{
    if (blocks < o->blocks) {
        o->blocks = (int)blocks;
        o->limit = limit;
    }
}

bool lift_occupancy(const char *arch, int64_t threads, int64_t registers,
                    int64_t local_bytes, struct lift_occupancy *out)
{
    struct lift_device_info info = {.arch = arch};
    int64_t warps = (threads + WARP - 1) / WARP, of_warp;
    size_t i = 0;

    while (i < sizeof units / sizeof units[0] && strcmp(arch, units[i].arch) != 0)
        i++;
    if (i == sizeof units / sizeof units[0] || threads < 1 || registers < 0 ||
        registers > 255 || local_bytes < 0)
        return false;
    device_nvidia_unit(&info);
    *out = (struct lift_occupancy){.blocks = units[i].blocks, .limit = "blocks"};
    limit_to(out, info.unit_items / WARP / warps, "threads");
    of_warp = rounded(registers * WARP, REGISTER_UNIT);
    if (of_warp)
        limit_to(out, info.unit_registers / PARTS / of_warp * PARTS / warps, "registers");
    if (local_bytes)
        limit_to(out, units[i].bytes / rounded(local_bytes + units[i].own, SHARED_UNIT),
                 "shared memory");
    out->warps = (int)(out->blocks * warps);
    out->share = (double)(out->warps * WARP) / info.unit_items;
    return out->blocks > 0;
}
