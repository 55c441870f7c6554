#include "report/commands.h"
#include "base/json.h"
#include "report/shell.h"
#include "tuner/db_report.h"
#include <string.h>

/* ---- naming a program */

struct naming {
    struct lift_arena *arena;
    struct lift_hash problem, program;
    const char *name, *dtype;
    int steps;
    bool shared, shared_dtype, shared_steps; /* with another program */
};

static bool find_problem(void *user, const struct lift_db_problem_row *row)
{
    struct naming *n = user;

    if (!lift_hash_equal(row->id, n->problem))
        return true;
    n->program = row->program_id;
    n->name = lift_arena_strdup(n->arena, row->program);
    n->dtype = lift_arena_strdup(n->arena, row->dtype);
    n->steps = row->steps;
    return false;
}

static bool compare(void *user, const struct lift_db_problem_row *row)
{
    struct naming *n = user;

    if (strcmp(row->program, n->name) != 0 ||
        lift_hash_equal(row->program_id, n->program))
        return true;
    n->shared = true;
    n->shared_dtype |= strcmp(row->dtype, n->dtype) == 0;
    n->shared_steps |= row->steps == n->steps;
    return true;
}

static const char *precision_of(const char *dtype)
{
    return !strcmp(dtype, "f32") ? "single" : !strcmp(dtype, "f64") ? "double" : NULL;
}

bool report_named(struct lift_db *db, struct lift_arena *arena, struct lift_hash problem,
                  struct report_named *out)
{
    struct naming n = {.arena = arena, .problem = problem, .name = "", .dtype = ""};
    struct lift_db_filter filter = {.program = NULL};
    char hex[LIFT_HASH_HEX];

    *out = (struct report_named){.program = ""};
    if (!lift_db_problems(db, &filter, find_problem, &n))
        return false;
    filter.program = n.name;
    if (!lift_db_problems(db, &filter, compare, &n))
        return false;
    out->program = n.name;
    if (n.shared && !n.shared_dtype)
        out->precision = precision_of(n.dtype);
    else if (n.shared && !n.shared_steps)
        out->steps = n.steps;
    if (n.shared && !out->precision && !out->steps)
        out->program = lift_arena_printf(arena, "%.*s", LIFT_HASH_SHORT,
                                         lift_hash_hex(n.program, hex));
    return true;
}

/* ---- lines */

static void add_option(struct lift_str *out, const char *option, const char *value)
{
    lift_str_addf(out, " %s ", option);
    report_quote(out, value);
}

static void add_sizes(struct lift_str *out, const char *sizes)
{
    json_t *object = lift_json_read(sizes, 0), *value;
    LIFT_SCOPED(lift_str) list = {0};
    const char *name;

    json_object_foreach(object, name, value)
        lift_str_addf(&list, "%s%s=%lld", list.len ? "," : "", name,
                      (long long)json_integer_value(value));
    if (list.len)
        add_option(out, "--size", lift_str_get(&list));
    json_decref(object);
}

static void add_program(struct lift_str *out, const struct report_named *program)
{
    report_quote(out, program->program);
    if (program->precision)
        add_option(out, "--precision", program->precision);
    if (program->steps)
        lift_str_addf(out, " --steps %d", program->steps);
}

void report_emit_command(const struct report_named *program, const char *db,
                         const char *device, const char *sizes, struct lift_str *out)
{
    lift_str_add(out, "lift best ");
    add_program(out, program);
    add_option(out, "--db", db);
    add_option(out, "--device", device);
    add_sizes(out, sizes);
    lift_str_add(out, " --emit source");
}

void report_final_command(const struct report_retiming *of, struct lift_str *out)
{
    lift_str_add(out, "lift explore ");
    report_quote(out, of->file);
    if (of->precision)
        add_option(out, "--precision", of->precision);
    if (of->steps > 1)
        lift_str_addf(out, " --steps %d", of->steps);
    add_option(out, "--db", of->db);
    add_option(out, "--device", of->device);
    add_sizes(out, of->sizes);
    lift_str_add(out, " --only-final-benchmark");
}

void report_show_command(const struct report_named *program, const char *db,
                         struct lift_str *out)
{
    lift_str_add(out, "lift show ");
    add_program(out, program);
    add_option(out, "--db", db);
}

void report_report_command(const char *db, struct lift_str *out)
{
    lift_str_add(out, "lift report ");
    report_quote(out, db);
}
