/* Opening, migrating and closing. */
#include "base/memory.h"
#include "base/seconds.h"
#include "tuner/db/db_foreign.h"
#include "tuner/db/db_tables.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int db_busy_ms = 10000;

static bool pragma(struct lift_db *db, const char *name, int64_t *value)
{
    char sql[64];
    sqlite3_stmt *stmt = NULL;
    bool ok;

    snprintf(sql, sizeof sql, "PRAGMA %s", name);
    ok = sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) == SQLITE_OK &&
         sqlite3_step(stmt) == SQLITE_ROW;
    if (ok)
        *value = sqlite3_column_int64(stmt, 0);
    else
        db_fail(db, "open");
    sqlite3_finalize(stmt);
    return ok;
}

static int newest(const struct lift_db *db)
{
    int n = 0;

    while (db->migrations[n])
        n++;
    return n;
}

/* The version of a file's schema is an index of the migrations. */
static bool is_version(struct lift_db *db, int64_t version)
{
    return version >= 0 ||
           db_failf(db,
                    "cannot open '%s': it is damaged: the version of its schema is %d",
                    db->path, (int)version);
}

static bool read_version(struct lift_db *db, int64_t *version)
{
    return pragma(db, "user_version", version) && is_version(db, *version);
}

/* Runs all migrations and sets the version in one transaction, so that a killed
 * process leaves the file unchanged. Another process may have migrated the file
 * first. */
static bool migrate_steps(struct lift_db *db, bool *changed)
{
    char done[96];
    int64_t version;

    if (!read_version(db, &version))
        return false;
    *changed = version < newest(db);
    for (; version < newest(db); version++)
        if (!db_exec(db, db->migrations[version], "migrate"))
            return false;
    snprintf(done, sizeof done, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             DB_APPLICATION_ID, newest(db));
    return !*changed || db_exec(db, done, "migrate");
}

static bool migrate(struct lift_db *db)
{
    bool changed;
    int64_t version;

    if (!read_version(db, &version))
        return false;
    if (version >= newest(db))
        return true;
    if (!lift_db_begin(db))
        return false;
    if (!migrate_steps(db, &changed)) {
        lift_db_rollback(db);
        return false;
    }
    return lift_db_commit(db) && (!changed || db_guard(db));
}

/* Opening. */

struct marks {
    int64_t app, version, tables;
};

/* Reads in one transaction, since another process may be creating the file. */
static bool read_marks(struct lift_db *db, struct marks *m)
{
    bool good =
        db_exec(db, "BEGIN", "open") && pragma(db, "schema_version", &m->tables) &&
        pragma(db, "application_id", &m->app) && pragma(db, "user_version", &m->version);

    return good && db_exec(db, "END", "open");
}

/* Returns true if lift owns the file: the file has lift's application id, or is
 * empty. */
static bool recognise(struct lift_db *db, enum lift_db_mode mode)
{
    struct marks m;

    if (!read_marks(db, &m)) {
        if (sqlite3_errcode(db->handle) == SQLITE_NOTADB)
            db_failf(db, "cannot open '%s': it is not an SQLite database", db->path);
        return false;
    }
    if (m.app != DB_APPLICATION_ID &&
        (m.app || m.version || m.tables || mode == LIFT_DB_READ))
        return db_failf(db, "cannot open '%s': it is an SQLite database, but not of lift",
                        db->path);
    if (!is_version(db, m.version))
        return false;
    if (m.version > newest(db)) {
        db->newer = (int)m.version;
        db->read_only = true;
    }
    db->old = mode == LIFT_DB_READ && m.version < newest(db);
    return !db->old;
}

/* A file in WAL mode, in a read-only folder, needs a special mode for reading.
 * Without a log next to the file, no process writes the file. */
static bool has_log(const char *path)
{
    LIFT_SCOPED(lift_str) log = {0};
    struct stat st;

    lift_str_addf(&log, "%s-wal", path);
    return !stat(lift_str_get(&log), &st) && st.st_size > 0;
}

static int open_immutable(struct lift_db *db)
{
    LIFT_SCOPED(lift_str) uri = {0};

    lift_str_add(&uri, "file:");
    for (const char *p = db->path; *p; p++)
        if (strchr("?#%", *p))
            lift_str_addf(&uri, "%%%02x", (unsigned char)*p);
        else
            lift_str_addc(&uri, *p);
    lift_str_add(&uri, "?immutable=1");
    return sqlite3_open_v2(lift_str_get(&uri), &db->handle,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
}

/* Returns true for errors that do not depend on the folder: the file is not a
 * database, or another process holds a lock. */
static bool is_final(int code)
{
    return (code & 0xff) == SQLITE_NOTADB || (code & 0xff) == SQLITE_BUSY;
}

static void take_handle(struct lift_db *db)
{
    sqlite3_busy_timeout(db->handle, db_busy_ms);
    db_own_handle(db);
    db_limit_rows(db);
}

static bool connect(struct lift_db *db, enum lift_db_mode mode)
{
    int flags = mode == LIFT_DB_READ ? SQLITE_OPEN_READONLY
                                     : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int64_t probe;
    struct stat st;

    if (mode == LIFT_DB_READ && stat(db->path, &st))
        return db_failf(db, "cannot open '%s': %s", db->path, strerror(errno));
    if (!db_limit_path(db))
        return false;
    if (sqlite3_open_v2(db->path, &db->handle, flags, NULL) != SQLITE_OK)
        return db_fail(db, "open");
    take_handle(db);
    if (mode == LIFT_DB_READ && !pragma(db, "schema_version", &probe) &&
        !is_final(sqlite3_errcode(db->handle)) && !has_log(db->path)) {
        sqlite3_close_v2(db->handle);
        if (open_immutable(db) != SQLITE_OK)
            return db_fail(db, "open");
        take_handle(db);
    }
    return true;
}

/* A write-ahead log needs shared memory, which fails between machines. A rollback
 * journal needs only file locks. If another process uses the other mode, SQLite keeps
 * that mode. */
static bool set_journal(struct lift_db *db)
{
    const char *mode = lift_db_network(db->path) ? "truncate" : "wal";
    char sql[64];
    sqlite3_stmt *stmt = NULL;
    bool good = true;

    snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s", mode);
    if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_step(stmt) != SQLITE_ROW)
        good = db_fail(db, "open");
    else if (strcmp(db_text(stmt, 0), mode) != 0 &&
             strcmp(db_text(stmt, 0), "memory") != 0)
        good = db_failf(db, "cannot open '%s': its journal mode cannot be set to '%s'",
                        db->path, mode);
    sqlite3_finalize(stmt);
    return good;
}

/* FULL synchronous mode: a started trial must be on the disk before its kernel runs.
 * Foreign keys are off during migrations, which replace tables. Readers get a large
 * cache for a short time, and writers, which run for hours, a small one. */
static bool set_up(struct lift_db *db, enum lift_db_mode mode)
{
    if (!connect(db, mode) || !db_harden(db) || !db_add_functions(db) ||
        !recognise(db, mode) || !db_guard(db) ||
        !db_exec(db,
                 db->read_only ? "PRAGMA cache_size = -32768"
                               : "PRAGMA cache_size = -4096",
                 "open"))
        return false;
    if (db->read_only)
        return db_exec(db, "PRAGMA query_only = 1", "open");
    return set_journal(db) && db_exec(db, "PRAGMA synchronous = FULL", "open") &&
           migrate(db) && db_exec(db, "PRAGMA foreign_keys = 1", "open") &&
           db_close_dead_sessions(db);
}

/* Migrates a file of an older version before reading. */
static struct lift_db *open_old(const char *path, enum lift_db_mode mode,
                                const char *const *migrations, struct lift_str *error)
{
    struct lift_db *db = db_open_with(
        path, mode == LIFT_DB_INSPECT ? LIFT_DB_WRITE_DAMAGED : LIFT_DB_WRITE, migrations,
        error);

    lift_db_close(db);
    return db ? db_open_with(path, mode, migrations, error) : NULL;
}

enum opening { OPENED, OLD, DISTURBED, UNUSABLE };

/* Tries to open the database once. Another process that creates or closes the
 * database may disturb: that process deletes the log, or holds a lock for which
 * SQLite does not wait. */
static enum opening open_once(const char *path, enum lift_db_mode mode,
                              const char *const *migrations, struct lift_db **out)
{
    struct lift_db *db = lift_alloc(1, sizeof *db);

    *out = db;
    db->path = lift_strdup(path);
    db->migrations = migrations;
    db->lenient = mode == LIFT_DB_INSPECT || mode == LIFT_DB_WRITE_DAMAGED;
    db->read_only = mode == LIFT_DB_READ || mode == LIFT_DB_INSPECT;
    if (set_up(db, db->read_only ? LIFT_DB_READ : LIFT_DB_WRITE))
        return OPENED;
    if (db->old)
        return OLD;
    return db->disturbed ? DISTURBED : UNUSABLE;
}

struct lift_db *db_open_with(const char *path, enum lift_db_mode mode,
                             const char *const *migrations, struct lift_str *error)
{
    enum { PAUSE_US = 10000 };
    double deadline = lift_seconds() + db_busy_ms * 1e-3;
    struct lift_db *db;
    enum opening end = open_once(path, mode, migrations, &db);

    while (end == DISTURBED && lift_seconds() < deadline) {
        lift_db_close(db);
        usleep(PAUSE_US);
        end = open_once(path, mode, migrations, &db);
    }
    if (end == OPENED)
        return db;
    if (end != OLD)
        lift_str_add(error, lift_db_error(db));
    lift_db_close(db);
    return end == OLD ? open_old(path, mode, migrations, error) : NULL;
}

struct lift_db *lift_db_open(const char *path, enum lift_db_mode mode,
                             struct lift_error *error)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_db *db = path ? db_open_with(path, mode, db_migrations, &why) : NULL;

    if (!db)
        lift_fail(error, LIFT_ERROR_DATABASE, "%s",
                  path ? lift_str_get(&why) : "the path of the database is NULL");
    return db;
}

/* Closes the database after writing the rows of the log to the file. A copy of the
 * file is then complete even while other processes have the file open. SQLite itself
 * does this only for the last connection. If another connection is busy, that
 * connection keeps the log. */
void lift_db_close(struct lift_db *db)
{
    if (!db)
        return;
    for (int i = 0; i < DB_STMTS; i++)
        sqlite3_finalize(db->stmts[i]);
    if (db->handle && !db->read_only) {
        sqlite3_busy_timeout(db->handle, 0);
        sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                  NULL);
    }
    sqlite3_close_v2(db->handle);
    lift_str_fini(&db->error);
    lift_arena_destroy(db->cleaned);
    free(db->path);
    free(db);
}
