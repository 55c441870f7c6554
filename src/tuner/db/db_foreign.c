/* Triggers and views are code in a file. A database runs only the triggers and views
 * of its schema, compared word for word. */
#include "tuner/db/db_foreign.h"
#include "base/bug.h"
#include "tuner/db/db_tables.h"
#include <string.h>

/* Only lift's own statements may call the program's functions. Code in the file must
 * not call them, and must not change the schema behind SQLite's back. */
bool db_harden(struct lift_db *db)
{
    return (sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) ==
                SQLITE_OK &&
            sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) ==
                SQLITE_OK &&
            sqlite3_exec(db->handle, "PRAGMA cell_size_check = 1", NULL, NULL, NULL) ==
                SQLITE_OK) ||
           db_fail(db, "open");
}

bool db_run_code(struct lift_db *db, bool may)
{
    return (sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, (int)may,
                              NULL) == SQLITE_OK &&
            sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, (int)may, NULL) ==
                SQLITE_OK) ||
           db_fail(db, "open");
}

/* Creates an empty database of this version. Its tables come from the same migrations
 * as those of a file, so that the texts of dependent objects are equal. */
static sqlite3 *make_wanted(const struct lift_db *db, int version)
{
    struct lift_db made = {.handle = NULL, .path = (char *)":memory:"};
    bool good =
        sqlite3_open(":memory:", &made.handle) == SQLITE_OK && db_add_functions(&made);

    for (int i = 0; i < version && db->migrations[i] && good; i++)
        good =
            sqlite3_exec(made.handle, db->migrations[i], NULL, NULL, NULL) == SQLITE_OK;
    if (!good)
        LIFT_BUG("no database in memory: %s", sqlite3_errmsg(made.handle));
    lift_str_fini(&made.error);
    return made.handle;
}

/* Tables are compared by their columns, since versions of SQLite write a table's text
 * differently. */
#define WHAT                                                                             \
    " CASE WHEN m.type <> 'table' THEN m.sql WHEN m.sql LIKE 'CREATE VIRTUAL%' THEN"     \
    " 'virtual' ELSE (SELECT group_concat(c.name || c.type || c.\"notnull\" || c.pk)"    \
    " FROM pragma_table_info(m.name) c) END FROM main.sqlite_schema m"

static const char list[] =
    "SELECT m.type, m.name," WHAT
    " WHERE m.sql IS NOT NULL AND (m.type <> 'table' OR  ?1 AND m.name NOT LIKE "
    "'sqlite\\_%' ESCAPE '\\') ORDER BY m.type DESC, m.name";
static const char same[] = "SELECT 0, 0," WHAT " WHERE m.type = ? AND m.name = ?";

struct comparison {
    bool tables;
    db_difference *row;
    void *user;
};

/* Calls back for each object of 'from' that is missing or different in 'to'. */
static bool compare(sqlite3 *from, sqlite3 *to, struct comparison *c, bool ours)
{
    sqlite3_stmt *all = NULL, *one = NULL;
    bool good = sqlite3_prepare_v2(from, list, -1, &all, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(to, same, -1, &one, NULL) == SQLITE_OK &&
                sqlite3_bind_int(all, 1, c->tables) == SQLITE_OK;
    int step = good ? SQLITE_ROW : SQLITE_ERROR;

    while (good && (step = sqlite3_step(all)) == SQLITE_ROW) {
        sqlite3_bind_value(one, 1, sqlite3_column_value(all, 0));
        sqlite3_bind_value(one, 2, sqlite3_column_value(all, 1));
        if (sqlite3_step(one) != SQLITE_ROW ||
            strcmp(db_text(one, 2), db_text(all, 2)) != 0)
            c->row(c->user, ours, db_text(all, 0), db_text(all, 1), db_text(all, 2));
        sqlite3_reset(one);
    }
    sqlite3_finalize(all);
    sqlite3_finalize(one);
    return step == SQLITE_DONE;
}

bool db_compare_schema(struct lift_db *db, int version, bool tables, db_difference *row,
                       void *user)
{
    struct comparison c = {tables, row, user};
    sqlite3 *wanted = make_wanted(db, version);
    bool good =
        compare(db->handle, wanted, &c, false) && compare(wanted, db->handle, &c, true);

    sqlite3_close_v2(wanted);
    return good || db_fail(db, "read");
}

/* ---- at every open, without an empty database for comparison */

/* SQLite keeps the text of a view or trigger word for word, without the last
 * semicolon. */
static bool is_ours(const struct lift_db *db, int64_t version, const char *sql)
{
    char *whole = sqlite3_mprintf("%s;", sql);
    bool found = false;

    for (int i = 0; db->migrations[i] && i < version && whole && !found; i++)
        found = strstr(db->migrations[i], whole) != NULL;
    sqlite3_free(whole);
    return found;
}

/* Returns false after an error. Views of an older version do not count, since the
 * migration drops them before use. */
static bool find_foreign(struct lift_db *db, char *what, size_t size)
{
    LIFT_OWNED(sqlite3_stmt) *rows =
        db_prepare(db, "SELECT type, name, sql FROM main.sqlite_schema"
                       " WHERE type = 'trigger' OR type = 'view' AND ?");
    int64_t version = 0;
    int newest = 0, more = -1;

    while (db->migrations[newest])
        newest++;
    if (rows && db_number(db, "PRAGMA user_version", &version) &&
        sqlite3_bind_int(rows, 1, version == newest) == SQLITE_OK)
        while ((more = db_step(db, rows)) > 0 && !*what)
            if (version <= newest && !is_ours(db, version, db_text(rows, 2)))
                snprintf(what, size, "%s '%.40s'", db_text(rows, 0), db_text(rows, 1));
    return more >= 0;
}

/* Reads in one transaction, since another process may be creating the file. */
bool db_guard(struct lift_db *db)
{
    char what[64] = "";
    bool good = db_exec(db, "BEGIN", "open") && find_foreign(db, what, sizeof what);

    if (!sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, "END", NULL, NULL, NULL);
    if (!good || !*what)
        return good;
    if (db->lenient)
        return db_run_code(db, false);
    return db_failf(
        db,
        "cannot open '%s': it has a %s that is not of lift and would run with "
        "it; 'lift db doctor --repair --db %s' drops what does not belong",
        db->path, what, db->path);
}
