#include "cli/cli.h"
#include "explore/explore.h"
#include "tuner/worker.h"
#include <math.h>
#include <string.h>

struct devices_args {
    bool measure, json;
};

static const struct cli_option options[] = {
    {"measure", 'm', NULL, 0,
     "Measure the copy bandwidth of each device, in about 1 s each",
     CLI_FLAG(struct devices_args, measure)},
    {"json", 'j', NULL, 0, "Print JSON", CLI_FLAG(struct devices_args, json)},
    {0}};

/* A worker queries the drivers, since drivers may crash. The reply is a number and a
 * text. */
static void count_devices(void *user, void **state, const void *request, size_t size,
                          struct lift_str *reply)
{
    const struct lift_runtime *const *runtime = user;
    LIFT_SCOPED(lift_str) why = {0};
    int count = (*runtime)->count(&why);

    (void)state, (void)request, (void)size;
    lift_str_addn(reply, (const char *)&count, sizeof count);
    lift_str_addn(reply, lift_str_get(&why), why.len + 1);
}

static int ask_count(const struct lift_runtime *runtime, struct lift_str *why)
{
    struct lift_worker *worker = lift_worker_create(count_devices, &runtime);
    LIFT_SCOPED(lift_str) reply = {0};
    int count = 0;

    if (lift_worker_call(worker, "", 1, 60, &reply).end != LIFT_WORKER_OK) {
        lift_str_add(why, "its driver crashed or did not answer");
    } else {
        memcpy(&count, reply.data, sizeof count);
        lift_str_add(why, reply.data + sizeof count);
    }
    lift_worker_stop(worker);
    return count;
}

/* Prints a device, or the targets that a compiler builds for without a device. */
static void print_device(const json_t *d)
{
    const json_t *targets = json_object_get(d, "targets"), *target;
    size_t i;

    printf("%-10s ", cli_text(d, "device"));
    if (targets) {
        printf("builds only, by %s, for\n          ", cli_text(d, "compiler"));
        json_array_foreach(targets, i, target) printf(" %s", json_string_value(target));
        putchar('\n');
        return;
    }
    if (*cli_text(d, "why")) {
        printf("unavailable: %s\n", cli_text(d, "why"));
        return;
    }
    printf("%s\n           vendor %s, driver %s\n", cli_text(d, "name"),
           cli_text(d, "vendor"), cli_text(d, "driver"));
    printf("           %s, %s\n", cli_text(d, "arch"), cli_text(d, "compiler"));
    printf("           %.0f compute units", cli_number(d, "compute_units"));
    if (cli_number(d, "memory_domains") > 1)
        printf(" in %.0f memory domains", cli_number(d, "memory_domains"));
    printf(", %.0f MiB of memory", floor(cli_number(d, "global_bytes") / 0x1p20));
    if (cli_number(d, "max_group_size") > 0)
        printf(", groups of %.0f, %.0f KiB local", cli_number(d, "max_group_size"),
               floor(cli_number(d, "local_bytes") / 0x1p10));
    if (cli_number(d, "copy_gbs") > 0)
        printf("\n           %.1f GB/s copy bandwidth", cli_number(d, "copy_gbs"));
    putchar('\n');
}

/* Adds the device to the list, or prints the device if 'list' is NULL. */
static void show(json_t *device, json_t *list)
{
    if (list)
        json_array_append(list, device);
    else
        print_device(device);
    json_decref(device);
}

static void unavailable(const char *name, const char *why, json_t *list)
{
    show(json_pack("{s:s, s:b, s:o}", "device", name, "available", 0, "why",
                   cli_string(why)),
         list);
}

static void show_device(const char *name, bool measure, json_t *list)
{
    struct lift_explore_device d;
    const struct lift_device_info *i = &d.info;
    LIFT_SCOPED(lift_str) why = {0};

    if (!lift_explore_device(name, measure, &d, &why)) {
        unavailable(name, lift_str_get(&why), list);
        return;
    }
    show(json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:I, s:I, s:i, s:f}",
                   "device", name, "available", 1, "name", cli_string(i->name), "vendor",
                   cli_string(i->vendor), "driver", cli_string(i->driver), "arch",
                   cli_string(i->arch), "compiler", cli_string(i->compiler),
                   "compute_units", i->compute_units, "max_group_size", i->max_group_size,
                   "local_bytes", (json_int_t)i->local_bytes, "global_bytes",
                   (json_int_t)i->global_bytes, "memory_domains", i->memory_domains,
                   "copy_gbs", d.copy_gbs),
         list);
    lift_explore_device_fini(&d);
}

/* Shows the targets of a runtime, if its compiler is available. */
static void show_targets(const struct lift_runtime *runtime, json_t *list)
{
    struct lift_explore_device d;
    LIFT_SCOPED(lift_str) why = {0};
    json_t *targets;
    char name[64];

    snprintf(name, sizeof name, "%s:%s", runtime->name, runtime->target(0));
    if (!lift_explore_device(name, false, &d, &why))
        return;
    targets = json_array();
    for (int i = 0; runtime->target(i); i++)
        json_array_append_new(targets, json_string(runtime->target(i)));
    snprintf(name, sizeof name, "%s:ARCH", runtime->name);
    show(json_pack("{s:s, s:b, s:b, s:o, s:o}", "device", name, "available", 0,
                   "builds_only", 1, "compiler", cli_string(d.info.compiler), "targets",
                   targets),
         list);
    lift_explore_device_fini(&d);
}

static void show_runtime(const struct lift_runtime *runtime, bool measure, json_t *list)
{
    LIFT_SCOPED(lift_str) why = {0};
    int count = ask_count(runtime, &why);

    if (count == 0)
        unavailable(runtime->name, lift_str_get(&why), list);
    for (int i = 0; i < count; i++) {
        LIFT_SCOPED(lift_str) name = {0};

        lift_device_name(runtime, i, &name);
        show_device(lift_str_get(&name), measure, list);
    }
    if (runtime->target)
        show_targets(runtime, list);
}

static const struct cli_argp argp = {options, NULL, NULL,
                                     "List the devices of this machine."};

static int run(int argc, char **argv)
{
    struct devices_args a = {.measure = false};
    json_t *list = NULL;

    cli_parse(&argp, argc, argv, &a);
    if (a.json)
        list = json_array();
    for (int i = 0; lift_runtimes[i]; i++)
        show_runtime(lift_runtimes[i], a.measure, list);
    if (list)
        cli_print_json(list);
    return CLI_DONE;
}

const struct cli_command cli_devices = {"devices", "list the devices of this machine",
                                        run, &argp};
