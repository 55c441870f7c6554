#include "cli/cli.h"
#include "lift/utf8.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char cli_default_db[] = "lift.db";

int cli_fail(int status, const char *format, ...)
{
    struct lift_str text = {0}, shown = {0};
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    lift_utf8_add(&shown, lift_str_get(&text), text.len);
    fprintf(stderr, "lift: %s\n", lift_str_get(&shown));
    lift_str_fini(&text);
    lift_str_fini(&shown);
    return status;
}

int cli_malformed(struct lift_diags *diags)
{
    lift_diags_print(diags, stderr);
    lift_diags_fini(diags);
    return CLI_USAGE;
}

bool cli_integer(const char *what, const char *text, int64_t lo, int64_t hi, int64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoll(text, &end, 10);
    if (!errno && end != text && !*end && *out >= lo && *out <= hi)
        return true;
    cli_fail(CLI_USAGE, "%s '%s' is not a whole number from %lld to %lld", what, text,
             (long long)lo, (long long)hi);
    return false;
}

bool cli_positive(const char *what, const char *text, double *out)
{
    char *end;

    errno = 0;
    *out = strtod(text, &end);
    if (!errno && end != text && !*end && isfinite(*out) && *out > 0)
        return true;
    cli_fail(CLI_USAGE, "%s '%s' is not a positive number", what, text);
    return false;
}

/* ---- options of several commands */

static const struct argp_option where_options[] = {
    {"db", 'D', "FILE", 0, "The database (lift.db)", 0},
    {"device", 'd', "NAME", 0, "Only this device: a part of its name or runtime", 0},
    {"size", 's', "NAME=N,...", 0, "Only these sizes", 0},
    {0}};

static error_t parse_where(int key, char *arg, struct argp_state *state)
{
    struct cli_where *w = state->input;

    switch (key) {
    case 'D':
        w->db = arg;
        return 0;
    case 'd':
        w->device = arg;
        return 0;
    case 's':
        w->size = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (w->program)
            argp_error(state, "one program at a time");
        w->program = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_where_argp = {.options = where_options, .parser = parse_where};

struct lift_db *cli_open(const char *path)
{
    struct lift_str why = {0};
    struct lift_db *db = lift_db_open(path ? path : cli_default_db, LIFT_DB_READ, &why);

    if (!db)
        cli_fail(CLI_FAILED, "%s", lift_str_get(&why));
    else if (lift_db_newer(db))
        cli_fail(
            CLI_DONE,
            "warning: '%s' is of schema %d, newer than this program: it is only read",
            path ? path : cli_default_db, lift_db_newer(db));
    lift_str_fini(&why);
    return db;
}

void cli_warn_network(const char *path)
{
    const char *network = lift_db_network(path);

    if (network)
        cli_fail(CLI_DONE,
                 "warning: '%s' lies on a file system over the network (%s): writing is "
                 "slower there, and only one machine at a time should do it",
                 path, network);
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);

    return len >= tail && !strcmp(text + len - tail, end);
}

const char *cli_program_name(struct lift_arena *arena, const char *text)
{
    struct lift_source source;
    struct lift_diags diags = {0};
    struct lift_ir *ir;
    const struct lift_program *program;
    const char *name = NULL;

    if (!ends_with(text, ".lift"))
        return text;
    if (!lift_source_load(text, &source, &diags)) {
        cli_malformed(&diags);
        return NULL;
    }
    ir = lift_ir_create();
    program = lift_program_load(ir, &source,
                                &(struct lift_program_options){.symbolic = true}, &diags);
    if (program)
        name = lift_arena_strdup(arena, program->name);
    else
        lift_diags_print(&diags, stderr);
    lift_ir_destroy(ir);
    lift_diags_fini(&diags);
    lift_source_free(&source);
    return name;
}

bool cli_source(const char *path, const char *precision, struct lift_source *out,
                struct lift_diags *diags)
{
    enum lift_scalar scalar;

    if (!lift_source_load(path, out, diags))
        return false;
    if (!precision)
        return true;
    if (lift_precision_parse(precision, &scalar))
        return lift_source_precision(out, scalar, diags);
    lift_diags_add(diags, NULL, (struct lift_span){0, 0},
                   "--precision '%s': expected single or double", precision);
    return false;
}

const char *cli_of_type(const char *dtype)
{
    return strcmp(dtype, "f64") == 0   ? " of f64"
           : strcmp(dtype, "i32") == 0 ? " of i32"
                                       : "";
}

bool cli_sizes(struct lift_arena *arena, const char *text,
               const struct lift_size_setting **sizes, int *count)
{
    struct lift_diags diags = {0};

    *sizes = NULL;
    *count = 0;
    if (!text || lift_sizes_parse(arena, text, sizes, count, &diags))
        return true;
    cli_malformed(&diags);
    return false;
}

bool cli_sizes_agree(const struct lift_size_setting *sizes, int count, const char *json)
{
    json_t *object = json_loads(json, 0, NULL);
    bool agree = object != NULL;

    for (int i = 0; i < count && agree; i++) {
        const json_t *value = json_object_get(object, sizes[i].name);

        agree = json_is_integer(value) && json_integer_value(value) == sizes[i].value;
    }
    json_decref(object);
    return agree;
}

int cli_sizes_of(struct lift_arena *arena, const char *json,
                 struct lift_size_setting **out)
{
    json_t *object = json_loads(json, 0, NULL), *value;
    const char *name;
    int count = 0;

    *out = LIFT_NEW_ARRAY(arena, struct lift_size_setting, json_object_size(object) + 1);
    json_object_foreach(object, name, value)(*out)[count++] = (struct lift_size_setting){
        lift_arena_strdup(arena, name), json_integer_value(value)};
    json_decref(object);
    return count;
}
