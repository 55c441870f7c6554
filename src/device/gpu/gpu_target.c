/* An architecture without a device: its compiler and its limits. */
#include "device/device_t.h"
#include "device/gpu/gpu_device.h"
#include <string.h>

static const struct gpu_target *find_target(const struct gpu_kind *kind, const char *arch)
{
    for (const struct gpu_target *t = kind->targets; t->arch; t++)
        if (strcmp(t->arch, arch) == 0)
            return t;
    return NULL;
}

static void fail_to_find(const struct gpu_kind *kind, const char *arch,
                         struct lift_error *error)
{
    LIFT_SCOPED(lift_str) known = {0};

    for (const struct gpu_target *t = kind->targets; t->arch; t++)
        lift_str_addf(&known, " %s", t->arch);
    lift_fail(error, LIFT_ERROR_DEVICE,
              "'%s:%s' is neither a device nor an architecture; expected a number, or "
              "one of%s",
              kind->runtime->name, arch, lift_str_get(&known));
}

static void fill(struct gpu_device *g, const struct gpu_target *t)
{
    const struct gpu_kind *kind = g->kind;

    lift_str_add(&g->name, t->arch);
    lift_str_add(&g->arch, t->arch);
    lift_str_add(&g->driver_version, "none");
    gpu_name_compiler(g);
    gpu_fill_info(g);
    g->info.builds_only = true;
    g->info.max_group_size = kind->group_size;
    memcpy(g->info.max_group_dims, kind->group_dims, sizeof g->info.max_group_dims);
    g->info.local_bytes = t->local_bytes;
    g->info.simd_width = t->warp;
}

struct lift_device *gpu_open_target(const struct gpu_kind *kind, const char *arch,
                                    struct lift_error *error)
{
    const struct gpu_target *target = find_target(kind, arch);
    struct gpu_device *g;
    LIFT_SCOPED(lift_str) why = {0};

    if (!target) {
        fail_to_find(kind, arch, error);
        return NULL;
    }
    g = gpu_create(kind);
    if (gpu_library_open(&kind->compiler, &g->compiler, &why)) {
        fill(g, target);
        return &g->base;
    }
    lift_fail(error, LIFT_ERROR_DEVICE, "cannot build for '%s:%s': %s",
              kind->runtime->name, arch, lift_str_get(&why));
    gpu_close(&g->base);
    return NULL;
}
