/* Selects the best kernels of a database, and the rows needed to derive these again. */
#include "tuner/db/db_tables.h"
#include "tuner/db_tools.h"

#define OF_TRIALS(column) "(SELECT " column " FROM trial WHERE id IN best_trial)"

/* In the order of db_table_names. */
static const char *const wanted[DB_TABLES] = {
    "id IN " OF_TRIALS("device"),
    "id IN (SELECT program FROM problem WHERE id IN " OF_TRIALS("problem") ")",
    "id IN best_expr",
    "id IN " OF_TRIALS("problem"),
    "child IN best_expr AND (child, parent, rule, position, args) IN"
    " (SELECT child, parent, rule, position, args FROM first_deriv"
    "  WHERE child IN best_expr)",
    "child IN best_expr AND parent IN best_expr",
    "expr IN (SELECT expr FROM candidate WHERE id IN " OF_TRIALS("candidate") ")",
    "id IN " OF_TRIALS("candidate"),
    "id IN " OF_TRIALS("session"),
    "id IN " OF_TRIALS("env"),
    "id IN (SELECT source FROM build WHERE id IN " OF_TRIALS("build") ")",
    "id IN " OF_TRIALS("build"),
    "id IN best_trial",
    "trial IN best_trial",
    "trial IN best_trial",
    "(session, trial) IN (SELECT session, trial FROM best_final) AND trial IN best_trial",
    "false",
    "false",
};

static bool copy(struct lift_db *to, struct lift_db *from)
{
    bool good = lift_db_begin(to);

    if (!good)
        return false;
    for (int i = 0; i < DB_TABLES && good; i++)
        good = db_table_copy(to, from, i, wanted[i]);
    good = good && db_exec(to, db_sql[DB_STRIP], "write");
    return lift_db_end(to, good);
}

/* Allows writes to temporary tables, which do not change the file. */
bool lift_db_merge_best(struct lift_db *to, struct lift_db *from, int64_t most)
{
    bool good = db_exec(from, "PRAGMA query_only = 0; BEGIN", "read");

    if (!good || !db_exec(from, db_sql[DB_SELECT_FINALS], "read") ||
        !db_run(from, db_sql[DB_SELECT_TRIALS], most) ||
        !db_exec(from, db_sql[DB_SELECT_EXPRS], "read"))
        good = db_failf(to, "%s", lift_db_error(from));
    good = good && copy(to, from);
    sqlite3_exec(from->handle, db_sql[DB_SELECT_END], NULL, NULL, NULL);
    sqlite3_exec(from->handle, "END", NULL, NULL, NULL);
    if (from->read_only)
        sqlite3_exec(from->handle, "PRAGMA query_only = 1", NULL, NULL, NULL);
    return good;
}
