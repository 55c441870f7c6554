/* Describes the distribution of a grid over devices. */
#include "run/devices/nccl.h"
#include "run/parts.h"
#include "run/ranks/team.h"

enum { MOST_SHOWN = 8 /* parts */ };

static void add_way(struct lift_str *out, const struct parts *parts)
{
    switch (parts->way) {
    case PARTS_HOST:
        lift_str_add(out, ", through the host");
        return;
    case PARTS_PEER:
        lift_str_add(out, ", from device to device");
        return;
    case PARTS_MESSAGE:
        lift_str_addf(out, ", by %s%s", parts->team->name,
                      parts->direct ? ", from device to device" : "");
        return;
    case PARTS_NCCL:
        lift_str_addf(out, ", by %s", nccl_name(parts->nccl));
    }
}

/* "4 + 9 planes (nz)" */
static void add_lengths(struct lift_str *out, const struct parts *parts, int dim)
{
    int count = parts->along[dim], apart = dim == 0 ? parts->along[1] : 1;

    for (int i = 0; i < count && i < MOST_SHOWN; i++)
        lift_str_addf(out, "%s%lld", i ? " + " : "",
                      (long long)parts->part[i * apart].along[dim].own);
    if (count > MOST_SHOWN)
        lift_str_addf(out, " + ... (%d parts)", count);
    lift_str_addf(out, " %s (%s)", parts_dim_name(dim), parts->cut[dim].size);
}

/* "4 + 9 planes (nz) by 7 + 7 rows (ny), 1 and 1 ghost planes, 2 and 2 ghost rows" */
static void add_shares(struct lift_str *out, const struct parts *parts)
{
    bool both = parts_are_along(parts, 0) && parts_are_along(parts, 1);

    for (int d = 0; d < PARTS_DIMS; d++)
        if (parts_are_along(parts, d)) {
            lift_str_add(out, d && both ? " by " : "");
            add_lengths(out, parts, d);
        }
    for (int d = 0; d < PARTS_DIMS; d++)
        if (parts_are_along(parts, d))
            lift_str_addf(out, ", %lld and %lld ghost %s",
                          (long long)parts->every * parts->cut[d].before,
                          (long long)parts->every * parts->cut[d].after,
                          parts_dim_name(d));
}

void parts_describe(struct parts *parts)
{
    int64_t launches = parts->every / (parts->deep / parts->base);

    if (parts->count == 1) {
        lift_str_addf(&parts->words, "all on '%s'", parts->part->device);
        return;
    }
    add_shares(&parts->words, parts);
    lift_str_add(&parts->words, ", exchanged ");
    if (launches == 1)
        lift_str_add(&parts->words, "after each launch");
    else
        lift_str_addf(&parts->words, "after %lld launches", (long long)launches);
    if (parts->deep > parts->base)
        lift_str_addf(&parts->words, " of %d time steps", parts->deep);
    add_way(&parts->words, parts);
    if (parts->detour.len)
        lift_str_addf(&parts->words, " (not %s)", lift_str_get(&parts->detour));
    if (parts->overlaps)
        lift_str_add(&parts->words, ", overlapped with the computation");
    else if (parts->sequential.len)
        lift_str_addf(&parts->words, ", not overlapped with the computation: %s",
                      lift_str_get(&parts->sequential));
}
