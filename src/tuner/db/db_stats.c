/* Row counts and sizes of tables. */
#include "tuner/db/db_tables.h"
#include "tuner/db_tools.h"
#include <string.h>

/* Reads the sizes of tables with their indexes; -1 if SQLite was built without
 * 'dbstat'. */
static bool read_sizes(struct lift_db *db, int64_t bytes[DB_TABLES])
{
    sqlite3_stmt *rows = NULL;
    int more = 0;

    for (int i = 0; i < DB_TABLES; i++)
        bytes[i] = -1;
    sqlite3_prepare_v2(db->handle,
                       "SELECT s.tbl_name, sum(d.pgsize) FROM dbstat('main', 1) d"
                       " JOIN sqlite_schema s ON s.name = d.name GROUP BY 1",
                       -1, &rows, NULL);
    while (rows && (more = db_step(db, rows)) > 0)
        for (int i = 0; i < DB_TABLES; i++)
            if (!strcmp(db_text(rows, 0), db_table_names[i]))
                bytes[i] = db_count(rows, 1);
    sqlite3_finalize(rows);
    return more == 0;
}

bool lift_db_table_stats(struct lift_db *db, lift_db_table_row *row, void *user)
{
    int64_t bytes[DB_TABLES];

    if (!read_sizes(db, bytes))
        return false;
    for (int i = 0; i < DB_TABLES; i++) {
        struct lift_db_table_stats stats = {.table = db_table_names[i],
                                            .bytes = bytes[i]};
        char sql[96];

        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", stats.table);
        if (!db_number(db, sql, &stats.rows))
            return false;
        if (!row(user, &stats))
            break;
    }
    return true;
}

bool lift_db_status_stats(struct lift_db *db, lift_db_status_row *row, void *user)
{
    LIFT_OWNED(sqlite3_stmt) *rows = db_prepare(
        db, "SELECT p.name, d.name || ' (' || d.runtime || ')', t.status, sum(t.n) FROM"
            " (SELECT problem, device, status, count(*) AS n FROM trial"
            "  GROUP BY problem, device, status) t JOIN problem b ON b.id = t.problem"
            " JOIN program p ON p.id = b.program JOIN device d ON d.id = t.device"
            " GROUP BY 1, 2, 3 ORDER BY 1, 2, 4 DESC, 3");
    int more = -1;

    while (rows && (more = db_step(db, rows)) > 0)
        if (!row(user,
                 &(struct lift_db_status_stats){db_text(rows, 0), db_text(rows, 1),
                                                db_text(rows, 2), db_count(rows, 3)})) {
            more = 0;
            break;
        }
    return more == 0;
}
