#include "cli/commands.h"
#include "cli/shell.h"
#include <jansson.h>

static void add_option(struct lift_str *out, const char *option, const char *value)
{
    lift_str_addf(out, " %s ", option);
    cli_quote(out, value);
}

static void add_sizes(struct lift_str *out, const char *sizes)
{
    json_t *object = json_loads(sizes, 0, NULL), *value;
    struct lift_str list = {0};
    const char *name;

    json_object_foreach(object, name, value)
        lift_str_addf(&list, "%s%s=%lld", list.len ? "," : "", name,
                      (long long)json_integer_value(value));
    if (list.len)
        add_option(out, "--size", lift_str_get(&list));
    lift_str_fini(&list);
    json_decref(object);
}

void cli_emit_command(const char *program, const char *db, const char *device,
                      const char *sizes, struct lift_str *out)
{
    lift_str_add(out, "lift best ");
    cli_quote(out, program);
    add_option(out, "--db", db);
    add_option(out, "--device", device);
    add_sizes(out, sizes);
    lift_str_add(out, " --emit source");
}

void cli_show_command(const char *program, const char *db, struct lift_str *out)
{
    lift_str_add(out, "lift show ");
    cli_quote(out, program);
    add_option(out, "--db", db);
}

void cli_report_command(const char *db, struct lift_str *out)
{
    lift_str_add(out, "lift report ");
    cli_quote(out, db);
}
