/* Errors, prepared statements and transactions. */
#include "tuner/db.h"
#include "base/bug.h"
#include "base/utf8.h"
#include "tuner/db/db_internal.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The cause of SQLite's last error. For locks and failed writes, lift's words are
 * clearer than SQLite's. */
static const char *cause(const struct lift_db *db)
{
    int code = sqlite3_errcode(db->handle);

    if ((code & 0xff) == SQLITE_BUSY)
        return "locked by another process";
    if ((code & 0xff) == SQLITE_FULL)
        return "the disk is full";
    if (sqlite3_extended_errcode(db->handle) == SQLITE_IOERR_WRITE)
        return "the disk rejects the write";
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

/* Messages of compilers and drivers may have any bytes; the database stores valid
 * text. */
static int bind_text(sqlite3_stmt *stmt, int i, const char *text)
{
    LIFT_SCOPED(lift_str) clean = {0};
    size_t len = strlen(text);

    if (lift_utf8_check(text, len) == len)
        return sqlite3_bind_text(stmt, i, text, -1, SQLITE_TRANSIENT);
    lift_utf8_add(&clean, text, len);
    return sqlite3_bind_text(stmt, i, lift_str_get(&clean), -1, SQLITE_TRANSIENT);
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
    /* SQLite calls a commit read-only. */
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

/* Finds the database of a statement: the rollback hook's argument is the database,
 * and setting a hook returns the previous argument. */
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

void db_own_handle(struct lift_db *db)
{
    sqlite3_rollback_hook(db->handle, on_rollback, db);
}

/* Copies invalid text of a row, with replacements, into memory that outlives the row. */
static const char *clean(struct lift_db *db, const char *text, size_t len)
{
    LIFT_SCOPED(lift_str) shown = {0};

    if (!db->cleaned)
        db->cleaned = lift_arena_create();
    lift_utf8_add(&shown, text, len);
    return lift_arena_strdup(db->cleaned, lift_str_get(&shown));
}

const char *db_text(sqlite3_stmt *stmt, int column)
{
    const char *text = sqlite3_column_type(stmt, column) == SQLITE_BLOB
                           ? NULL
                           : (const char *)sqlite3_column_text(stmt, column);
    size_t len = text ? (size_t)sqlite3_column_bytes(stmt, column) : 0;

    if (!text || lift_utf8_check_shown(text, len) == len)
        return text ? text : "";
    return clean(db_of(stmt), text, len);
}

struct lift_hash db_hash(sqlite3_stmt *stmt, int column)
{
    struct lift_hash h = {0};

    lift_hash_parse(db_text(stmt, column), &h);
    return h;
}

double db_real(sqlite3_stmt *stmt, int column, double most)
{
    double x = sqlite3_column_double(stmt, column);

    return x > 0 ? (x < most ? x : most) : 0; /* NaN becomes 0 as well */
}

int64_t db_count(sqlite3_stmt *stmt, int column)
{
    int64_t n = sqlite3_column_int64(stmt, column), most = (int64_t)1 << 53;

    return n > 0 ? (n < most ? n : most) : 0;
}

int db_int(sqlite3_stmt *stmt, int column)
{
    int64_t n = db_count(stmt, column);

    return n < INT_MAX ? (int)n : INT_MAX;
}

int64_t db_known(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL ? -1 : db_count(stmt, column);
}

bool db_new_id(struct lift_db *db, struct lift_hash *id)
{
    return getrandom(id, sizeof *id, 0) == (ssize_t)sizeof *id ||
           db_failf(db, "cannot name a row of '%s': %s", db->path, strerror(errno));
}

/* Transactions. */

static int64_t bytes_of_pages(struct lift_db *db)
{
    sqlite3_stmt *stmt = NULL;
    int64_t bytes = 0;

    if (sqlite3_prepare_v2(db->handle, db_sql[DB_BYTES], -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        bytes = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return bytes;
}

/* If the file has lost pages, this process may not read these pages again, and would
 * miss the loss. A vacuum also shrinks the file, but then reduces the number of
 * pages. */
bool db_is_whole(struct lift_db *db)
{
    const char *file = sqlite3_db_filename(db->handle, "main");
    struct stat now;

    if (!file || !*file)
        return true;
    if (stat(file, &now))
        return db_failf(db, "cannot write '%s': %s", db->path, strerror(errno));
    if (now.st_size < db->largest && bytes_of_pages(db) >= db->largest)
        return db_failf(
            db,
            "cannot write '%s': another process truncated the file while it was in use",
            db->path);
    db->largest = now.st_size;
    return true;
}

bool lift_db_begin(struct lift_db *db)
{
    LIFT_ASSERT(db);
    if (!db->depth) {
        if (!db_write(db, NULL, DB_BEGIN, ""))
            return false;
        if (!db_is_whole(db)) {
            sqlite3_exec(db->handle, db_sql[DB_ROLLBACK], NULL, NULL, NULL);
            return false;
        }
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

bool lift_db_end(struct lift_db *db, bool good)
{
    if (good)
        return lift_db_commit(db);
    lift_db_rollback(db);
    return false;
}

/* SQLite itself ends the transaction after some errors, such as a full disk. */
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
                   : db_failf(db, "a part of a write to '%s' was reverted", db->path);
    }
    if (!db_write(db, NULL, DB_COMMIT, "")) {
        lift_db_rollback(db);
        return false;
    }
    db->depth--;
    return true;
}
