/* Checks and repairs a database. */
#include "tuner/db/db_doctor.h"
#include "base/str.h"
#include "tuner/db/db_values.h"
#include "tuner/db_tools.h"
#include <string.h>
#include <sys/stat.h>

static const char salvage[] =
    "save the readable rows: sqlite3 FILE .recover | sqlite3 NEW";

struct look {
    struct lift_db *db;
    bool repair;
    lift_db_finding *finding;
    void *user;
    bool error;
};

static void tell(struct look *l, enum lift_db_health health, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void tell(struct look *l, enum lift_db_health health, const char *format, ...)
{
    LIFT_SCOPED(lift_str) text = {0};
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    l->finding(l->user, health, lift_str_get(&text));
    l->error |= health == LIFT_DB_ERROR;
}

static bool damaged(struct look *l, const char *how)
{
    tell(l, LIFT_DB_ERROR, "the file is damaged: %s; %s", how, salvage);
    return false;
}

static bool failed(struct look *l)
{
    if ((sqlite3_errcode(l->db->handle) & 0xff) == SQLITE_CORRUPT)
        return damaged(l, lift_db_error(l->db));
    tell(l, LIFT_DB_ERROR, "%s", lift_db_error(l->db));
    return false;
}

/* Counts the rows of a check other than "ok", and keeps the first; -1 after an error. */
static int complaints(struct lift_db *db, const char *sql, struct lift_str *first)
{
    LIFT_OWNED(sqlite3_stmt) *rows = db_prepare(db, sql);
    int more = -1, count = 0;

    lift_str_clear(first);
    while (rows && (more = db_step(db, rows)) > 0) {
        if (!strcmp(db_text(rows, 0), "ok"))
            continue;
        if (!count++)
            lift_str_add(first, db_text(rows, 0));
    }
    return more < 0 ? -1 : count;
}

static bool look_at_pages(struct look *l)
{
    LIFT_SCOPED(lift_str) first = {0};
    int count = complaints(l->db, "PRAGMA integrity_check", &first);

    if (count > 0 && l->repair && db_exec(l->db, "REINDEX", "repair") &&
        complaints(l->db, "PRAGMA integrity_check", &first) == 0) {
        tell(l, LIFT_DB_REPAIRED, "the indexes were damaged; they were rebuilt");
        count = 0;
    } else if (count == 0)
        tell(l, LIFT_DB_OK, "every page is valid");
    else
        damaged(l, count > 0 ? lift_str_get(&first) : lift_db_error(l->db));
    return count == 0;
}

/* Only this function and merges change trials that have ended. */
static bool repair_rows(struct lift_db *db, const char *remedy)
{
    return lift_db_begin(db) &&
           lift_db_end(db, db_thaw(db) && db_exec(db, remedy, "repair") && db_freeze(db));
}

static bool look_at_rows(struct look *l, const struct db_row_error *a)
{
    int64_t count = 0, left;

    if (!db_number(l->db, db_sql[a->count], &count))
        return failed(l);
    left = count;
    if (count && a->remedy != DB_STMTS && l->repair &&
        repair_rows(l->db, db_sql[a->remedy]) &&
        !db_number(l->db, db_sql[a->count], &left))
        return failed(l);
    if (!count)
        tell(l, LIFT_DB_OK, "%s", a->ok);
    else if (!left)
        tell(l, LIFT_DB_REPAIRED, "%lld %s: repaired", (long long)count, a->error);
    else
        tell(l, a->health, "%lld %s", (long long)left, a->error);
    return true;
}

/* Checks for invalid values, which cannot be merged into other files. */
static bool look_at_values(struct look *l)
{
    LIFT_SCOPED(lift_str) first = {0}, left = {0};
    int64_t count, after;
    bool good = db_count_wrong(l->db, &count, &first), repaired = l->repair && count;

    after = count;
    if (good && repaired)
        good = db_repair_values(l->db) && db_count_wrong(l->db, &after, &left);
    if (!good)
        failed(l);
    else if (!count)
        tell(l, LIFT_DB_OK, "every value is valid");
    else if (!after)
        tell(l, LIFT_DB_REPAIRED, "%lld rows had invalid values: repaired",
             (long long)count);
    else
        tell(l, LIFT_DB_ERROR, "%lld rows have invalid values: %s", (long long)after,
             lift_str_get(repaired ? &left : &first));
    return good;
}

/* Rows that nothing refers to, such as those of a session that was killed between two
 * writes. */
#define ORPHANS(DO)                                                                      \
    DO("candidate", "id NOT IN (SELECT candidate FROM trial)")                           \
    DO("build", "id NOT IN (SELECT build FROM trial WHERE build IS NOT NULL)")           \
    DO("source", "id NOT IN (SELECT source FROM build)")                                 \
    DO("env", "id NOT IN (SELECT env FROM trial WHERE env IS NOT NULL)")

#define COUNT_ORPHANS(table, where) " + (SELECT count(*) FROM " table " WHERE " where ")"
#define DROP_ORPHANS(table, where) "DELETE FROM " table " WHERE " where ";"

/* Must not run with a session, which stores a candidate before its trial. */
bool db_drop_orphans(struct lift_db *db)
{
    int open, dead;

    return db_count_sessions(db, &open, &dead) &&
           (open || db_exec(db, ORPHANS(DROP_ORPHANS), "write"));
}

static bool look_for_orphans(struct look *l)
{
    int64_t count, after;

    if (!db_number(l->db, "SELECT 0" ORPHANS(COUNT_ORPHANS), &count))
        return failed(l);
    if (!count)
        tell(l, LIFT_DB_OK, "every row is used");
    else if (l->repair && (!db_drop_orphans(l->db) ||
                           !db_number(l->db, "SELECT 0" ORPHANS(COUNT_ORPHANS), &after)))
        return failed(l);
    else if (l->repair && !after)
        tell(l, LIFT_DB_REPAIRED, "%lld unused rows were deleted", (long long)count);
    else
        tell(l, LIFT_DB_NOTE, "%lld rows are unused", (long long)count);
    return true;
}

/* Opening for writing has already closed dead sessions. */
static bool look_at_sessions(struct look *l, enum lift_db_repair repair)
{
    int open, dead;

    if (!db_count_sessions(l->db, &open, &dead))
        return failed(l);
    if (open && repair == LIFT_DB_REPAIR_ALL) {
        if (!db_exec(l->db, db_sql[DB_SESSIONS_DIED], "repair"))
            return failed(l);
        tell(l, LIFT_DB_REPAIRED, "%d sessions without an end were closed", open);
        return true;
    }
    if (dead)
        tell(l, LIFT_DB_ERROR, "%d sessions were killed and are not closed", dead);
    else if (l->db->closed)
        tell(l, LIFT_DB_REPAIRED, "%d sessions that were killed were closed",
             l->db->closed);
    else
        tell(l, LIFT_DB_OK, "no session was killed");
    if (open > dead)
        tell(l, LIFT_DB_NOTE, "%d sessions run, here or on other machines", open - dead);
    return true;
}

static int64_t log_bytes(const struct lift_db *db)
{
    LIFT_SCOPED(lift_str) path = {0};
    struct stat st;

    lift_str_addf(&path, "%s-wal", db->path);
    return stat(lift_str_get(&path), &st) ? 0 : st.st_size;
}

static bool look_at_log(struct look *l)
{
    struct lift_str mode = {0};
    int64_t version, bytes = log_bytes(l->db);
    bool good = db_number(l->db, "PRAGMA user_version", &version) &&
                complaints(l->db, "PRAGMA journal_mode", &mode) >= 0;

    if (!good)
        damaged(l, lift_db_error(l->db));
    else
        tell(l, LIFT_DB_OK, "schema %d, journal mode %s, %lld bytes in the log",
             (int)version, lift_str_get(&mode), (long long)bytes);
    lift_str_fini(&mode);
    return good;
}

/* Runs before the checks of rows, so that foreign views and triggers cannot affect
 * these. */
static void look_at_schema(struct look *l)
{
    LIFT_SCOPED(lift_str) what = {0};
    enum lift_db_health health = db_look_at_schema(l->db, l->repair, &what);

    tell(l, health, "%s", lift_str_get(&what));
}

bool db_compact(struct lift_db *db)
{
    return db_exec(db, "VACUUM", "compact") &&
           db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", "compact");
}

/* Checks sessions first: a trial of an ended session is stuck, and rows are not
 * dropped while a session runs. */
static bool look_at_content(struct look *l, enum lift_db_repair repair)
{
    if (!look_at_sessions(l, repair))
        return false;
    for (const struct db_row_error *a = db_row_errors; a->count != DB_STMTS; a++)
        if (!look_at_rows(l, a))
            return false;
    return look_for_orphans(l) && look_at_values(l);
}

/* If pages are damaged, no row is reliable, and the other checks are skipped. */
bool lift_db_doctor(struct lift_db *db, enum lift_db_repair repair,
                    lift_db_finding *finding, void *user)
{
    struct look l = {.db = db,
                     .repair = repair != LIFT_DB_LOOK && !db->read_only,
                     .finding = finding,
                     .user = user};

    if (!look_at_log(&l) || !look_at_pages(&l))
        return false;
    look_at_schema(&l);
    if (!look_at_content(&l, l.repair ? repair : LIFT_DB_LOOK))
        return false;
    if (l.repair && !db_compact(db))
        failed(&l);
    return !l.error;
}
