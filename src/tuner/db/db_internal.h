/* Internal functions and types of the database layer. */
#ifndef TUNER_DB_DB_INTERNAL_H
#define TUNER_DB_DB_INTERNAL_H

#include "base/arena.h"
#include "tuner/db_query.h"
#include <sqlite3.h>

LIFT_OWNER(sqlite3_stmt, sqlite3_finalize)

enum { DB_APPLICATION_ID = 0x4c494654 };

/* Timeout for a lock of another process; shorter in tests. */
extern int db_busy_ms;

/* Each statement is prepared at its first use. The SQL is in sql/statements.sql,
 * sql/report.sql, sql/tools.sql and sql/row_errors.sql. */
enum db_stmt {
    DB_BEGIN,
    DB_COMMIT,
    DB_ROLLBACK,
    DB_PUT_DEVICE,
    DB_PUT_COPY_BANDWIDTH,
    DB_PUT_CACHE_BANDWIDTH,
    DB_GET_CACHE_BANDWIDTH,
    DB_GET_COPY_BANDWIDTH,
    DB_PUT_PROGRAM,
    DB_PUT_PROBLEM,
    DB_PUT_EXPR,
    DB_PUT_DERIV,
    DB_PUT_MACRO,
    DB_PUT_CONFIGURATION,
    DB_PUT_CANDIDATE,
    DB_SESSION_START,
    DB_SESSION_END,
    DB_SESSION_DIED,
    DB_SESSIONS_DIED,
    DB_SESSIONS_OPEN,
    DB_LOSE_TRIALS,
    DB_FORGET_TRIALS,
    DB_TRIAL_LAUNCH,
    DB_TRIAL_START,
    DB_TRIAL_FINISH,
    DB_TRIAL_DEVICE,
    DB_PUT_ENV,
    DB_PUT_SOURCE,
    DB_PUT_BUILD,
    DB_PUT_CHECK,
    DB_PUT_TIMING,
    DB_PUT_REACH,
    DB_PUT_FINALIST,
    DB_PUT_EVENT,
    DB_BYTES,
    DB_BEST,
    DB_RANKED,
    DB_KERNELS,
    DB_SEED_SOURCES,
    DB_DEVICE,
    DB_EXPLORED,
    DB_PARENTS,
    DB_IS_ROOT,
    DB_MACROS_OF,
    DB_FAMILIES,
    DB_TRIED,
    DB_FAILURES,
    DB_FINALISTS,
    DB_REACH,
    DB_CONFIGURATION,
    DB_CONFIGURATIONS,
    DB_RULES,
    DB_TEXT_PROGRAM,
    DB_FIND_EXPR,
    DB_FIND_TRIAL,
    DB_FIND_PROGRAM,
    DB_TEXT_EXPR,
    DB_TEXT_SOURCE,
    DB_TEXT_LOG,
    DB_CSV_BEST,
    DB_CSV_TRIALS,
    DB_CSV_TIMINGS,
    DB_TOP,
    DB_COUNTS,
    DB_COST,
    DB_DEVICES,
    DB_PROBLEMS,
    DB_KERNEL,
    DB_EXPRS,
    DB_SAMPLES,
    DB_FIRST,
    DB_NAIVE,
    DB_INTERFERENCE,
    DB_REPORT_DEVICES,
    DB_REPORT_PROBLEMS,
    DB_REPORT_SESSIONS,
    DB_REPORT_EXPLORED,
    DB_REPORT_PROGRESS,
    DB_REPORT_CAUSES,
    DB_REPORT_REASONS,
    DB_REPORT_FINALS,
    DB_REPORT_EVENTS,
    DB_SELECT_FINALS,
    DB_SELECT_TRIALS,
    DB_SELECT_EXPRS,
    DB_SELECT_END,
    DB_STRIP,
    DB_KEEP,
    DB_KEEP_TOP,
    DB_DROP_REST,
    DB_DROP_FAILURES,
    DB_KEEP_END,
    DB_COUNT_FAILED,
    DB_TRIAL_ENDED,
    DB_COUNT_REFERENCES,
    DB_COUNT_PACKED,
    DB_COUNT_STUCK,
    DB_REPAIR_STUCK,
    DB_COUNT_UNCHECKED,
    DB_COUNT_SIZES,
    DB_REPAIR_SIZES,
    DB_COUNT_TIMES,
    DB_REPAIR_TIMES,
    DB_COUNT_PLACES,
    DB_REPAIR_PLACES,
    DB_COUNT_BANDWIDTHS,
    DB_REPAIR_BANDWIDTHS,
    DB_COUNT_CANDIDATES,
    DB_REPAIR_CANDIDATES,
    DB_COUNT_CIRCLES,
    DB_REPAIR_CIRCLES,
    DB_COUNT_ANOTHER,
    DB_REPAIR_ANOTHER,
    DB_COUNT_NONE,
    DB_REPAIR_NONE,
    DB_STMTS
};

/* Both lists end with NULL. */
extern const char *const db_sql[];
/* sql/schema.sql: migration i takes a file from version i to i + 1. */
extern const char *const db_migrations[];

struct lift_db {
    sqlite3 *handle;
    char *path;
    const char *const *migrations;
    bool read_only;
    bool lenient;    /* accepts foreign triggers and views, but does not run them */
    bool old;        /* the file must be migrated before reading */
    bool disturbed;  /* the last error may be temporary */
    int newer;       /* version of the file if newer than lift's, or 0 */
    int closed;      /* sessions that were found dead at the open */
    int depth;       /* of nested transactions */
    bool doomed;     /* a nested transaction was rolled back */
    int64_t largest; /* greatest known size of the file, in bytes */
    sqlite3_stmt *stmts[DB_STMTS];
    struct lift_str error;
    struct lift_arena *cleaned; /* copies of invalid texts of rows; NULL: none */
};

/* The type of the path's file system, as statfs reports; 0 on error. Tests replace
 * the function. */
extern long (*db_fs_type)(const char *path);

/* For tests: lift_db_open with other migrations. */
struct lift_db *db_open_with(const char *path, enum lift_db_mode mode,
                             const char *const *migrations, struct lift_str *error);

/* Returns false if another process removed or truncated the file, which this process
 * writes. */
bool db_is_whole(struct lift_db *db);

/* Registers 'db' as the owner of its SQLite handle, for the texts of rows. */
void db_own_handle(struct lift_db *db);

/* Records the error and returns false. The message has 'what', then SQLite's message. */
bool db_fail(struct lift_db *db, const char *what);
bool db_failf(struct lift_db *db, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prepares the statement and binds its arguments, one letter each in 'types'. The
 * letters are t const char * (NULL is ""), i int64_t, d double (NaN is NULL), h
 * struct lift_hash, n nothing (NULL). Returns NULL after an error. The caller ends
 * the statement with db_done. */
sqlite3_stmt *db_query(struct lift_db *db, enum db_stmt which, const char *types, ...);
/* Returns 1 for a row, 0 after the last row, -1 after an error. */
int db_step(struct lift_db *db, sqlite3_stmt *stmt);
void db_done(sqlite3_stmt *stmt);
/* Runs a statement without rows; 'changes' may be NULL. */
bool db_write(struct lift_db *db, int *changes, enum db_stmt which, const char *types,
              ...);

/* Passes every row to 'reader' until the reader returns false, and ends the
 * statement. NULL is a failed statement. */
typedef bool db_row_reader(sqlite3_stmt *stmt, void *user);
bool db_each_row(struct lift_db *db, sqlite3_stmt *stmt, db_row_reader *reader,
                 void *user);

/* Defines a query function: 'takes' are its parameters before the callback, 'asks'
 * the arguments of db_query. The callback receives each row as a 'type' with the
 * members that follow. */
#define DB_ROWS(name, function, type, takes, asks, ...)                                  \
    struct name##_caller {                                                               \
        function *row;                                                                   \
        void *user;                                                                      \
    };                                                                                   \
    static bool name##_read(sqlite3_stmt *stmt, void *user)                              \
    {                                                                                    \
        const struct name##_caller *to = user;                                           \
        const struct type row = {__VA_ARGS__};                                           \
                                                                                         \
        return to->row(to->user, &row);                                                  \
    }                                                                                    \
    bool name(DB_LIST takes, function *row, void *user)                                  \
    {                                                                                    \
        return db_each_row(db, db_query(db, DB_LIST asks), name##_read,                  \
                           &(struct name##_caller){row, user});                          \
    }
#define DB_LIST(...) __VA_ARGS__
/* A query of a problem on a device. */
#define DB_ROWS_OF_PAIR(name, function, type, which, ...)                                \
    DB_ROWS(name, function, type,                                                        \
            (struct lift_db * db, struct lift_hash problem, struct lift_hash device),    \
            (which, "hh", problem, device), __VA_ARGS__)
/* A query with a filter; 'asks' and later arguments are as in DB_ROWS. */
#define DB_ROWS_OF_FILTER(name, function, type, asks, ...)                               \
    DB_ROWS(name, function, type,                                                        \
            (struct lift_db * db, const struct lift_db_filter *filter), asks,            \
            __VA_ARGS__)

/* Never NULL. Invalid bytes (base/utf8.h) are replaced. */
const char *db_text(sqlite3_stmt *stmt, int column);
struct lift_hash db_hash(sqlite3_stmt *stmt, int column);
/* Numbers of a row. A file may hold any number: negative numbers and NaN are read as
 * 0, and numbers beyond the limit as the limit. So callers never compute with
 * impossible values. The limits are those of db_values.c. */
double db_real(sqlite3_stmt *stmt, int column, double most);
int64_t db_count(sqlite3_stmt *stmt, int column); /* at most 2^53 */
int db_int(sqlite3_stmt *stmt, int column);
int64_t db_known(sqlite3_stmt *stmt, int column); /* db_count; -1 for NULL */
#define DB_MOST_SECONDS 1e9                       /* 30 years */
#define DB_MOST_RATE 1e6                          /* 10^9 a second; shares of a rate */
/* An unknown status, of a newer schema, is read as LOST: an unreliable trial. */
enum lift_trial_status db_status_of(const char *name);
/* The id of a candidate by its content. */
struct lift_hash db_candidate_id(struct lift_hash expr, const char *tunables);
/* Creates a random id for a session, a trial or an event. */
bool db_new_id(struct lift_db *db, struct lift_hash *id);

/* Returns true if the file, and SQLite's files next to it, are no endless files such
 * as pipes. */
bool db_limit_path(struct lift_db *db);
/* Limits rows to the size of one with a text of LIFT_DB_TEXT. */
void db_limit_rows(struct lift_db *db);

/* Unpacks a text of 'bytes' bytes that lift_pack made a blob of, with a NUL. Returns
 * NULL if the blob is damaged or the text longer than LIFT_DB_TEXT. The caller frees
 * the text. */
char *db_unpack(const void *packed, int size, int64_t bytes);

/* Registers the SQL functions of the statements. lift_pack(text) compresses a long
 * text in zlib's format. sqlar_uncompress(packed, bytes), which the sqlite3 shell
 * also has, restores the text. lift_text(text) returns valid text (base/utf8.h).
 * lift_device_id(...) is lift_device_hash, lift_candidate_id(expr, tunables) is
 * db_candidate_id, and lift_possible(ns, work) is lift_db_possible. */
bool db_add_functions(struct lift_db *db);

/* Ends the sessions of dead processes; their unfinished trials become lost. */
bool db_close_dead_sessions(struct lift_db *db);
/* Counts sessions without an end, and among them those of dead processes. */
bool db_count_sessions(struct lift_db *db, int *open, int *dead);

#endif
