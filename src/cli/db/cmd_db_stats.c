#include "cli/db/cmd_db.h"
#include "report/units.h"
#include <string.h>

struct stats_args {
    const char *db;
};

static const struct cli_option options[] = {{"db", 'D', "FILE", 0,
                                             "Read this database (lift.db)",
                                             CLI_WORD(struct stats_args, db)},
                                            {0}};

struct sums {
    int64_t bytes, trials;
    bool sized;
};

static bool print_table(void *user, const struct lift_db_table_stats *row)
{
    struct sums *s = user;
    char text[REPORT_UNITS];

    printf("  %-14s %12lld  %12s\n", row->table, (long long)row->rows,
           row->bytes < 0 ? "?" : report_bytes((double)row->bytes, text));
    s->sized = row->bytes >= 0;
    if (s->sized)
        s->bytes += row->bytes;
    if (!strcmp(row->table, "trial"))
        s->trials = row->rows;
    return true;
}

static bool print_status(void *user, const struct lift_db_status_stats *row)
{
    (void)user;
    printf("  %-16s %-32s %-16s %10lld\n", row->program, row->device, row->status,
           (long long)row->trials);
    return true;
}

static int print(const char *path)
{
    LIFT_OWNED(lift_db) *db = cli_open(path);
    struct sums sums = {0};
    char text[REPORT_UNITS];

    if (!db)
        return CLI_FAILED;
    puts("table                    rows         bytes");
    if (!lift_db_table_stats(db, print_table, &sums))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    if (sums.trials && sums.sized)
        printf("%lld trials, %s a trial, its rows in all tables included\n",
               (long long)sums.trials,
               report_bytes((double)sums.bytes / (double)sums.trials, text));
    puts("program            device                           status                "
         "trials");
    if (!lift_db_status_stats(db, print_status, NULL))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    return CLI_DONE;
}

static const struct cli_argp argp = {
    options, NULL, NULL,
    "Show the rows and bytes of each table of a database, and its trials by program, "
    "device and status."};

static int run(int argc, char **argv)
{
    struct stats_args a = {cli_default_db};

    cli_parse(&argp, argc, argv, &a);
    return print(a.db);
}

const struct cli_command cli_db_stats = {"stats", "show the rows and bytes of tables",
                                         run, &argp};
