/* The options that select rows of the database. */
#include "cli/cli.h"
#include "tuner/db_report.h"
#include <string.h>

/* ---- options */

static const struct cli_option options[] = {
    {"db", 'D', "FILE", 0, "Read this database (lift.db)",
     CLI_WORD(struct report_where, db)},
    {"device", 'd', "NAME", 0, "Select devices by a part of their name or runtime",
     CLI_WORD(struct report_where, device)},
    {"size", 's', "NAME=N,...", 0, "Select problems of these sizes",
     CLI_WORD(struct report_where, size)},
    {"precision", 0, "single|double", 0,
     "Select problems of this precision. A FILE.lift is read in this precision",
     CLI_DTYPE(struct report_where, precision, dtype)},
    {"steps", 0, "N", 0,
     "Select kernels that compute N time steps in each launch. A FILE.lift is read as "
     "such a program",
     CLI_STEPS_SETTING(struct report_where)},
    CLI_ONE(struct report_where, program, "program"),
    {0}};

const struct cli_argp cli_where_argp = {.options = options};

/* ---- programs */

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);

    return len >= tail && !strcmp(text + len - tail, end);
}

bool cli_is_file(const char *text)
{
    return text && ends_with(text, ".lift");
}

/* Returns NULL after a message. */
static const char *name_in_file(struct lift_arena *arena, const char *text)
{
    struct lift_source source;
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_ir *ir;
    const struct lift_program *program;
    const char *name = NULL;

    if (!lift_source_load(text, &source, &errors)) {
        cli_malformed(&errors);
        return NULL;
    }
    ir = lift_ir_create();
    program = lift_program_load_general(&ir, &source, NULL, &errors);
    if (program)
        name = lift_arena_strdup(arena, program->name);
    else
        lift_error_print(&errors, stderr);
    lift_ir_destroy(ir);
    lift_source_free(&source);
    return name;
}

struct name_search {
    const char *name;
    bool found;
};

static bool take_name(void *user, const struct lift_db_problem_row *row)
{
    struct name_search *s = user;

    s->found = strcmp(row->program, s->name) == 0;
    return !s->found;
}

static bool is_name(struct lift_db *db, const char *text, bool *is)
{
    struct name_search s = {.name = text};
    bool good =
        lift_db_problems(db, &(struct lift_db_filter){.program = text}, take_name, &s);

    *is = s.found;
    return good;
}

bool cli_program(struct lift_db *db, struct lift_arena *arena, const char *text,
                 const char **out, int *status)
{
    char hex[LIFT_HASH_HEX];
    struct lift_hash id;
    bool is = false;

    *out = text;
    *status = CLI_USAGE;
    if (cli_is_file(text))
        return (*out = name_in_file(arena, text)) != NULL;
    *status = CLI_FAILED;
    if (!text || !lift_hash_is_short(text) || (is_name(db, text, &is) && is))
        return true;
    if (!lift_db_find(db, LIFT_DB_ID_PROGRAM, text, &id))
        return CLI_REFUSE("%s", lift_db_error(db));
    *out = lift_arena_strdup(arena, lift_hash_hex(id, hex));
    return true;
}

bool cli_wanted(struct lift_db *db, struct lift_arena *arena,
                const struct report_where *where, struct report_wanted *out, int *status)
{
    *out = (struct report_wanted){
        .where = where,
        .filter = {NULL, NULL, where->device, where->dtype, where->steps}};
    *status = CLI_USAGE;
    return cli_sizes(arena, where->size, &out->sizes, &out->size_count) &&
           cli_program(db, arena, where->program, &out->filter.program, status);
}
