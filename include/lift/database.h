/* A database of explorations, opened and closed. docs/database-schema.md describes the
 * file, which other programs read as SQLite; lift/chosen.h takes kernels out of it. */
#ifndef LIFT_DATABASE_H
#define LIFT_DATABASE_H

#include "lift/api.h"
#include "lift/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lift_db;

enum lift_db_mode {
    LIFT_DB_READ,  /* the file must exist; migrated if old */
    LIFT_DB_WRITE, /* created if absent, migrated if old, dead sessions closed */
    /* The same for 'lift db doctor' alone: files with triggers and views that do not
     * belong to the schema are opened, too, and none of these runs. */
    LIFT_DB_INSPECT,
    LIFT_DB_WRITE_DAMAGED,
    LIFT_DB_MEND = LIFT_DB_WRITE_DAMAGED /* former name */
};

/* NULL, and a DATABASE error, if the file cannot be opened, is not a lift database,
 * or has triggers or views that are not of its schema: a database is data. A file of a
 * newer schema than this program's is opened read-only. ":memory:" is legal; a path that
 * is NULL is refused. A handle is used by one thread, and not by a forked child. */
LIFT_API struct lift_db *lift_db_open(const char *path, enum lift_db_mode mode,
                                      struct lift_error *error);
LIFT_API void lift_db_close(struct lift_db *db); /* NULL is legal */

#ifdef __cplusplus
}
#endif

#endif
