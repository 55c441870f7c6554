/* Making a database small. */
#include "lift/db_tools.h"
#include "tuner/db/db_tables.h"

/* The tries that are kept whole: the best of each problem and device, and finals. */
static const char keep_sql[] =
    "CREATE TEMP TABLE kept(try TEXT PRIMARY KEY) WITHOUT ROWID;"
    "INSERT OR IGNORE INTO kept SELECT try FROM winner;"
    "INSERT OR IGNORE INTO kept SELECT try FROM finalist;"
    "INSERT OR IGNORE INTO kept SELECT id FROM try WHERE status = 'started'";

static const char top_sql[] =
    "INSERT OR IGNORE INTO kept SELECT id FROM (SELECT t.id AS id, row_number() OVER"
    " (PARTITION BY t.problem, t.device ORDER BY t.median_ns, t.id) AS place"
    " FROM try t JOIN verified v ON v.try = t.id) WHERE place <= ?";

/* Sources are those of several builds, builds those of several tries. Of expressions
 * those on the ways to what is kept keep their text. */
static const char drop_sql[] =
    "CREATE TEMP TABLE kept_build(id TEXT PRIMARY KEY) WITHOUT ROWID;INSERT OR IGNORE "
    "INTO kept_build SELECT build FROM try WHERE build IS NOT NULL AND id IN (SELECT try "
    "FROM kept);DELETE FROM timing WHERE try NOT IN (SELECT try FROM kept);UPDATE build "
    "SET log = NULL, log_bytes = 0 WHERE log IS NOT NULL AND id NOT IN (SELECT id FROM "
    "kept_build);UPDATE source SET text = NULL, bytes = 0 WHERE text IS NOT NULL AND id "
    "NOT IN (SELECT source FROM build WHERE id IN (SELECT id FROM kept_build));CREATE "
    "TEMP TABLE kept_expr(id TEXT PRIMARY KEY) WITHOUT ROWID;INSERT INTO kept_expr WITH "
    "RECURSIVE way(id) AS ( SELECT c.expr FROM kept k JOIN try t ON t.id = k.try  JOIN "
    "candidate c ON c.id = t.candidate UNION SELECT root FROM problem UNION SELECT "
    "f.parent FROM way JOIN first_deriv f ON f.child = way.id)SELECT id FROM way;UPDATE "
    "expr SET text = '', bytes = 0 WHERE bytes > 0 AND id NOT IN (SELECT id FROM "
    "kept_expr)";

#define FAILED "status NOT IN ('ok', 'slow', 'slab', 'started')"

/* What was wrong once stays: it is why another try of the candidate is not verified. */
static const char failures_sql[] =
    "CREATE TEMP TABLE gone AS SELECT id FROM try WHERE " FAILED
    " AND status NOT IN ('wrong', 'nonfinite', 'overflow', 'nondeterministic') AND id "
    "NOT IN (SELECT try FROM kept);DELETE FROM check_result WHERE try IN (SELECT id FROM "
    "gone);DELETE FROM timing WHERE try IN (SELECT id FROM gone);DELETE FROM try WHERE "
    "id IN (SELECT id FROM gone);DROP TABLE gone";

static const char end_sql[] = "DROP TABLE temp.kept; DROP TABLE temp.kept_build;"
                              "DROP TABLE temp.kept_expr";

static bool keep(struct lift_db *db, int64_t top)
{
    return db_exec(db, keep_sql, "prune") && db_run(db, top_sql, top);
}

static bool count(struct lift_db *db, int64_t out[4])
{
    return db_number(db, "SELECT count(*) FROM source WHERE text IS NOT NULL", &out[0]) &&
           db_number(db, "SELECT count(*) FROM timing", &out[1]) &&
           db_number(db, "SELECT count(*) FROM try WHERE " FAILED, &out[2]) &&
           db_number(db, "SELECT count(*) FROM expr WHERE bytes > 0", &out[3]);
}

static bool prune(struct lift_db *db, const struct lift_db_prune *what,
                  struct lift_db_pruned *out)
{
    int64_t before[4], after[4];

    if (!count(db, before) || !keep(db, what->top) || !db_exec(db, drop_sql, "prune") ||
        (!what->keep_failures &&
         (!db_exec(db, failures_sql, "prune") || !db_drop_orphans(db))) ||
        !count(db, after) || !db_exec(db, end_sql, "prune"))
        return false;
    out->sources = before[0] - after[0];
    out->samples = before[1] - after[1];
    out->failures = before[2] - after[2];
    out->exprs = before[3] - after[3];
    return true;
}

static bool file_bytes(struct lift_db *db, int64_t *out)
{
    int64_t pages, size;

    if (!db_number(db, "PRAGMA page_count", &pages) ||
        !db_number(db, "PRAGMA page_size", &size))
        return false;
    *out = pages * size;
    return true;
}

bool lift_db_prune(struct lift_db *db, const struct lift_db_prune *what,
                   struct lift_db_pruned *out)
{
    *out = (struct lift_db_pruned){0};
    if (db->read_only)
        return db_failf(db, "cannot prune '%s': it can only be read", db->path);
    if (!file_bytes(db, &out->bytes_before) || !lift_db_begin(db))
        return false;
    if (!prune(db, what, out)) {
        lift_db_rollback(db);
        return false;
    }
    return lift_db_commit(db) && db_compact(db) && file_bytes(db, &out->bytes_after);
}
