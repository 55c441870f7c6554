/* The database of an exploration: one SQLite file with every trial, how its expression
 * was derived, and its time. This header opens it and stores programs, problems and
 * candidates; tuner/db_trial.h writes the trials, tuner/db_query.h reads.
 * docs/database-schema.md describes the tables.
 *
 * Rows are named by content hashes, sessions and trials by random numbers, so that the
 * rows of two files never clash. Putting a row that is there already changes nothing. A
 * handle is used by one thread, and not by a forked child.
 *
 * Calls that return bool return false if the file could not be written or read (full,
 * locked, read-only, damaged, closed to a newer version's schema); lift_db_error then
 * says why, naming the file. A call that failed has changed nothing. A row to be put that
 * is NULL is refused in this way; a handle, a callback or a place for an answer that is
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

enum { LIFT_DB_TEXT = 16 << 20 }; /* the most bytes of a text: more is refused */

/* What the last call that failed said. Never NULL; 'db' may be. */
const char *lift_db_error(const struct lift_db *db);
bool lift_db_read_only(const struct lift_db *db);
/* The version of the file's schema if it is newer than this program's; otherwise 0. */
int lift_db_newer(const struct lift_db *db);
/* The kind of network file system that the path lies on ("NFS", ...), NULL if on none,
 * or 'path' is NULL. There a database is written with a rollback journal in place of a
 * write-ahead log, and it should be written from one machine at a time. */
const char *lift_db_network(const char *path);

/* Many writes as one: they are all kept or all lost, and cost one flush to the disk.
 * Pairs nest; the outermost counts. A rollback inside makes the outermost commit fail. */
bool lift_db_begin(struct lift_db *db);
bool lift_db_commit(struct lift_db *db);
void lift_db_rollback(struct lift_db *db);
/* Commits if 'good', and rolls back otherwise; true if it was committed. */
bool lift_db_end(struct lift_db *db, bool good);

/* Text fields may be NULL, which is stored as "", unless said otherwise. */

/* The id is lift_device_hash(info). */
bool lift_db_put_device(struct lift_db *db, const struct lift_device_info *info);
/* The device's copy bandwidth in GB/s, with the time at which it is stored; a later one
 * replaces it. 'gbs' is 0 if it was never stored. */
bool lift_db_put_copy_bandwidth(struct lift_db *db, struct lift_hash device, double gbs);
bool lift_db_get_copy_bandwidth(struct lift_db *db, struct lift_hash device, double *gbs);

enum lift_db_level { LIFT_DB_HIGH, LIFT_DB_LOW };

struct lift_db_expr {
    struct lift_hash id;
    const char *text; /* empty: it is only on the way to others; a later one stays */
    enum lift_db_level level;
    int size; /* nodes */
};

struct lift_db_deriv {
    struct lift_hash child, parent;
    const char *rule, *position, *args;
};

/* A macro that made 'child' of 'parent' by so many rewrites, which are put as well. */
struct lift_db_macro {
    struct lift_hash child, parent;
    const char *macro, *position;
    int steps, depth; /* 0: not part of another macro */
};

/* A decision of rules/decision.h and its option. */
struct lift_db_option {
    const char *decision, *option;
};

enum { LIFT_DB_OPTIONS = 64, LIFT_DB_NAME = 255 }; /* of a point; bytes of a name */

struct lift_db_program {
    struct lift_hash id;
    const char *name, *text;
};

/* A program at given sizes. 'root' is the expression that derivations
 * start from. 'sizes' and 'params' (scalar parameters) are JSON objects with sorted names
 * and no blanks, such as {"nx":512,"ny":512}. 'dtype' is the program's precision
 * (lift_program_precision), or the type of its first output if that is "". */
struct lift_db_problem {
    struct lift_hash program, root;
    const char *sizes, *params, *dtype;
    int steps;      /* of the time loop in one launch; 0 is taken for 1 */
    int64_t points; /* grid points that one launch updates, in each of its steps */
    int64_t bytes;  /* compulsory traffic of one launch; 0: unknown */
};

bool lift_db_put_program(struct lift_db *db, const struct lift_db_program *program);
bool lift_db_put_problem(struct lift_db *db, const struct lift_db_problem *problem,
                         struct lift_hash *id);
bool lift_db_put_expr(struct lift_db *db, const struct lift_db_expr *expr);
/* All parents of an expression may be put; the first is the one that derivations show. A
 * rewrite of an expression into itself is left out: it leads nowhere. */
bool lift_db_put_deriv(struct lift_db *db, const struct lift_db_deriv *deriv);
bool lift_db_put_macro(struct lift_db *db, const struct lift_db_macro *macro);
/* An expression is a configuration: so many options that are not the default, of
 * a decision each. Of several points that are the same expression the first stays. */
bool lift_db_put_configuration(struct lift_db *db, struct lift_hash expr,
                               const struct lift_db_option *options, int count);
/* 'tunables' is JSON as lift_space_json writes it; NULL is {}. */
bool lift_db_put_candidate(struct lift_db *db, struct lift_hash expr,
                           const char *tunables, struct lift_hash *id);

#endif
