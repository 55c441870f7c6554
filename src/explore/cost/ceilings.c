/* Peak rates of devices, for rooflines. */
#include "explore/cost/estimate_t.h"
#include <string.h>

/* Multiply-adds of a compute unit per cycle, by the beginning of the architecture's name;
 * the first match counts. Processors have two units of the vector width. */
static const struct {
    const char *arch;
    int f32, f64;
} units[] = {
    {"sm_70", 64, 32},   {"sm_75", 64, 2},           {"sm_80", 64, 32},
    {"sm_86", 128, 2},   {"sm_87", 128, 2},          {"sm_89", 128, 2},
    {"sm_90", 128, 64},  {"sm_100", 128, 64},        {"sm_103", 128, 2},
    {"sm_120", 128, 2},  {"gfx908", 64, 32},         {"gfx90a", 64, 64},
    {"gfx942", 128, 64}, {"x86_64 avx512f", 32, 16}, {"x86_64 avx2", 16, 8},
    {"aarch64", 8, 4},
};

static int find_unit(const char *arch)
{
    int count = sizeof units / sizeof *units, i = 0;

    while (i < count && strncmp(arch, units[i].arch, strlen(units[i].arch)) != 0)
        i++;
    return i < count ? i : -1;
}

double gpu_f64_ops(const char *arch)
{
    int unit = find_unit(arch);

    return unit < 0 ? 2 : (double)units[unit].f32 / units[unit].f64;
}

struct explore_ceilings explore_ceilings(const char *arch, int compute_units,
                                         const char *dtype, double mhz)
{
    struct explore_ceilings out = {.gflops = 0};
    bool gpu = !strncmp(arch, "sm_", 3) || !strncmp(arch, "gfx", 3);
    int unit = compute_units > 0 ? find_unit(arch) : -1;

    if (unit < 0)
        return out;
    out.gflops = 2e-3 * mhz * compute_units *
                 (strcmp(dtype, "f64") != 0 ? units[unit].f32 : units[unit].f64);
    out.l2_gbs = 1e-9 * compute_units * (gpu ? GPU_L2_BANDWIDTH : CPU_L2_BANDWIDTH);
    return out;
}
