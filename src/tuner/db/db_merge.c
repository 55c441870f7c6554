/* Merges all rows of one database into another. */
#include "tuner/db/db_values.h"
#include "tuner/db_tools.h"

static bool copy_row(struct lift_db *to, sqlite3_stmt *row, sqlite3_stmt *put)
{
    int done;

    for (int i = 0; i < sqlite3_column_count(row); i++)
        if (sqlite3_bind_value(put, i + 1, sqlite3_column_value(row, i)) != SQLITE_OK)
            return db_fail(to, "write");
    done = db_step(to, put);
    sqlite3_reset(put);
    return done == 0;
}

static bool is_right(struct lift_db *to, const struct lift_db *from,
                     const struct db_table *table, sqlite3_stmt *row)
{
    LIFT_SCOPED(lift_str) why = {0};

    return db_row_right(table, row, &why) ||
           db_failf(to, "cannot read '%s': %s", from->path, lift_str_get(&why));
}

static bool copy_rows(struct lift_db *to, struct lift_db *from,
                      const struct db_table *table, sqlite3_stmt *rows, sqlite3_stmt *put)
{
    int more;

    while ((more = db_step(from, rows)) > 0)
        if (!is_right(to, from, table, rows) || !copy_row(to, rows, put))
            return false;
    return more == 0 || db_failf(to, "%s", lift_db_error(from));
}

bool db_table_copy(struct lift_db *to, struct lift_db *from, int index, const char *where)
{
    struct db_table table;
    sqlite3_stmt *rows, *put;
    bool done;

    if (!db_table_describe(to, index, &table))
        return false;
    rows = db_table_select(from, &table, true, where);
    if (!rows)
        return db_failf(to, "%s", lift_db_error(from));
    put = db_table_upsert(to, &table, true);
    done = put && copy_rows(to, from, &table, rows, put);
    sqlite3_finalize(rows);
    sqlite3_finalize(put);
    return done;
}

static bool copy_all(struct lift_db *to, struct lift_db *from)
{
    if (!db_thaw(to))
        return false;
    for (int i = 0; i < DB_TABLES; i++)
        if (!db_table_copy(to, from, i, NULL))
            return false;
    return db_freeze(to);
}

static bool write_log(struct lift_db *to, struct lift_db *from,
                      const struct lift_db_gain *gain)
{
    sqlite3_stmt *stmt =
        db_prepare(to, "INSERT INTO merge_log(at, source, version, trials, rows) VALUES"
                       " (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?, ?, ?, ?)");
    int64_t version;
    bool done = stmt && db_number(from, "PRAGMA user_version", &version) &&
                sqlite3_bind_text(stmt, 1, from->path, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_bind_int64(stmt, 2, version) == SQLITE_OK &&
                sqlite3_bind_int64(stmt, 3, gain->trials) == SQLITE_OK &&
                sqlite3_bind_int64(stmt, 4, gain->rows) == SQLITE_OK &&
                db_step(to, stmt) == 0;

    sqlite3_finalize(stmt);
    return done;
}

static bool merge(struct lift_db *to, struct lift_db *from, struct lift_db_gain *gain)
{
    int64_t before, after, rows = sqlite3_total_changes64(to->handle);

    if (!db_number(to, "SELECT count(*) FROM trial", &before) || !copy_all(to, from) ||
        !db_number(to, "SELECT count(*) FROM trial", &after))
        return false;
    gain->trials = after - before;
    gain->rows = sqlite3_total_changes64(to->handle) - rows;
    return write_log(to, from, gain);
}

/* A transaction gives a consistent view of the source, which other processes may
 * write. */
bool lift_db_merge(struct lift_db *to, struct lift_db *from, struct lift_db_gain *gain)
{
    bool done;

    *gain = (struct lift_db_gain){0};
    if (to->read_only)
        return db_failf(to, "cannot merge into '%s': it can only be read", to->path);
    if (from->newer)
        return db_failf(to,
                        "cannot merge '%s': its schema %d is newer than this program's",
                        from->path, from->newer);
    if (!db_exec(from, "BEGIN", "read"))
        return db_failf(to, "%s", lift_db_error(from));
    done = lift_db_begin(to) && lift_db_end(to, merge(to, from, gain));
    sqlite3_exec(from->handle, "END", NULL, NULL, NULL);
    return done;
}
