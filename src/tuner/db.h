/* The database of an exploration: one SQLite file with every trial, the derivation of
 * its expression, and its time. This header opens the file and stores programs,
 * problems and candidates. tuner/db_trial.h writes the trials, tuner/db_query.h
 * reads. docs/database-schema.md describes the tables.
 *
 * Content hashes name rows, and random numbers name sessions and trials, so that rows
 * of two files never clash. Putting an existing row again changes nothing. Only one
 * thread may use a handle, and no forked child.
 *
 * Calls that return bool return false if the file could not be written or read: full,
 * locked, read-only, damaged, or of a newer schema version. lift_db_error then
 * returns a message with the file's name. A failed call has changed nothing. Putting
 * a row that is NULL fails in this way. A handle, callback or output pointer that is
 * NULL is a bug of the caller (base/bug.h), unless the function accepts NULL. */
#ifndef TUNER_DB_H
#define TUNER_DB_H

#include "base/hash.h"
#include "base/str.h"
#include "device/device.h"
#include "lift/database.h"
#include <stdbool.h>
#include <stdint.h>

LIFT_OWNER(lift_db, lift_db_close)

enum { LIFT_DB_TEXT = 16 << 20 }; /* maximum bytes of a text; longer texts are rejected */

/* The error message of the last failed call. Never NULL; 'db' may be NULL. */
const char *lift_db_error(const struct lift_db *db);
bool lift_db_read_only(const struct lift_db *db);
/* The version of the file's schema if it is newer than this program's; otherwise 0. */
int lift_db_newer(const struct lift_db *db);
/* The kind of network file system of the path ("NFS", ...). NULL: the file system is
 * local, or 'path' is NULL. On network file systems, a rollback journal replaces the
 * write-ahead log. Only one machine at a time should write such a database. */
const char *lift_db_network(const char *path);

/* Groups many writes: all are kept or all lost, at the cost of one flush to the disk.
 * Pairs nest; the outermost counts. An inner rollback makes the outermost commit
 * fail. */
bool lift_db_begin(struct lift_db *db);
bool lift_db_commit(struct lift_db *db);
void lift_db_rollback(struct lift_db *db);
/* Commits if 'good', and rolls back otherwise. Returns true if the commit succeeded. */
bool lift_db_end(struct lift_db *db, bool good);

/* Text fields may be NULL, which is stored as "", unless a comment says otherwise. */

/* The id is lift_device_hash(info). */
bool lift_db_put_device(struct lift_db *db, const struct lift_device_info *info);
/* Stores the device's copy bandwidth in GB/s with the current time, and replaces an
 * earlier bandwidth. When reading, 'gbs' is 0 if no bandwidth was stored. */
bool lift_db_put_copy_bandwidth(struct lift_db *db, struct lift_hash device, double gbs);
bool lift_db_get_copy_bandwidth(struct lift_db *db, struct lift_hash device, double *gbs);
/* Likewise the copy bandwidth in the last-level cache, which bounds problems of at most
 * 'bytes' bytes; 0 and 0: unknown. */
bool lift_db_put_cache_bandwidth(struct lift_db *db, struct lift_hash device,
                                 int64_t bytes, double gbs);
bool lift_db_get_cache_bandwidth(struct lift_db *db, struct lift_hash device,
                                 int64_t *bytes, double *gbs);

enum lift_db_level { LIFT_DB_HIGH, LIFT_DB_LOW };

struct lift_db_expr {
    struct lift_hash id;
    const char *text; /* empty for an intermediate expression; a later text is kept */
    enum lift_db_level level;
    int size; /* nodes */
};

struct lift_db_deriv {
    struct lift_hash child, parent;
    const char *rule, *position, *args;
};

/* A macro that made 'child' of 'parent' by 'steps' rewrites, which are stored as
 * well. */
struct lift_db_macro {
    struct lift_hash child, parent;
    const char *macro, *position;
    int steps, depth; /* 0: not part of another macro */
};

/* A decision of rules/decision.h and its option. */
struct lift_db_option {
    const char *decision, *option;
};

enum {
    LIFT_DB_OPTIONS = 64,
    LIFT_DB_NAME = 255
}; /* of a configuration; bytes of a name */

struct lift_db_program {
    struct lift_hash id;
    const char *name, *text;
};

/* A program at given sizes. 'root' is the expression at which derivations start.
 * 'sizes' and 'params' (scalar parameters) are JSON objects with sorted names and no
 * blanks, such as {"nx":512,"ny":512}. 'dtype' is the program's precision
 * (lift_program_precision), or the type of its first output if the precision is "". */
struct lift_db_problem {
    struct lift_hash program, root;
    const char *sizes, *params, *dtype;
    int steps;      /* of the time loop in one launch; 0 counts as 1 */
    int64_t points; /* grid points that one launch updates in each of its steps */
    int64_t bytes;  /* compulsory traffic of one launch; 0: unknown */
};

bool lift_db_put_program(struct lift_db *db, const struct lift_db_program *program);
/* The id of the problem's row. */
struct lift_hash lift_db_problem_id(const struct lift_db_problem *problem);
bool lift_db_put_problem(struct lift_db *db, const struct lift_db_problem *problem,
                         struct lift_hash *id);
bool lift_db_put_expr(struct lift_db *db, const struct lift_db_expr *expr);
/* An expression may have several parents. Derivations show the parent that was stored
 * first. A rewrite of an expression into itself is ignored. */
bool lift_db_put_deriv(struct lift_db *db, const struct lift_db_deriv *deriv);
bool lift_db_put_macro(struct lift_db *db, const struct lift_db_macro *macro);
/* Stores that an expression is a configuration with these options, one for each
 * decision, without default options. If several configurations yield the same
 * expression, the first stays. */
bool lift_db_put_configuration(struct lift_db *db, struct lift_hash expr,
                               const struct lift_db_option *options, int count);
/* 'tunables' is JSON as lift_space_json writes it; NULL is {}. */
bool lift_db_put_candidate(struct lift_db *db, struct lift_hash expr,
                           const char *tunables, struct lift_hash *id);

#endif
