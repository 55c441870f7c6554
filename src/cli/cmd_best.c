#include "cli/cli.h"
#include <string.h>

enum emit { EMIT_NONE, EMIT_SOURCE, EMIT_EXPR };

struct best_args {
    struct cli_where where;
    const char *program;
    enum emit emit;
    bool json;
};

static const struct argp_option options[] = {
    {"emit", 'e', "WHAT", 0, "Print the kernel's source, or its expr", 0},
    {"json", 'j', NULL, 0, "Print JSON", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct best_args *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->where;
        return 0;
    case 'e':
        if (!strcmp(arg, "source"))
            a->emit = EMIT_SOURCE;
        else if (!strcmp(arg, "expr"))
            a->emit = EMIT_EXPR;
        else
            argp_error(state, "--emit takes 'source' or 'expr', not '%s'", arg);
        return 0;
    case 'j':
        a->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->program)
            argp_error(state, "one program at a time");
        a->program = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct best_rows {
    const struct best_args *args;
    struct lift_db *db;
    const struct lift_size_setting *sizes;
    int size_count, count;
    struct lift_hash try, expr; /* of the last */
    json_t *list;
};

static bool take_row(void *user, const struct lift_db_best *row)
{
    struct best_rows *r = user;

    if (!cli_sizes_agree(r->sizes, r->size_count, row->sizes))
        return true;
    r->count++;
    r->try = row->try;
    r->expr = row->expr;
    if (r->list)
        json_array_append_new(r->list, cli_best_json(r->db, row));
    else if (r->args->emit == EMIT_NONE)
        cli_print_best(r->db, row);
    return true;
}

static int emit(const struct best_rows *r)
{
    char hex[LIFT_HASH_HEX];
    struct lift_str text = {0};
    bool source = r->args->emit == EMIT_SOURCE, done;

    if (r->count > 1)
        return cli_fail(CLI_USAGE,
                        "%d kernels fit: choose one by program, --device and --size",
                        r->count);
    done = lift_db_text(r->db, source ? LIFT_DB_TEXT_SOURCE : LIFT_DB_TEXT_EXPR,
                        lift_hash_hex(source ? r->try : r->expr, hex), &text);
    if (done)
        fputs(lift_str_get(&text), stdout);
    lift_str_fini(&text);
    return done ? CLI_DONE : cli_fail(CLI_FAILED, "%s", lift_db_error(r->db));
}

static int show(struct best_rows *r, const char *program)
{
    struct lift_db_filter filter = {.program = program, .device = r->args->where.device};

    if (r->args->json)
        r->list = json_array();
    if (!lift_db_best(r->db, &filter, take_row, r)) {
        json_decref(r->list);
        return cli_fail(CLI_FAILED, "%s", lift_db_error(r->db));
    }
    if (r->list)
        cli_print_json(r->list);
    if (r->count == 0)
        return cli_fail(CLI_FAILED, "no verified kernel%s%s%s in the database",
                        program ? " of '" : "", program ? program : "",
                        program ? "'" : "");
    return r->args->emit == EMIT_NONE ? CLI_DONE : emit(r);
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = {{&cli_where_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "[PROGRAM | FILE.lift]",
                                     "Show the best verified kernels of the database.",
                                     children,
                                     NULL,
                                     NULL};
    struct best_args a = {.program = NULL};
    struct lift_arena *arena = lift_arena_create();
    struct best_rows rows = {.args = &a};
    const char *program;
    int status = CLI_USAGE;

    argp_parse(&argp, argc, argv, 0, NULL, &a);
    program = a.program ? cli_program_name(arena, a.program) : NULL;
    if ((program || !a.program) &&
        cli_sizes(arena, a.where.size, &rows.sizes, &rows.size_count)) {
        rows.db = cli_open(a.where.db);
        status = rows.db ? show(&rows, program) : CLI_FAILED;
        if (rows.db)
            lift_db_close(rows.db);
    }
    lift_arena_destroy(arena);
    return status;
}

const struct cli_command cli_best = {"best", "show the best kernels of a database", run};
