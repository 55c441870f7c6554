/* What came of each depth. */
#include "cli/explore/depths.h"

static const char *device_name(const struct cli_depth *depths, int count, int device)
{
    for (int i = 0; i < count; i++)
        if (depths[i].explored && device < depths[i].last.result.part_count)
            return depths[i].last.result.parts[device].name;
    return "";
}

static int devices_of(const struct cli_depth *depths, int count)
{
    int most = 0;

    for (int i = 0; i < count; i++)
        if (depths[i].device_count > most)
            most = depths[i].device_count;
    return most;
}

/* The least first, whoever leads. */
static const struct cli_depth *with_steps(const struct cli_depth *depths, int count,
                                          int64_t steps)
{
    for (int i = 0; i < count; i++)
        if (depths[i].steps == steps)
            return &depths[i];
    return NULL;
}

static void add_why_not(const struct cli_depth *depth, struct lift_str *out)
{
    if (depth->why)
        lift_str_add(out, depth->why);
    else if (depth->explored)
        lift_str_add(out, "no kernel was verified");
    else if (depth->needs > 0)
        lift_str_addf(out,
                      "not explored: a session needs about %.2g s, which were not left",
                      depth->needs);
    else
        lift_str_add(out, "not explored: there was no time for it");
}

static void print_depth(const struct cli_depth *depth, int device)
{
    const struct cli_depth_device *d = &depth->devices[device];
    LIFT_SCOPED(lift_str) why = {0};

    add_why_not(depth, &why);
    printf("  %2lld step%s at once  ", (long long)depth->steps,
           depth->steps == 1 ? " " : "s");
    if (d->gpts > 0)
        printf("%10.3f GPts/s", d->gpts);
    else
        printf("%17s", "-");
    printf("  %6lld tries", (long long)d->tries);
    if (d->estimate > 0)
        printf("  estimated %.3f", d->estimate);
    printf("%s%s\n", d->gpts > 0 ? "" : "  ", d->gpts > 0 ? "" : lift_str_get(&why));
}

void cli_depths_print(const struct cli_depth *depths, int count)
{
    for (int d = 0; d < devices_of(depths, count); d++) {
        int best = cli_depths_best(depths, count, d);

        printf("%s, the best of each number of steps, every step of every point counted, "
               "and the tries of this run:\n",
               device_name(depths, count, d));
        for (int64_t n = 1; n <= LIFT_MAX_STEPS; n++) {
            const struct cli_depth *depth = with_steps(depths, count, n);

            if (depth)
                print_depth(depth, d);
        }
        if (best >= 0)
            printf("best on %s: %lld step%s at once, %.3f GPts/s\n",
                   device_name(depths, count, d), (long long)depths[best].steps,
                   depths[best].steps == 1 ? "" : "s", depths[best].devices[d].gpts);
    }
}

static json_t *positive(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *devices_json(const struct cli_depth *depths, int count, int which)
{
    json_t *list = json_array();

    for (int d = 0; d < depths[which].device_count; d++) {
        const struct cli_depth_device *device = &depths[which].devices[d];

        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:I, s:b}", "device",
                            device_name(depths, count, d), "gpts", positive(device->gpts),
                            "estimate", positive(device->estimate), "tries",
                            (json_int_t)device->tries, "best",
                            cli_depths_best(depths, count, d) == which));
    }
    return list;
}

json_t *cli_depths_json(const struct cli_depth *depths, int count)
{
    json_t *list = json_array();

    for (int64_t n = 1; n <= LIFT_MAX_STEPS; n++) {
        const struct cli_depth *depth = with_steps(depths, count, n);
        bool found = depth && depth->device_count > 0 && depth->devices[0].gpts > 0;
        LIFT_SCOPED(lift_str) why = {0};

        if (depth)
            add_why_not(depth, &why);
        if (depth)
            json_array_append_new(
                list, json_pack("{s:I, s:b, s:o, s:s?}", "steps", (json_int_t)n,
                                "explored", depth->explored, "devices",
                                devices_json(depths, count, (int)(depth - depths)),
                                "reason", found ? NULL : lift_str_get(&why)));
    }
    return list;
}
