#include "base/file.h"
#include "cli/db/cmd_db.h"
#include <string.h>

struct export_args {
    struct report_where where;
    int64_t best; /* 0: all */
    const char *folder, *t4, *view;
};

static const struct cli_option options[] = {
    {"csv", 'c', "DIR", 0,
     "All content as CSV files, one a table, in a new or empty folder; 'lift db import' "
     "reads it",
     CLI_WORD(struct export_args, folder)},
    {"best", 0, "N", 0,
     "With --csv: of each problem and device the N best expressions with their best "
     "numbers only, and no sources",
     CLI_NUMBER(struct export_args, best, 1, INT64_MAX)},
    {"t4", 't', "FILE", 0,
     "The tries of one problem on one device as JSON in the T4 format for auto-tuning "
     "results",
     CLI_WORD(struct export_args, t4)},
    {"view", 'v', "NAME", 0, "Print one view as CSV: best, tries, timings or families",
     CLI_WORD(struct export_args, view)},
    CLI_WHERE(struct export_args, where),
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct export_args *a = state->input;

    switch (key) {
    case ARGP_KEY_END:
        if (a->best && !a->folder)
            argp_error(state, "--best needs --csv");
        if (!!a->folder + !!a->t4 + !!a->view != 1)
            argp_error(state, "one of --csv, --t4 and --view");
        if (!a->t4 && (a->where.program || a->where.device || a->where.size ||
                       a->where.precision || a->where.steps))
            argp_error(state,
                       "PROGRAM, --device, --size, --precision and --steps need --t4");
        return 0;
    default:
        return cli_set(options, key, arg, state);
    }
}

/* The problem and device that the options choose. */
struct choice {
    struct report_wanted wanted;
    int count;
    struct lift_hash problem, device;
    struct lift_str list; /* of all that fit, a line each */
};

static bool choose(void *user, const struct lift_db_explored *row)
{
    struct choice *c = user;

    if (!report_sizes_agree(c->wanted.sizes, c->wanted.size_count, row->sizes))
        return true;
    c->count++;
    c->problem = row->problem;
    c->device = row->device_id;
    lift_str_add(&c->list, "\n  ");
    cli_add_subject(&c->list,
                    &(struct cli_subject){row->program, row->sizes, row->dtype,
                                          row->device, row->runtime, row->steps});
    return true;
}

static int write_t4(struct lift_db *db, const struct choice *c, const char *path)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_file_out out = {.file = stdout};
    bool std = !strcmp(path, "-"), good;

    if (!std && !lift_file_create(path, &out, &why))
        return cli_fail(CLI_FAILED, "cannot write '%s': %s", path, lift_str_get(&why));
    good = lift_db_export_t4(db, c->problem, c->device, out.file);
    if (!std && !good)
        lift_file_drop(&out);
    else if (!std && !lift_file_finish(&out, false, &why))
        return cli_fail(CLI_FAILED, "cannot write '%s': %s", path, lift_str_get(&why));
    return good ? CLI_DONE : cli_fail(CLI_FAILED, "%s", lift_db_error(db));
}

static int export_chosen(struct lift_db *db, const struct export_args *a,
                         struct choice *c)
{
    if (!lift_db_explored(db, &c->wanted.filter, choose, c))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    if (c->count == 0)
        return cli_nothing(db, "tries", REPORT_ROWS_EXPLORED, &c->wanted);
    if (c->count > 1)
        return cli_fail(CLI_USAGE, CLI_SEVERAL, c->count, "problems",
                        lift_str_get(&c->list));
    return write_t4(db, c, a->t4);
}

static int export_t4(struct lift_db *db, const struct export_args *a)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct choice c = {.count = 0};
    int status = CLI_USAGE;

    if (cli_wanted(db, arena, &a->where, &c.wanted, &status))
        status = export_chosen(db, a, &c);
    lift_str_fini(&c.list);
    return status;
}

static int print_view(struct lift_db *db, const char *name)
{
    static const char *const names[] = {[LIFT_DB_CSV_BEST] = "best",
                                        [LIFT_DB_CSV_TRIES] = "tries",
                                        [LIFT_DB_CSV_TIMINGS] = "timings",
                                        [LIFT_DB_CSV_FAMILIES] = "families",
                                        NULL};

    for (int i = 0; names[i]; i++)
        if (!strcmp(name, names[i]))
            return lift_db_export_csv(db, (enum lift_db_csv)i, stdout)
                       ? CLI_DONE
                       : cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    return cli_no_such(name, names,
                       "--view takes 'best', 'tries', 'timings' or 'families', not '%s'",
                       name);
}

static int export_csv(struct lift_db *db, const struct export_args *a)
{
    bool good = a->best ? lift_db_export_best(db, a->folder, a->best)
                        : lift_db_export(db, a->folder);

    return good ? CLI_DONE : cli_fail(CLI_FAILED, "%s", lift_db_error(db));
}

static int export(const struct export_args *a)
{
    LIFT_OWNED(lift_db) *db = cli_open(a->where.db);

    if (!db)
        return CLI_FAILED;
    if (a->view)
        return print_view(db, a->view);
    return a->folder ? export_csv(db, a) : export_t4(db, a);
}

static const struct cli_argp argp = {
    options, parse, "[PROGRAM | FILE.lift]",
    "Write what is in the database in other formats."
    "\vPROGRAM, --device, --size and --precision are for "
    "--t4.",
    &cli_where_argp};

static int run(int argc, char **argv)
{
    struct export_args a = {.folder = NULL};

    return cli_parse(&argp, argc, argv, &a) ? CLI_USAGE : export(&a);
}

const struct cli_command cli_db_export = {"export", "write CSV or T4 JSON", run, &argp};
