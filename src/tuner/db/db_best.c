/* A selection of a database: the best kernels, and what is needed to make them again. */
#include "lift/db_tools.h"
#include "tuner/db/db_tables.h"

/* The final of each problem and device that named its winner, if one did. */
static const char final_sql[] =
    "CREATE TEMP TABLE best_winner AS SELECT w.problem AS problem, w.device AS device,"
    " w.try AS try, t.median_ns AS ns FROM winner w JOIN try t ON t.id = w.try;"
    "CREATE TEMP TABLE best_final AS SELECT f.session AS session, f.problem AS problem,"
    " f.device AS device, f.place AS place, f.try AS try, t.candidate AS candidate"
    " FROM finalist f JOIN try t ON t.id = f.try WHERE f.session ="
    " (SELECT n.session FROM finalist n JOIN session s ON s.id = n.session"
    "  JOIN verified v ON v.try = n.try"
    "  WHERE n.problem = f.problem AND n.device = f.device"
    "  ORDER BY s.started DESC, s.id DESC LIMIT 1);"
    "CREATE TEMP TABLE best_try(id TEXT PRIMARY KEY) WITHOUT ROWID";

/* The winner, the others of its final by their places, then what the search measured.
 * What seemed faster than the winner, and lost the final or was not in it, stays out: the
 * winner must win here, too. */
static const char try_sql[] =
    "INSERT INTO best_try SELECT id FROM (SELECT id, row_number() OVER"
    "  (PARTITION BY problem, device ORDER BY merit, ns, id) AS place FROM"
    " (SELECT *, row_number() OVER (PARTITION BY problem, device, expr"
    "   ORDER BY merit, ns, id) AS turn FROM"
    "  (SELECT t.id AS id, t.problem AS problem, t.device AS device, c.expr AS expr,"
    "    t.median_ns AS ns, iif(t.id = w.try, 0, ifnull(f.place, 1000)) AS merit"
    "   FROM best_winner w JOIN try t ON t.problem = w.problem AND t.device = w.device"
    "   JOIN verified v ON v.try = t.id JOIN candidate c ON c.id = t.candidate"
    "   LEFT JOIN best_final f ON f.try = t.id"
    "   WHERE t.id = w.try OR f.try IS NOT NULL OR (t.median_ns >= w.ns"
    "    AND NOT EXISTS (SELECT 1 FROM best_final b WHERE b.candidate = t.candidate"
    "     AND b.problem = t.problem AND b.device = t.device))))"
    " WHERE turn = 1) WHERE place <= ?";

static const char way_sql[] =
    "CREATE TEMP TABLE best_expr(id TEXT PRIMARY KEY) WITHOUT ROWID;"
    "INSERT INTO best_expr WITH RECURSIVE way(id) AS ("
    " SELECT c.expr FROM best_try b JOIN try t ON t.id = b.id"
    "  JOIN candidate c ON c.id = t.candidate"
    " UNION SELECT p.root FROM best_try b JOIN try t ON t.id = b.id"
    "  JOIN problem p ON p.id = t.problem"
    " UNION SELECT f.parent FROM way JOIN first_deriv f ON f.child = way.id)"
    "SELECT id FROM way";

static const char end_sql[] =
    "DROP TABLE IF EXISTS temp.best_winner; DROP TABLE IF EXISTS temp.best_final;"
    "DROP TABLE IF EXISTS temp.best_try; DROP TABLE IF EXISTS temp.best_expr";

#define OF_TRIES(column) "(SELECT " column " FROM try WHERE id IN best_try)"

/* In the order of db_table_names. */
static const char *const wanted[DB_TABLES] = {
    "id IN " OF_TRIES("device"),
    "id IN (SELECT program FROM problem WHERE id IN " OF_TRIES("problem") ")",
    "id IN best_expr",
    "id IN " OF_TRIES("problem"),
    "child IN best_expr AND (child, parent, rule, position, args) IN"
    " (SELECT child, parent, rule, position, args FROM first_deriv"
    "  WHERE child IN best_expr)",
    "child IN best_expr AND parent IN best_expr",
    "expr IN (SELECT expr FROM candidate WHERE id IN " OF_TRIES("candidate") ")",
    "id IN " OF_TRIES("candidate"),
    "id IN " OF_TRIES("session"),
    "id IN " OF_TRIES("env"),
    "id IN (SELECT source FROM build WHERE id IN " OF_TRIES("build") ")",
    "id IN " OF_TRIES("build"),
    "id IN best_try",
    "try IN best_try",
    "try IN best_try",
    "(session, try) IN (SELECT session, try FROM best_final) AND try IN best_try",
    "false",
    "false",
};

/* Sources and logs can be made again, the texts between a program and its kernel, too;
 * which machine it was is nobody's business. */
static const char strip_sql[] =
    "UPDATE source SET text = NULL, bytes = 0;UPDATE build SET log = NULL, log_bytes = "
    "0;UPDATE expr SET text = '', bytes = 0 WHERE id NOT IN (SELECT expr FROM candidate) "
    "AND id NOT IN (SELECT root FROM problem);UPDATE session SET host = '', boot = '', "
    "pid = 0, born = ''";

static bool choose(struct lift_db *db, int64_t most)
{
    return db_exec(db, final_sql, "read") && db_run(db, try_sql, most) &&
           db_exec(db, way_sql, "read");
}

static bool copy(struct lift_db *to, struct lift_db *from)
{
    bool good = lift_db_begin(to);

    if (!good)
        return false;
    for (int i = 0; i < DB_TABLES && good; i++)
        good = db_table_copy(to, from, i, wanted[i]);
    good = good && db_exec(to, strip_sql, "write");
    if (!good) {
        lift_db_rollback(to);
        return false;
    }
    return lift_db_commit(to);
}

/* Temporary tables are none of the file's. */
bool lift_db_merge_best(struct lift_db *to, struct lift_db *from, int64_t most)
{
    bool good = db_exec(from, "PRAGMA query_only = 0; BEGIN", "read");

    if (!good || !choose(from, most))
        good = db_failf(to, "%s", lift_db_error(from));
    good = good && copy(to, from);
    sqlite3_exec(from->handle, end_sql, NULL, NULL, NULL);
    sqlite3_exec(from->handle, "END", NULL, NULL, NULL);
    if (from->read_only)
        sqlite3_exec(from->handle, "PRAGMA query_only = 1", NULL, NULL, NULL);
    return good;
}
