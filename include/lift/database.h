/* Opens and closes a database of explorations. docs/database-schema.md describes the
 * file, which other programs read as SQLite. lift/chosen.h reads kernels from the
 * database. */
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
    /* Modes for 'lift db doctor' only. They also open files with triggers and views that
     * the schema lacks; none of these triggers and views runs. */
    LIFT_DB_INSPECT,
    LIFT_DB_WRITE_DAMAGED,
    LIFT_DB_MEND = LIFT_DB_WRITE_DAMAGED /* former name */
};

/* On failure returns NULL and a DATABASE error. Reasons: the file cannot be opened, is
 * not a lift database, or has triggers or views that the schema lacks. A file of a newer
 * schema is opened read-only. ":memory:" is legal; a NULL path is rejected. Only one
 * thread uses a handle, and no forked child. */
LIFT_API struct lift_db *lift_db_open(const char *path, enum lift_db_mode mode,
                                      struct lift_error *error);
LIFT_API void lift_db_close(struct lift_db *db); /* NULL is legal */

#ifdef __cplusplus
}
#endif

#endif
