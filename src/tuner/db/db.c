/* Opening, migrating, transactions, and running prepared statements. */
#include "lift/db.h"
#include "lift/bug.h"
#include "lift/utf8.h"
#include "tuner/db/db_foreign.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int db_busy_ms = 10000;

/* Errors. */

bool db_failf(struct lift_db *db, const char *format, ...)
{
    struct lift_str text = {0};
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    lift_str_fini(&db->error);
    db->error = text;
    return false;
}

/* What SQLite says last; its words for a read-only file do not tell why it is so. */
static const char *cause(const struct lift_db *db)
{
    int code = sqlite3_errcode(db->handle);

    if ((code & 0xff) == SQLITE_BUSY)
        return "locked by another process";
    if ((code & 0xff) == SQLITE_FULL)
        return "the disk is full";
    if (sqlite3_extended_errcode(db->handle) == SQLITE_IOERR_WRITE)
        return "the disk takes no more of it";
    return sqlite3_errmsg(db->handle);
}

bool db_fail(struct lift_db *db, const char *what)
{
    int os = sqlite3_system_errno(db->handle);
    int code = sqlite3_errcode(db->handle) & 0xff;

    db->disturbed = code == SQLITE_BUSY || (code == SQLITE_IOERR && os == ENOENT) ||
                    (code == SQLITE_CANTOPEN && os == ENOENT && !access(db->path, F_OK));
    if (db->newer)
        return db_failf(db, "cannot %s '%s': its schema %d is newer than this program",
                        what, db->path, db->newer);
    if (os && (code == SQLITE_CANTOPEN || code == SQLITE_IOERR))
        return db_failf(db, "cannot %s '%s': %s: %s", what, db->path, cause(db),
                        strerror(os));
    return db_failf(db, "cannot %s '%s': %s", what, db->path, cause(db));
}

const char *lift_db_error(const struct lift_db *db)
{
    return db ? lift_str_get(&db->error) : "there is no database";
}

int lift_db_newer(const struct lift_db *db)
{
    LIFT_ASSERT(db);
    return db->newer;
}

bool lift_db_read_only(const struct lift_db *db)
{
    LIFT_ASSERT(db);
    return db->read_only;
}

/* Statements. */

/* What compilers and drivers say may hold anything; what is stored is text. */
static int bind_text(sqlite3_stmt *stmt, int i, const char *text)
{
    struct lift_str clean = {0};
    size_t len = strlen(text);
    int rc;

    if (lift_utf8_check(text, len) == len)
        return sqlite3_bind_text(stmt, i, text, -1, SQLITE_TRANSIENT);
    lift_utf8_add(&clean, text, len);
    rc = sqlite3_bind_text(stmt, i, lift_str_get(&clean), -1, SQLITE_TRANSIENT);
    lift_str_fini(&clean);
    return rc;
}

static bool bind(sqlite3_stmt *stmt, const char *types, va_list args)
{
    char hex[LIFT_HASH_HEX];
    const char *text;
    double number;
    int rc = SQLITE_OK;

    for (int i = 1; *types && rc == SQLITE_OK; i++, types++)
        switch (*types) {
        case 't':
            text = va_arg(args, const char *);
            rc = bind_text(stmt, i, text ? text : "");
            break;
        case 'i':
            rc = sqlite3_bind_int64(stmt, i, va_arg(args, int64_t));
            break;
        case 'd':
            number = va_arg(args, double);
            rc = isnan(number) ? sqlite3_bind_null(stmt, i)
                               : sqlite3_bind_double(stmt, i, number);
            break;
        case 'h':
            rc = sqlite3_bind_text(stmt, i,
                                   lift_hash_hex(va_arg(args, struct lift_hash), hex), -1,
                                   SQLITE_TRANSIENT);
            break;
        case 'n':
            rc = sqlite3_bind_null(stmt, i);
            break;
        default:
            LIFT_BUG("no argument of type '%c'", *types);
        }
    return rc == SQLITE_OK;
}

static sqlite3_stmt *prepare(struct lift_db *db, enum db_stmt which)
{
    sqlite3_stmt **stmt = &db->stmts[which];

    if (!*stmt)
        sqlite3_prepare_v3(db->handle, db_sql[which], -1, SQLITE_PREPARE_PERSISTENT, stmt,
                           NULL);
    else if (sqlite3_stmt_busy(*stmt))
        LIFT_BUG("a database query was started again from its own callback");
    return *stmt;
}

static sqlite3_stmt *query(struct lift_db *db, enum db_stmt which, const char *types,
                           va_list args)
{
    sqlite3_stmt *stmt;

    LIFT_ASSERT(db);
    stmt = prepare(db, which);
    if (stmt && bind(stmt, types, args))
        return stmt;
    db_fail(db, "query");
    return NULL;
}

sqlite3_stmt *db_query(struct lift_db *db, enum db_stmt which, const char *types, ...)
{
    sqlite3_stmt *stmt;
    va_list args;

    va_start(args, types);
    stmt = query(db, which, types, args);
    va_end(args);
    return stmt;
}

int db_step(struct lift_db *db, sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt);

    if (rc == SQLITE_ROW)
        return 1;
    if (rc == SQLITE_DONE)
        return 0;
    /* To SQLite a commit is read-only. */
    db_fail(db,
            sqlite3_stmt_readonly(stmt) && sqlite3_column_count(stmt) ? "read" : "write");
    return -1;
}

void db_done(sqlite3_stmt *stmt)
{
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
}

bool db_write(struct lift_db *db, int *changes, enum db_stmt which, const char *types,
              ...)
{
    sqlite3_stmt *stmt;
    va_list args;
    bool ok;

    va_start(args, types);
    stmt = query(db, which, types, args);
    va_end(args);
    ok = stmt && db_step(db, stmt) == 0;
    if (stmt)
        db_done(stmt);
    if (changes)
        *changes = sqlite3_changes(db->handle);
    return ok;
}

/* The database of a statement: SQLite hands out what a hook was given before. */
static void on_rollback(void *db)
{
    (void)db;
}

static struct lift_db *db_of(sqlite3_stmt *stmt)
{
    sqlite3 *handle = sqlite3_db_handle(stmt);
    struct lift_db *db = sqlite3_rollback_hook(handle, on_rollback, NULL);

    sqlite3_rollback_hook(handle, on_rollback, db);
    return db;
}

/* Of a file that others wrote; rows outlive the step that gave them only as copies. */
static const char *clean(struct lift_db *db, const char *text, size_t len)
{
    struct lift_str shown = {0};
    const char *kept;

    if (!db->cleaned)
        db->cleaned = lift_arena_create();
    lift_utf8_add(&shown, text, len);
    kept = lift_arena_strdup(db->cleaned, lift_str_get(&shown));
    lift_str_fini(&shown);
    return kept;
}

const char *db_text(sqlite3_stmt *stmt, int column)
{
    const char *text = sqlite3_column_type(stmt, column) == SQLITE_BLOB
                           ? NULL
                           : (const char *)sqlite3_column_text(stmt, column);
    size_t len = text ? (size_t)sqlite3_column_bytes(stmt, column) : 0;

    if (!text || lift_utf8_check(text, len) == len)
        return text ? text : "";
    return clean(db_of(stmt), text, len);
}

struct lift_hash db_hash(sqlite3_stmt *stmt, int column)
{
    struct lift_hash h = {0};

    lift_hash_parse(db_text(stmt, column), &h);
    return h;
}

bool db_new_id(struct lift_db *db, struct lift_hash *id)
{
    if (getrandom(id, sizeof *id, 0) == (ssize_t)sizeof *id)
        return true;
    return db_failf(db, "cannot name a row of '%s': %s", db->path, strerror(errno));
}

/* Transactions. */

bool lift_db_begin(struct lift_db *db)
{
    LIFT_ASSERT(db);
    if (!db->depth) {
        if (!db_write(db, NULL, DB_BEGIN, ""))
            return false;
        db->doomed = false;
    }
    db->depth++;
    return true;
}

void lift_db_rollback(struct lift_db *db)
{
    LIFT_ASSERT(db && db->depth > 0);
    db->doomed = true;
    if (--db->depth == 0 && !sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, db_sql[DB_ROLLBACK], NULL, NULL, NULL);
}

/* SQLite itself ends the transaction on some failures, such as a full disk. */
bool lift_db_commit(struct lift_db *db)
{
    LIFT_ASSERT(db && db->depth > 0);
    if (db->depth > 1) {
        db->depth--;
        return true;
    }
    if (db->doomed || sqlite3_get_autocommit(db->handle)) {
        lift_db_rollback(db);
        return db->error.len
                   ? false
                   : db_failf(db, "a part of a write to '%s' was taken back", db->path);
    }
    if (!db_write(db, NULL, DB_COMMIT, "")) {
        lift_db_rollback(db);
        return false;
    }
    db->depth--;
    return true;
}

/* Migration. */

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

static bool exec(struct lift_db *db, const char *sql, const char *what)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ||
           db_fail(db, what);
}

static int newest(const struct lift_db *db)
{
    int n = 0;

    while (db->migrations[n])
        n++;
    return n;
}

/* One step, with its version, as one transaction. Another process may have been faster.
 */
static bool migrate_step(struct lift_db *db)
{
    char done[96];
    int64_t version;

    if (!pragma(db, "user_version", &version))
        return false;
    if (version >= newest(db))
        return true;
    snprintf(done, sizeof done, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             DB_APPLICATION_ID, (int)version + 1);
    return exec(db, db->migrations[version], "migrate") && exec(db, done, "migrate");
}

static bool migrate(struct lift_db *db)
{
    bool changed = false;
    int64_t version;

    while (pragma(db, "user_version", &version)) {
        if (version >= newest(db))
            return !changed || db_guard(db);
        changed = true;
        if (!lift_db_begin(db))
            return false;
        if (!migrate_step(db)) {
            lift_db_rollback(db);
            return false;
        }
        if (!lift_db_commit(db))
            return false;
    }
    return false;
}

/* Opening. */

struct marks {
    int64_t app, version, tables;
};

/* Of one moment: another process may begin the file just now. */
static bool read_marks(struct lift_db *db, struct marks *m)
{
    bool good = exec(db, "BEGIN", "open") && pragma(db, "schema_version", &m->tables) &&
                pragma(db, "application_id", &m->app) &&
                pragma(db, "user_version", &m->version);

    return good && exec(db, "END", "open");
}

/* Whether the file is ours: by its application id, or because nothing is in it yet. */
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
    if (m.version > newest(db)) {
        db->newer = (int)m.version;
        db->read_only = true;
    }
    db->old = mode == LIFT_DB_READ && m.version < newest(db);
    return !db->old;
}

/* A file in WAL mode in a folder that cannot be written cannot be read the usual way;
 * without a log beside it, nobody writes it either. */
static bool has_log(const char *path)
{
    struct lift_str log = {0};
    struct stat st;
    bool there;

    lift_str_addf(&log, "%s-wal", path);
    there = !stat(lift_str_get(&log), &st) && st.st_size > 0;
    lift_str_fini(&log);
    return there;
}

static int open_immutable(struct lift_db *db)
{
    struct lift_str uri = {0};
    int rc;

    lift_str_add(&uri, "file:");
    for (const char *p = db->path; *p; p++)
        if (strchr("?#%", *p))
            lift_str_addf(&uri, "%%%02x", (unsigned char)*p);
        else
            lift_str_addc(&uri, *p);
    lift_str_add(&uri, "?immutable=1");
    rc = sqlite3_open_v2(lift_str_get(&uri), &db->handle,
                         SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    lift_str_fini(&uri);
    return rc;
}

/* What does not come from the folder: no database, or one that somebody writes now. */
static bool is_final(int code)
{
    return (code & 0xff) == SQLITE_NOTADB || (code & 0xff) == SQLITE_BUSY;
}

static void take_handle(struct lift_db *db)
{
    sqlite3_busy_timeout(db->handle, db_busy_ms);
    sqlite3_rollback_hook(db->handle, on_rollback, db);
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

/* A log that is shared by memory does not work between machines, and a rollback journal
 * does as far as the file system's locks do. Where another process holds the file in the
 * other mode, SQLite leaves it as it is. */
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
        good = db_failf(db, "cannot open '%s': its journal cannot become '%s'", db->path,
                        mode);
    sqlite3_finalize(stmt);
    return good;
}

/* Whoever reads looks at much once; whoever writes, for hours, should stay small. */
static bool set_cache(struct lift_db *db)
{
    return exec(
        db, db->read_only ? "PRAGMA cache_size = -32768" : "PRAGMA cache_size = -4096",
        "open");
}

/* A started try must be on the disk before its kernel runs: hence FULL. Migrations put
 * new tables in the place of old ones, which foreign keys would not let them do. */
static bool set_up(struct lift_db *db, enum lift_db_mode mode)
{
    if (!connect(db, mode) || !db_harden(db) || !db_add_functions(db) ||
        !recognise(db, mode) || !db_guard(db) || !set_cache(db))
        return false;
    if (db->read_only)
        return exec(db, "PRAGMA query_only = 1", "open");
    return set_journal(db) && exec(db, "PRAGMA synchronous = FULL", "open") &&
           migrate(db) && exec(db, "PRAGMA foreign_keys = 1", "open") &&
           db_close_dead_sessions(db);
}

/* A file of an older version is brought up to date before it is read. */
static struct lift_db *open_old(const char *path, enum lift_db_mode mode,
                                const char *const *migrations, struct lift_str *error)
{
    struct lift_db *db = db_open_with(
        path, mode == LIFT_DB_INSPECT ? LIFT_DB_MEND : LIFT_DB_WRITE, migrations, error);

    if (db)
        lift_db_close(db);
    return db ? db_open_with(path, mode, migrations, error) : NULL;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum opening { OPENED, OLD, DISTURBED, UNUSABLE };

/* Once. Another process that begins or closes the database at the same moment may
 * disturb: it deletes the log, or holds a lock for which SQLite does not wait. */
static enum opening open_once(const char *path, enum lift_db_mode mode,
                              const char *const *migrations, struct lift_db **out)
{
    struct lift_db *db = calloc(1, sizeof *db);

    *out = db;
    if (!db || !(db->path = strdup(path)))
        LIFT_BUG("out of memory");
    db->migrations = migrations;
    db->lenient = mode == LIFT_DB_INSPECT || mode == LIFT_DB_MEND;
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
    double deadline = now() + db_busy_ms * 1e-3;
    struct lift_db *db;
    enum opening end = open_once(path, mode, migrations, &db);

    while (end == DISTURBED && now() < deadline) {
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
                             struct lift_str *error)
{
    if (path)
        return db_open_with(path, mode, db_migrations, error);
    lift_str_add(error, "the path of the database is NULL");
    return NULL;
}

void lift_db_close(struct lift_db *db)
{
    if (!db)
        return;
    for (int i = 0; i < DB_STMTS; i++)
        sqlite3_finalize(db->stmts[i]);
    sqlite3_close_v2(db->handle);
    lift_str_fini(&db->error);
    lift_arena_destroy(db->cleaned);
    free(db->path);
    free(db);
}
