/* Reduces the size of a database. */
#include "tuner/db/db_tables.h"
#include "tuner/db_tools.h"

static bool count(struct lift_db *db, int64_t out[4])
{
    return db_number(db, "SELECT count(*) FROM source WHERE text IS NOT NULL", &out[0]) &&
           db_number(db, "SELECT count(*) FROM timing", &out[1]) &&
           db_number(db, db_sql[DB_COUNT_FAILED], &out[2]) &&
           db_number(db, "SELECT count(*) FROM expr WHERE bytes > 0", &out[3]);
}

static bool prune(struct lift_db *db, const struct lift_db_prune *what,
                  struct lift_db_pruned *out)
{
    int64_t before[4], after[4];

    if (!count(db, before) || !db_exec(db, db_sql[DB_KEEP], "prune") ||
        !db_run(db, db_sql[DB_KEEP_TOP], what->top) ||
        !db_exec(db, db_sql[DB_DROP_REST], "prune") ||
        (!what->keep_failures &&
         (!db_exec(db, db_sql[DB_DROP_FAILURES], "prune") || !db_drop_orphans(db))) ||
        !count(db, after) || !db_exec(db, db_sql[DB_KEEP_END], "prune"))
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
    return lift_db_end(db, prune(db, what, out)) && db_compact(db) &&
           file_bytes(db, &out->bytes_after);
}
