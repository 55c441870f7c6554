#include "cli/db/cmd_db.h"

struct import_args {
    const char *db, *folder;
};

static const struct cli_option options[] = {
    {"db", 'D', "FILE", 0,
     "Import into this database, which is created if it does not exist (lift.db)",
     CLI_WORD(struct import_args, db)},
    CLI_ONE(struct import_args, folder, "folder"),
    CLI_NEEDED("which folder?"),
    {0}};

static const struct cli_argp argp = {
    options, NULL, "DIR",
    "Merge the folder that 'lift db export --csv DIR' wrote into a database.\vIf a file "
    "is malformed, the command imports nothing and creates no database."};

static int run(int argc, char **argv)
{
    struct import_args a = {.db = cli_default_db};
    struct lift_db_gain gain;
    struct lift_db *db;
    struct cli_bandwidths bandwidths;
    int status = CLI_DONE;
    bool made;

    cli_parse(&argp, argc, argv, &a);
    db = cli_db_create(a.db, &made);
    if (!db)
        return CLI_FAILED;
    if (cli_read_bandwidths(db, &bandwidths) && lift_db_import(db, a.folder, &gain)) {
        printf("%s: %lld new trials, %lld new rows\n", a.folder, (long long)gain.trials,
               (long long)gain.rows);
        cli_compare_bandwidths(&bandwidths, a.db, db, a.folder);
    } else {
        status = cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    }
    cli_bandwidths_fini(&bandwidths);
    cli_db_close_made(db, a.db, made, status == CLI_DONE);
    return status;
}

const struct cli_command cli_db_import = {"import", "read the folder of export --csv",
                                          run, &argp};
