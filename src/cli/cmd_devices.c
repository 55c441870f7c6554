#include "cli/cli.h"
#include "explore/explore.h"
#include "tuner/worker.h"
#include <string.h>

struct devices_args {
    bool measure, json;
};

static const struct cli_option options[] = {
    {"measure", 'm', NULL, 0, "Measure the copy bandwidth (about a second each)",
     CLI_FLAG(struct devices_args, measure)},
    {"json", 'j', NULL, 0, "Print JSON", CLI_FLAG(struct devices_args, json)},
    {0}};

/* Drivers may crash when they are asked, so a worker asks. The reply is a number and a
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

static void print_device(const char *name, const struct lift_explore_device *d)
{
    const struct lift_device_info *i = &d->info;

    printf("%-10s %s\n", name, i->name);
    printf("           vendor %s, driver %s\n", i->vendor, i->driver);
    printf("           %s, %s\n", i->arch, i->compiler);
    printf("           %d compute units, %lld MiB of memory", i->compute_units,
           (long long)(i->global_bytes >> 20));
    if (i->max_group_size)
        printf(", groups of %d, %lld KiB local", i->max_group_size,
               (long long)(i->local_bytes >> 10));
    if (d->copy_gbs > 0)
        printf("\n           %.1f GB/s copy bandwidth", d->copy_gbs);
    putchar('\n');
}

static json_t *device_json(const char *name, const struct lift_explore_device *d)
{
    const struct lift_device_info *i = &d->info;

    return json_pack(
        "{s:s, s:b, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:I, s:I, s:f}", "device", name,
        "available", 1, "name", i->name, "vendor", i->vendor, "driver", i->driver, "arch",
        i->arch, "compiler", i->compiler, "compute_units", i->compute_units,
        "max_group_size", i->max_group_size, "local_bytes", (json_int_t)i->local_bytes,
        "global_bytes", (json_int_t)i->global_bytes, "copy_gbs", d->copy_gbs);
}

static void unavailable(const char *name, const char *why, json_t *list)
{
    if (list)
        json_array_append_new(list, json_pack("{s:s, s:b, s:s}", "device", name,
                                              "available", 0, "why", why));
    else
        printf("%-10s unavailable: %s\n", name, why);
}

static void show_device(const char *name, bool measure, json_t *list)
{
    struct lift_explore_device d;
    LIFT_SCOPED(lift_str) why = {0};

    if (!lift_explore_device(name, measure, &d, &why)) {
        unavailable(name, lift_str_get(&why), list);
    } else {
        if (list)
            json_array_append_new(list, device_json(name, &d));
        else
            print_device(name, &d);
        lift_explore_device_fini(&d);
    }
}

static void add_targets(const struct lift_runtime *runtime, struct lift_str *out)
{
    for (int i = 0; runtime->target(i); i++)
        lift_str_addf(out, "%s%s", i ? " " : "", runtime->target(i));
}

static json_t *targets_json(const struct lift_runtime *runtime)
{
    json_t *list = json_array();

    for (int i = 0; runtime->target(i); i++)
        json_array_append_new(list, json_string(runtime->target(i)));
    return list;
}

/* What kernels can be built for without a device: all or none, by the compiler. */
static void show_targets(const struct lift_runtime *runtime, json_t *list)
{
    struct lift_explore_device d;
    LIFT_SCOPED(lift_str) why = {0}, names = {0};
    char name[64];

    snprintf(name, sizeof name, "%s:%s", runtime->name, runtime->target(0));
    if (!lift_explore_device(name, false, &d, &why))
        return;
    add_targets(runtime, &names);
    snprintf(name, sizeof name, "%s:ARCH", runtime->name);
    if (list)
        json_array_append_new(list, json_pack("{s:s, s:b, s:b, s:s, s:o}", "device", name,
                                              "available", 0, "builds_only", 1,
                                              "compiler", d.info.compiler, "targets",
                                              targets_json(runtime)));
    else
        printf("%-10s builds only, by %s, for\n           %s\n", name, d.info.compiler,
               lift_str_get(&names));
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
