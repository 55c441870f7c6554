#include "cli/db/cmd_db.h"

enum { ALL = 256 };

struct doctor_args {
    const char *db;
    enum lift_db_repair repair;
};

static const struct cli_option options[] = {
    {"db", 'D', "FILE", 0, "Check this database (lift.db)"},
    {"repair", 'r', NULL, 0, "Repair errors, and compact the file"},
    {"close-all", ALL, NULL, 0,
     "With --repair: also end the sessions of other machines. Use it only if none of "
     "them still runs"},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct doctor_args *a = state->input;

    switch (key) {
    case 'D':
        a->db = arg;
        return 0;
    case 'r':
        if (a->repair == LIFT_DB_LOOK)
            a->repair = LIFT_DB_REPAIR;
        return 0;
    case ALL:
        a->repair = LIFT_DB_REPAIR_ALL;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_finding(void *user, enum lift_db_health health, const char *what)
{
    static const char *const names[] = {[LIFT_DB_OK] = "ok",
                                        [LIFT_DB_NOTE] = "note",
                                        [LIFT_DB_ERROR] = "error",
                                        [LIFT_DB_REPAIRED] = "repaired"};

    (void)user;
    printf("%-8s  %s\n", names[health], what);
}

static const struct cli_argp argp = {
    options, parse, NULL,
    "Check the pages, references, texts, sessions and trials of a database.\vThe exit "
    "status is 1 if the database has an error that was not repaired."};

static int run(int argc, char **argv)
{
    struct doctor_args a = {cli_default_db, LIFT_DB_LOOK};
    struct lift_db *db;
    bool well;

    cli_parse(&argp, argc, argv, &a);
    db = cli_db_open_for(a.db, a.repair == LIFT_DB_LOOK ? LIFT_DB_INSPECT
                                                        : LIFT_DB_WRITE_DAMAGED);
    if (!db)
        return CLI_FAILED;
    well = lift_db_doctor(db, a.repair, print_finding, NULL);
    lift_db_close(db);
    return well ? CLI_DONE : CLI_FAILED;
}

const struct cli_command cli_db_doctor = {"doctor", "check and repair a database", run,
                                          &argp};
