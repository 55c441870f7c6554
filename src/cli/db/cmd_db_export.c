#include "cli/db/cmd_db.h"
#include <string.h>

struct export_args {
    int64_t best; /* 0: all */
    const char *db, *folder, *view;
};

static const struct cli_option options[] = {
    {"csv", 'c', "DIR", 0,
     "Write each table to a CSV file in this new or empty folder, which 'lift db import' "
     "reads",
     CLI_WORD(struct export_args, folder)},
    {"best", 0, "N", 0,
     "With --csv: write only the N best expressions of each problem and device, each in "
     "its best configuration, without sources",
     CLI_NUMBER(struct export_args, best, 1, INT64_MAX)},
    {"view", 'v', "NAME", 0, "Print one view as CSV: best, trials, timings or families",
     CLI_WORD(struct export_args, view)},
    {"db", 'D', "FILE", 0, "Read this database (lift.db)", 1,
     CLI_WORD(struct export_args, db)},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct export_args *a = state->input;

    switch (key) {
    case ARGP_KEY_END:
        if (a->best && !a->folder)
            argp_error(state, "--best needs --csv");
        if (!!a->folder + !!a->view != 1)
            argp_error(state, "one of --csv and --view");
        return 0;
    default:
        return cli_set(options, key, arg, state);
    }
}

static int print_view(struct lift_db *db, const char *name)
{
    static const char *const names[] = {[LIFT_DB_CSV_BEST] = "best",
                                        [LIFT_DB_CSV_TRIALS] = "trials",
                                        [LIFT_DB_CSV_TIMINGS] = "timings",
                                        [LIFT_DB_CSV_FAMILIES] = "families",
                                        NULL};

    if (!strcmp(name, "tries")) {
        fputs("lift db export: view 'tries' is now called 'trials'\n", stderr);
        name = "trials";
    }
    for (int i = 0; names[i]; i++)
        if (!strcmp(name, names[i]))
            return lift_db_export_csv(db, (enum lift_db_csv)i, stdout)
                       ? CLI_DONE
                       : cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    return cli_no_such(name, names,
                       "--view takes 'best', 'trials', 'timings' or 'families', not '%s'",
                       name);
}

static int export(const struct export_args *a)
{
    LIFT_OWNED(lift_db) *db = cli_open(a->db);
    bool good;

    if (!db)
        return CLI_FAILED;
    if (a->view)
        return print_view(db, a->view);
    good = a->best ? lift_db_export_best(db, a->folder, a->best)
                   : lift_db_export(db, a->folder);
    return good ? CLI_DONE : cli_fail(CLI_FAILED, "%s", lift_db_error(db));
}

static const struct cli_argp argp = {
    options, parse, NULL,
    "Write a database as CSV."
    "\vtools/t4.py writes the trials of a problem as JSON in the T4 format."};

static int run(int argc, char **argv)
{
    struct export_args a = {.db = cli_default_db};

    return cli_parse(&argp, argc, argv, &a) ? CLI_USAGE : export(&a);
}

const struct cli_command cli_db_export = {"export", "write a database as CSV", run,
                                          &argp};
