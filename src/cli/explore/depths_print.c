/* Prints the result of each factor of temporal blocking for people. */
#include "cli/explore/depths.h"

/* A member of a device's result; 0 if the member is null or there is no result. */
static double number(const json_t *depth, size_t device, const char *name)
{
    const json_t *devices = json_object_get(depth, "devices");

    return json_number_value(json_object_get(json_array_get(devices, device), name));
}

static const char *steps_text(const json_t *depth, const char *one, char out[32])
{
    json_int_t steps = json_integer_value(json_object_get(depth, "steps"));

    snprintf(out, 32, "%2lld step%s a launch", (long long)steps, steps == 1 ? one : "s");
    return out;
}

static void print_depth(const json_t *depth, size_t device)
{
    double gpts = number(depth, device, "gpts"),
           estimate = number(depth, device, "estimate");
    const char *reason = json_string_value(json_object_get(depth, "reason"));
    char steps[32];

    printf("  %s  ", steps_text(depth, " ", steps));
    if (gpts > 0)
        printf("%10.3f GPts/s", gpts);
    else
        printf("%17s", "-");
    printf("  %6.0f trials", number(depth, device, "trials"));
    if (estimate > 0)
        printf("  estimated %.3f", estimate);
    if (!(gpts > 0))
        printf("  %s", reason ? reason : "no kernel was verified");
    putchar('\n');
}

void cli_depths_print(const json_t *depths)
{
    const json_t *depth, *device, *best = NULL;
    const char *name = "";
    size_t i;
    char steps[32];

    for (size_t d = 0; name; d++) {
        name = NULL;
        json_array_foreach(depths, i, depth)
        {
            device = json_array_get(json_object_get(depth, "devices"), d);
            if (device)
                name = json_string_value(json_object_get(device, "device"));
            if (json_is_true(json_object_get(device, "best")))
                best = depth;
        }
        if (!name)
            break;
        printf("%s: the best kernel of each number of steps a launch, in updates of grid "
               "points (all steps counted), and its trials:\n",
               name);
        json_array_foreach(depths, i, depth) print_depth(depth, d);
        if (best && number(best, d, "gpts") > 0)
            printf("best on %s: %s, %.3f GPts/s\n", name,
                   steps_text(best, "", steps) + (*steps == ' '),
                   number(best, d, "gpts"));
        best = NULL;
    }
}
