#include "cli/db/cmd_db.h"
#include "report/units.h"

enum { DEFAULT_TOP = 50 };

struct prune_args {
    const char *db;
    struct lift_db_prune what;
};

static const struct cli_option options[] = {
    {"db", 'D', "FILE", 0, "Prune this database (lift.db)",
     CLI_WORD(struct prune_args, db)},
    {"keep-top", 'k', "N", 0,
     "Keep all data of the N best trials of each problem and device (50)",
     CLI_NUMBER(struct prune_args, what.top, 1, INT64_MAX)},
    {"keep-failed-reasons", 0, NULL, 0,
     "Keep failed trials with their reasons. Without this option, a later exploration "
     "may try them again",
     CLI_FLAG(struct prune_args, what.keep_failures)},
    {0}};

static int prune(const struct prune_args *a)
{
    LIFT_OWNED(lift_db) *db = cli_db_open(a->db);
    struct lift_db_pruned out;
    char before[REPORT_UNITS], after[REPORT_UNITS];

    if (!db)
        return CLI_FAILED;
    if (!lift_db_prune(db, &a->what, &out))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    printf("%lld sources, %lld samples, %lld failed trials and the texts of %lld "
           "expressions are gone\n%s before, %s now\n",
           (long long)out.sources, (long long)out.samples, (long long)out.failures,
           (long long)out.exprs, report_bytes((double)out.bytes_before, before),
           report_bytes((double)out.bytes_after, after));
    return CLI_DONE;
}

static const struct cli_argp argp = {
    options, NULL, NULL,
    "Reduce the size of a database: delete sources, logs, samples and intermediate "
    "expressions, except those of the best trials and of final benchmarks.\vThe command "
    "keeps times, tunables and the rules of derivations."};

static int run(int argc, char **argv)
{
    struct prune_args a = {cli_default_db, {.top = DEFAULT_TOP}};

    return cli_parse(&argp, argc, argv, &a) ? CLI_USAGE : prune(&a);
}

const struct cli_command cli_db_prune = {"prune", "reduce the size of a database", run,
                                         &argp};
